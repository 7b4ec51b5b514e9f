package aes

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"testing"
)

// Speeds, for reading side by side: go test -bench . -count 5 ./internal/aes

func BenchmarkNewTier(b *testing.B) {
	for _, tier := range Tiers() {
		if tier.Available() != nil {
			continue
		}
		for _, keySize := range []int{16, 24, 32} {
			b.Run(fmt.Sprintf("%v/%d", tier, 8*keySize), func(b *testing.B) {
				key := make([]byte, keySize)
				for range b.N {
					NewTier(tier, key)
				}
			})
		}
	}
}

func BenchmarkModes(b *testing.B) {
	sizes := []int{16, 32, 64, 128, 256, 512, 4096, 16384}
	for _, keySize := range []int{16, 32} {
		for _, tier := range Tiers()[1:] {
			if tier.Available() != nil {
				continue
			}
			c := NewTier(tier, make([]byte, keySize))
			iv := new([16]byte)
			for _, mode := range []struct {
				name string
				run  func(dst, src []byte)
			}{
				{"ecb-enc", func(d, s []byte) { c.EncryptBlocks(d, s) }},
				{"cbc-enc", func(d, s []byte) { c.CBCEncrypt(d, s, iv) }},
				{"cbc-dec", func(d, s []byte) { c.CBCDecrypt(d, s, iv) }},
				{"cts-enc", func(d, s []byte) { c.CTSEncrypt(d, s, iv) }},
				{"cts-dec", func(d, s []byte) { c.CTSDecrypt(d, s, iv) }},
				{"xts-enc", func(d, s []byte) { c.XTSEncrypt(c, d, s, iv) }},
				{"xts-dec", func(d, s []byte) { c.XTSDecrypt(c, d, s, iv) }},
				{"xts-enc-512", func(d, s []byte) { c.XTSEncryptUnits(c, d, s, 512, 1) }},
			} {
				for _, n := range sizes {
					if mode.name == "xts-enc-512" && n%512 != 0 {
						continue
					}
					b.Run(fmt.Sprintf("%s/%d/%v/%d", mode.name, 8*keySize, tier, n), func(b *testing.B) {
						src, dst := make([]byte, n), make([]byte, n)
						b.SetBytes(int64(n))
						for range b.N {
							mode.run(dst, src)
						}
					})
				}
			}
		}
	}
}

func BenchmarkStd(b *testing.B) {
	for _, keySize := range []int{16, 32} {
		block, _ := aes.NewCipher(make([]byte, keySize))
		iv := make([]byte, 16)
		for _, n := range []int{32, 4096} {
			src, dst := make([]byte, n), make([]byte, n)
			b.Run(fmt.Sprintf("cbc-enc/%d/std/%d", 8*keySize, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				m := cipher.NewCBCEncrypter(block, iv)
				for range b.N {
					m.CryptBlocks(dst, src)
				}
			})
			b.Run(fmt.Sprintf("cbc-dec/%d/std/%d", 8*keySize, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				m := cipher.NewCBCDecrypter(block, iv)
				for range b.N {
					m.CryptBlocks(dst, src)
				}
			})
		}
	}
}
