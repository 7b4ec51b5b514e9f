package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"ucrypt"
	"ucrypt/bench/bars"
	"ucrypt/internal/selftest"
	"ucrypt/internal/speed"
)

// TestLines opens both sides of every line and lets each work once.
func TestLines(t *testing.T) {
	all := lines()
	for _, l := range all {
		ours, theirs, err := l.open()
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		for _, w := range []speed.Work{ours, theirs} {
			if err := w(1); err != nil {
				t.Errorf("%s: %v", l, err)
			}
		}
		if l.bar < 0 {
			t.Errorf("%s: bar %v", l, l.bar)
		}
	}
	if n, err := allocations(all); err != nil || n != 0 {
		t.Errorf("%v allocations, error %v", n, err)
	}
}

// TestOneTable compares the peer of cmac with the registry's CBC-MAC.
func TestOneTable(t *testing.T) {
	text := bars.Pattern(4096)
	h, err := ucrypt.NewHash("cbcmac(sm4-generic)", bars.Pattern(16))
	if err != nil {
		t.Fatal(err)
	}
	h.Write(text)
	sbox, rk := selftest.TextbookSM4(bars.Pattern(16))
	var got []byte
	for _, w := range cbcMAC(sbox, &rk, text) {
		got = binary.BigEndian.AppendUint32(got, w)
	}
	if want := h.Sum(nil); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
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
