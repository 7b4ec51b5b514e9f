package mode

import (
	"fmt"
	"testing"

	"ucrypt/internal/sm4"
)

// BenchmarkGCM and BenchmarkCCM seal messages of SM4 on each tier.
func BenchmarkGCM(b *testing.B) {
	benchmarkAEAD(b, func(c Cipher) (sealer, error) { return NewGCM("test", c, 12, 16) })
}

func BenchmarkCCM(b *testing.B) {
	benchmarkAEAD(b, func(c Cipher) (sealer, error) { return NewCCM("test", c, 12, 16) })
}

type sealer interface {
	Seal(dst, nonce, plaintext, additionalData []byte) []byte
}

func benchmarkAEAD(b *testing.B, newAEAD func(Cipher) (sealer, error)) {
	for _, tier := range sm4.Tiers() {
		if tier.Available() != nil {
			continue
		}
		for _, n := range []int{16, 64, 1420, 4096, 65536} {
			b.Run(fmt.Sprintf("%s/%d", tier, n), func(b *testing.B) {
				a, err := newAEAD(SM4(sm4.NewTier(tier, new([16]byte))))
				if err != nil {
					b.Fatal(err)
				}
				text, sealed, nonce := make([]byte, n), make([]byte, 0, n+16), make([]byte, 12)
				b.SetBytes(int64(n))
				for b.Loop() {
					a.Seal(sealed, nonce, text, nil)
				}
			})
		}
	}
}

// BenchmarkMAC is CBC-MAC, of which CMAC and XCBC are made, on each tier.
func BenchmarkMAC(b *testing.B) {
	for _, tier := range sm4.Tiers() {
		if tier.Available() != nil {
			continue
		}
		for _, n := range []int{16, 4096} {
			b.Run(fmt.Sprintf("%s/%d", tier, n), func(b *testing.B) {
				m := NewMAC(CBCMAC, SM4(sm4.NewTier(tier, new([16]byte))))
				text, sum := make([]byte, n), make([]byte, 0, 16)
				b.SetBytes(int64(n))
				for b.Loop() {
					m.Reset()
					m.Write(text)
					m.Sum(sum)
				}
			})
		}
	}
}
