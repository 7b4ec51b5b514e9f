package sm4_test

import (
	"bytes"
	"fmt"
	"testing"

	"ucrypt/internal/mode"
	"ucrypt/internal/sm4"
)

// TestFused compares xts and cts where a tier has routines for them with their
// composition out of the generic tier, at the lengths at which a call is split.
func TestFused(t *testing.T) {
	message := make([]byte, 200<<10)
	for i := range message {
		message[i] = byte(i*7 + i>>8)
	}
	key, second := [16]byte{1, 2, 3}, [16]byte{4, 5, 6}
	iv := [16]byte{7, 8, 9, 15: 0xfe}
	generic := mode.SM4(sm4.NewTier(sm4.Generic, &key)).Composed()
	genericTweak := mode.SM4(sm4.NewTier(sm4.Generic, &second)).Composed()
	fused := false
	for _, tier := range sm4.Tiers() {
		if tier == sm4.Generic || tier.Available() != nil {
			continue
		}
		c, tweak := sm4.NewTier(tier, &key), sm4.NewTier(tier, &second)
		buf := make([]byte, 16)
		if chain := iv; !c.CTSEncrypt(buf, buf, &chain) {
			continue
		}
		fused = true
		check := func(name string, n int, want, got []byte, iv, after [16]byte) {
			t.Helper()
			if !bytes.Equal(want, got) {
				t.Errorf("%s, %s, %d bytes: wrong", tier, name, n)
			}
			if iv != after {
				t.Errorf("%s, %s, %d bytes: iv was changed", tier, name, n)
			}
		}
		for _, n := range []int{16, 17, 31, 32, 33, 500, 16 << 10, 16<<10 + 1, 16<<10 + 16, 16<<10 + 17, 32<<10 + 16,
			64<<10 - 1, 64 << 10, 64<<10 + 1, 64<<10 + 15, 64<<10 + 16, 64<<10 + 17, 128<<10 + 31, 200 << 10} {
			src := message[:n]
			want, got, chain := make([]byte, n), bytes.Clone(src), iv
			mode.EncryptCTS(&generic, mode.CS3, want, src, iv[:])
			c.CTSEncrypt(got, got, &chain)
			check("cts encryption", n, want, got, iv, chain)
			c.CTSDecrypt(got, got, &chain)
			check("cts decryption", n, src, got, iv, chain)
			for _, gb := range []bool{false, true} {
				x := mode.NewXTS(generic, genericTweak, gb)
				mode.EncryptXTS(&x, want, src, iv[:])
				c.XTSEncrypt(tweak, got, got, &chain, gb)
				check(fmt.Sprint("xts encryption, gb ", gb), n, want, got, iv, chain)
				c.XTSDecrypt(tweak, got, got, &chain, gb)
				check(fmt.Sprint("xts decryption, gb ", gb), n, src, got, iv, chain)
				for _, size := range []int{16, 17, 512, 520, 4096, 5000, 64 << 10, 64<<10 + 16, 70 << 10} {
					if last := n % size; last > 0 && last < 16 || n > 20000 && size < 512 {
						continue
					}
					mode.EncryptXTSUnits(&x, want, src, size, 1<<64-3)
					c.XTSEncryptUnits(tweak, got, got, size, 1<<64-3, gb)
					check(fmt.Sprint("encryption of units of ", size, ", gb ", gb), n, want, got, iv, chain)
					c.XTSDecryptUnits(tweak, got, got, size, 1<<64-3, gb)
					check(fmt.Sprint("decryption of units of ", size, ", gb ", gb), n, src, got, iv, chain)
				}
			}
		}
		if c.XTSEncrypt(sm4.NewTier(sm4.Generic, &second), buf, buf, &iv, false) {
			t.Errorf("%s: took a tweak key of another tier", tier)
		}
	}
	if !fused {
		t.Skip("not run: no tier that can run here has routines for xts and cts")
	}
}
