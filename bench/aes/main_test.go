package main

import (
	"io"
	"testing"
	"time"

	"ucrypt/internal/speed"
)

// TestLines opens both sides of every line and lets each work once.
func TestLines(t *testing.T) {
	for _, l := range lines() {
		for _, s := range []side{l.ours, l.peer} {
			var w speed.Work
			w, err := s.open()
			if err == nil {
				err = w(1)
			}
			if err != nil {
				t.Errorf("%s, %d bytes, %s: %v", l.what, l.bytes, s.name, err)
			}
		}
		if l.bar <= 0 {
			t.Errorf("%s, %d bytes: no bar", l.what, l.bytes)
		}
	}
}

func TestTemplateBar(t *testing.T) {
	for _, test := range []struct {
		bytes   int
		decrypt bool
		want    float64
	}{{32, false, 2}, {64, true, 1.5}, {128, false, 1.2}, {256, true, 1.2}, {4096, false, 1}, {4096, true, 1.05}} {
		if got := templateBar(test.bytes, test.decrypt); got != test.want {
			t.Errorf("%d bytes, decryption %v: bar %v, want %v", test.bytes, test.decrypt, got, test.want)
		}
	}
}

func TestOpenSSLRate(t *testing.T) {
	const out = "version: 3.0.19\nThe 'numbers' are in 1000s of bytes per second processed.\ntype          16384 bytes\nAES-128-XTS    8123456.50k\n"
	if got, err := opensslRate(out); err != nil || got != 8123456500 {
		t.Errorf("%v, %v", got, err)
	}
	for _, out := range []string{"", "AES-128-XTS 12", "AES-128-XTS k", "AES-128-XTS 0k"} {
		if got, err := opensslRate(out); err == nil {
			t.Errorf("%q: %v", out, got)
		}
	}
}

func TestFlags(t *testing.T) {
	if err := run(io.Discard, 0, time.Millisecond, ""); err == nil {
		t.Error("--rounds 0: no error")
	}
	if err := run(io.Discard, 1, 0, ""); err == nil {
		t.Error("--time 0: no error")
	}
}
