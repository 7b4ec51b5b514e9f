package main

import (
	"io"
	"testing"
	"time"
)

// TestLines opens both sides of every line and lets each work once.
func TestLines(t *testing.T) {
	for _, l := range lines() {
		for _, s := range []string{"ours", "peer"} {
			side := l.Ours
			if s == "peer" {
				side = l.Peer
			}
			w, err := side.Open()
			if err == nil {
				err = w(1)
			}
			if err != nil {
				t.Errorf("%s, %d bytes, %s: %v", l.What, l.Bytes, side.Name, err)
			}
		}
		if l.Bar < 0 {
			t.Errorf("%s, %d bytes: bar %v", l.What, l.Bytes, l.Bar)
		}
	}
}

func TestFlags(t *testing.T) {
	if err := run(io.Discard, 0, time.Millisecond); err == nil {
		t.Error("--rounds 0: no error")
	}
	if err := run(io.Discard, 1, 0); err == nil {
		t.Error("--time 0: no error")
	}
}
