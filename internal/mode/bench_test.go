package mode

import (
	"fmt"
	"testing"

	"ucrypt/internal/sm4"
)

// BenchmarkTemplates measures the modes that are built from other drivers next
// to those drivers. The one block that XTS encrypts for its tweak, and the one
// that CTS decrypts after the others, are the ecb/16 of the list.
func BenchmarkTemplates(b *testing.B) {
	for _, tier := range sm4.Tiers() {
		if tier.Available() != nil {
			continue
		}
		c := SM4(sm4.NewTier(tier, &[16]byte{1})).Composed()
		x, gb := NewXTS(c, c, false), NewXTS(c, c, true)
		for _, size := range []int{16, 17, 512, 520, 4096, 16384, 65536} {
			buf, iv := make([]byte, size), make([]byte, 16)
			whole := buf[:size-size%16]
			for _, m := range []struct {
				name string
				f    func()
			}{
				{"ecb", func() { EncryptECB(&c, whole, whole) }},
				{"xts-encrypt", func() { EncryptXTS(&x, buf, buf, iv) }},
				{"xts-decrypt", func() { DecryptXTS(&x, buf, buf, iv) }},
				{"xts-gb", func() { EncryptXTS(&gb, buf, buf, iv) }},
				{"xts-units-of-512", func() { EncryptXTSUnits(&x, whole, whole, 512, 1) }},
				{"cbc-encrypt", func() { EncryptCBC(&c, whole, whole, iv) }},
				{"cts-encrypt", func() { EncryptCTS(&c, CS3, buf, buf, iv) }},
				{"cbc-decrypt", func() { DecryptCBC(&c, whole, whole, iv) }},
				{"cts-decrypt", func() { DecryptCTS(&c, CS3, buf, buf, iv) }},
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", tier, size, m.name), func(b *testing.B) {
					b.SetBytes(int64(size))
					for b.Loop() {
						m.f()
					}
				})
			}
		}
	}
}
