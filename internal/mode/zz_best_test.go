package mode

import (
	"fmt"
	"os"
	"testing"
	"time"

	"ucrypt/internal/sm4"
)

func best2(fs ...func()) []time.Duration {
	b := make([]time.Duration, len(fs))
	for i := range b {
		b[i] = time.Hour
	}
	for range 300 {
		for i, f := range fs {
			t0 := time.Now()
			n := 0
			for n == 0 || time.Since(t0) < 20*time.Microsecond {
				f()
				f()
				f()
				f()
				n += 4
			}
			b[i] = min(b[i], time.Since(t0)*100/time.Duration(n))
		}
	}
	return b
}

func TestZZ(t *testing.T) {
	if os.Getenv("BEST") == "" {
		t.Skip()
	}
	buf := make([]byte, 1<<16)
	dst := make([]byte, 1<<17)[1088:]
	for _, tier := range sm4.Tiers() {
		if tier.Available() != nil {
			continue
		}
		c := sm4.NewTier(tier, new([16]byte))
		x := NewXTS(Cipher{sm4: c, composed: true}, Cipher{sm4: c, composed: true}, false)
		m := Cipher{sm4: c, composed: true}
		var iv [16]byte
		for _, n := range []int{16, 512, 4096} {
			b := best2(
				func() { EncryptXTS(&x, dst[:n], buf[:n], iv[:]) },
				func() { c.XTSEncrypt(c, dst[:n], buf[:n], &iv, false) },
				func() { DecryptXTS(&x, dst[:n], buf[:n], iv[:]) },
				func() { c.XTSDecrypt(c, dst[:n], buf[:n], &iv, false) },
			)
			fmt.Printf("%v xts %d: template %d fused %d ratio %.2f; decrypt %d %d ratio %.2f (1/100 ns)\n", tier, n, b[0], b[1], float64(b[0])/float64(b[1]), b[2], b[3], float64(b[2])/float64(b[3]))
		}
		b := best2(
			func() { c.XTSEncryptUnits(c, dst[:4096], buf[:4096], 512, 7, false) },
			func() {
				for i := range 8 {
					c.XTSEncrypt(c, dst[512*i:][:512], buf[512*i:][:512], &iv, false)
				}
			})
		fmt.Printf("%v 8x512: %d, calls %d ratio %.2f\n", tier, b[0], b[1], float64(b[1])/float64(b[0]))
		for _, n := range []int{17, 32, 64} {
			b := best2(
				func() { EncryptCTS(&m, CS3, dst[:n], buf[:n], iv[:]) },
				func() { c.CTSEncrypt(dst[:n], buf[:n], &iv) },
				func() { DecryptCTS(&m, CS3, dst[:n], buf[:n], iv[:]) },
				func() { c.CTSDecrypt(dst[:n], buf[:n], &iv) },
			)
			fmt.Printf("%v cts %d: template %d fused %d ratio %.2f; decrypt %d %d ratio %.2f\n", tier, n, b[0], b[1], float64(b[0])/float64(b[1]), b[2], b[3], float64(b[2])/float64(b[3]))
		}
		var ms [16]sm4.Message
		var ivs [16][16]byte
		big := make([]byte, 16*4112)
		for i := range ms {
			ms[i] = sm4.Message{Dst: big[i*4112:][:4096], Src: big[i*4112:][:4096], IV: &ivs[i]}
		}
		b = best2(
			func() { c.CBCEncryptMany(ms[:]) },
			func() { c.CBCEncrypt(dst[:4096], buf[:4096], &iv) },
			func() { c.EncryptBlocks(dst[:16], buf[:16]) },
		)
		fmt.Printf("%v many 16x4096: %.0f MB/s, one %.0f, ratio %.2f; one block %.0f MB/s\n", tier, 65536*1e5/float64(b[0]), 4096*1e5/float64(b[1]), 16*float64(b[1])/float64(b[0]), 16*1e5/float64(b[2]))
	}
}

func TestZY(t *testing.T) {
	if os.Getenv("BEST") == "" {
		t.Skip()
	}
	buf := make([]byte, 1<<16)
	dst := make([]byte, 1<<17)[1088:]
	for _, tier := range sm4.Tiers() {
		if tier.Available() != nil || tier < sm4.GFNIAVX2 {
			continue
		}
		c := SM4(sm4.NewTier(tier, new([16]byte)))
		var iv [16]byte
		for _, n := range []int{16, 256, 1024, 4096, 65536} {
			b := best2(
				func() { EncryptECB(&c, dst[:n], buf[:n]) },
				func() { CTR(&c, dst[:n], buf[:n], iv[:]) },
				func() { DecryptCBC(&c, dst[:n], buf[:n], iv[:]) },
				func() { DecryptCFB(&c, dst[:n], buf[:n], iv[:]) },
				func() { EncryptCBC(&c, dst[:n], buf[:n], iv[:]) },
				func() { EncryptCFB(&c, dst[:n], buf[:n], iv[:]) },
			)
			fmt.Printf("%v %5d:", tier, n)
			for i, name := range []string{"ecb", "ctr", "cbc dec", "cfb dec", "cbc enc", "cfb enc"} {
				fmt.Printf("  %s %.0f", name, float64(n)*1e5/float64(b[i]))
			}
			fmt.Println()
		}
	}
}
