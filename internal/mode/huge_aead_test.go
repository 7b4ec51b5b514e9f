//go:build linux && (amd64 || arm64 || riscv64 || s390x)

package mode

import (
	"errors"
	"syscall"
	"testing"
)

// TestAEADHuge: messages that are longer than the modes allow are refused before they
// are touched. They are addresses without memory.
func TestAEADHuge(t *testing.T) {
	s := subjects(t, 81)[0]
	g, err := NewGCM("test", s.c, 12, 16)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCCM("test", s.c, 11, 16)
	if err != nil {
		t.Fatal(err)
	}
	huge, err := syscall.Mmap(-1, 0, maxGCM+4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("64 GiB of addresses: %v", err)
	}
	defer syscall.Munmap(huge)
	nonce := make([]byte, 12)
	if got := recovered(func() { g.Seal(nil, nonce, huge[:maxGCM+1], nil) }); got != "test: message too large for GCM" {
		t.Errorf("GCM: panic %v", got)
	}
	if _, err := g.Open(nil, nonce, huge[:maxGCM+1+16], nil); !errors.Is(err, ErrAuthentication) {
		t.Errorf("GCM: error %v", err)
	}
	if got := recovered(func() { c.Seal(nil, nonce[:11], huge[:1<<32], nil) }); got != "test: message too large for CCM" {
		t.Errorf("CCM: panic %v", got)
	}
	if _, err := c.Open(nil, nonce[:11], huge[:1<<32+16], nil); !errors.Is(err, ErrAuthentication) {
		t.Errorf("CCM: error %v", err)
	}
}
