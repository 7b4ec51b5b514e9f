//go:build !purego

package arm64

import (
	"fmt"
	"strings"
	"testing"

	"ucrypt/internal/cpu"
)

// The names end in the number of bytes, for internal/icount.
func BenchmarkUpdate(b *testing.B) {
	for _, r := range tiers {
		for _, blocks := range []int{1, 2, 4, 5, 9, 17, 64, 256, 257, 1024} {
			b.Run(fmt.Sprint(r.name, "/", 16*blocks), func(b *testing.B) {
				if missing := cpu.Missing(r.needs); len(missing) > 0 {
					b.Skip("not run: " + strings.Join(missing, "; "))
				}
				var powers [1024]byte
				var acc [16]byte
				r.init(&powers, &[16]byte{1, 2, 3})
				p := make([]byte, 16*blocks)
				b.SetBytes(int64(len(p)))
				for b.Loop() {
					r.update(&powers, &acc, &p[0], blocks)
				}
			})
		}
	}
}

func BenchmarkInit(b *testing.B) {
	for _, r := range tiers {
		b.Run(r.name, func(b *testing.B) {
			if missing := cpu.Missing(r.needs); len(missing) > 0 {
				b.Skip("not run: " + strings.Join(missing, "; "))
			}
			var powers [1024]byte
			for b.Loop() {
				r.init(&powers, &[16]byte{1, 2, 3})
			}
		})
	}
}
