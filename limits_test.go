package ucrypt

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestHugeUnits: a data unit that is said to be longer than any message is one unit,
// directly and through a queue that would split it.
func TestHugeUnits(t *testing.T) {
	q := NewQueue(2, 0)
	defer q.Close()
	for _, d := range Drivers() {
		if !strings.HasPrefix(d.Name, "xts") || d.Status == Unavailable {
			continue
		}
		s, err := NewSkcipher(d.DriverName, bytes.Repeat([]byte{7}, d.MinKeySize))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{16, 17, 33, 512, 70000, 1 << 17} {
			src := bytes.Repeat([]byte{byte(n)}, n)
			want, iv := make([]byte, n), make([]byte, blockSize)
			binary.LittleEndian.PutUint64(iv, 5)
			if err := s.Encrypt(want, src, iv); err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{n, math.MaxInt, math.MaxInt - 15, math.MaxInt - 65536} {
				got := make([]byte, n)
				if err := s.EncryptUnits(got, src, size, 5); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes in units of %d: other than with the iv, error %v", d.DriverName, n, size, err)
				}
				clear(got)
				done := make(chan error)
				r := Request{Skcipher: s, Dst: got, Src: src, UnitSize: size, First: 5, Done: func(err error) { done <- err }}
				if err := q.Submit(context.Background(), &r); err != nil {
					t.Fatal(err)
				}
				if err := <-done; err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes in units of %d, queued: other than with the iv, error %v", d.DriverName, n, size, err)
				}
				if err := s.DecryptUnits(got, got, size, 5); err != nil || !bytes.Equal(got, src) {
					t.Errorf("%s: %d bytes in units of %d: not undone, error %v", d.DriverName, n, size, err)
				}
			}
		}
	}
}

// TestQueuedPanic: what panics in a call is an error of a request.
func TestQueuedPanic(t *testing.T) {
	a, err := NewAEAD("ccm(sm4)", make([]byte, 16), 13, 16)
	if err != nil {
		t.Fatal(err)
	}
	q := NewQueue(2, 0)
	defer q.Close()
	b, done := make([]byte, 1<<16+16), make(chan error)
	r := Request{AEAD: a, IV: make([]byte, 13), Dst: b, Src: b[:1<<16], Done: func(err error) { done <- err }}
	if err := q.Submit(context.Background(), &r); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a message that is too long for ccm: %v", err)
	}
}

// TestKeySizeErrorText: also of one that has no step.
func TestKeySizeErrorText(t *testing.T) {
	for _, e := range []KeySizeError{{}, {Min: 16, Max: 16}, {Min: 1, Max: 3}} {
		if text := e.Error(); !strings.Contains(text, "want") {
			t.Errorf("%#v: %q", e, text)
		}
	}
}
