package main

import (
	"io"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	enc := func(mode string) operation { return operation{mode, false} }
	dec := func(mode string) operation { return operation{mode, true} }
	for _, test := range []struct {
		driver string
		o      operation
		bytes  int
		want   float64
	}{
		{"ecb(sm4-generic)", enc("ecb"), 4096, 1.3},
		{"ecb(sm4-generic)", enc("ecb"), 16, 0},
		{"cbc(sm4-generic)", dec("cbc"), 4096, 0},
		{"ctr-sm4-aesni-avx", enc("ctr"), 4096, 6},
		{"cbc-sm4-aesni-avx2", dec("cbc"), 4096, 9.5},
		{"cfb-sm4-aesni-avx2", dec("cfb"), 256, 0},
		{"cfb-sm4-aesni-avx2", enc("cfb"), 4096, 0.6},
		{"cbc-sm4-aesni-avx", enc("cbc"), 256, 0.6},
		{"ecb-sm4-aesni-avx", dec("ecb"), 16, 0.6},
	} {
		if got := bar(test.driver, test.o, test.bytes); got != test.want {
			t.Errorf("%s, %s, %d bytes: bar %v, want %v", test.driver, test.o, test.bytes, got, test.want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, lengths := range []string{"", "0", "20", "16,x"} {
		if err := run(io.Discard, 1, time.Millisecond, lengths); err == nil {
			t.Errorf("--bytes %q: no error", lengths)
		}
	}
	if err := run(io.Discard, 0, time.Millisecond, "16"); err == nil {
		t.Error("--rounds 0: no error")
	}
}
