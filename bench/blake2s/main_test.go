package main

import (
	"io"
	"testing"
	"time"
)

// TestLines lets both sides of every line work once.
func TestLines(t *testing.T) {
	for _, l := range lines() {
		l.ours.once()
		l.peer.once()
	}
}

func TestRun(t *testing.T) {
	if err := run(io.Discard, 1, time.Microsecond); err != nil {
		t.Error(err)
	}
	if run(io.Discard, 0, time.Microsecond) == nil || run(io.Discard, 1, 0) == nil {
		t.Error("no rounds or no time, and no error")
	}
}
