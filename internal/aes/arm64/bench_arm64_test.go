//go:build !purego

package arm64

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ucrypt/internal/cpu"
)

// BenchmarkRoutine is for internal/icount: its names end in the number of bytes.
func BenchmarkRoutine(b *testing.B) {
	if len(cpu.Missing([]cpu.Feature{cpu.AES})) > 0 {
		b.Skip("not run: processor or system lacks aes")
	}
	for _, r := range routines {
		for _, size := range []int{16, 24, 32} {
			k := newKeys(rand.New(rand.NewPCG(1, 2)), size)
			for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 4096} {
				if n < r.Min {
					continue
				}
				b.Run(fmt.Sprint(strings.ReplaceAll(r.Name, " ", "-"), "/", 8*size, "/", n), func(b *testing.B) {
					buf := make([]byte, n)
					var iv [16]byte
					b.SetBytes(int64(n))
					for b.Loop() {
						r.Run(k, buf, buf, &iv)
					}
				})
			}
		}
	}
}

// BenchmarkExpandKey is the key expansion of both directions.
func BenchmarkExpandKey(b *testing.B) {
	if len(cpu.Missing([]cpu.Feature{cpu.AES})) > 0 {
		b.Skip("not run: processor or system lacks aes")
	}
	for _, size := range []int{16, 24, 32} {
		b.Run(fmt.Sprint(8*size), func(b *testing.B) {
			key := make([]byte, size)
			var enc, dec [240]byte
			for b.Loop() {
				ExpandKeyCE(&key[0], 6+size/4, &enc, &dec)
			}
		})
	}
}
