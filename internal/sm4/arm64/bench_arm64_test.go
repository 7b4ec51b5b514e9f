//go:build !purego

package arm64

import (
	"fmt"
	"strings"
	"testing"

	"ucrypt/internal/cpu"
)

// BenchmarkRoutine is for internal/icount: its names end in the number of bytes.
func BenchmarkRoutine(b *testing.B) {
	for i := range tiers {
		if len(cpu.Missing(tiers[i].needs)) > 0 {
			continue
		}
		k := newKeys(&tiers[i], newRand(b))
		for _, r := range tiers[i].routines() {
			for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 4096} {
				if n < r.Min {
					continue
				}
				b.Run(fmt.Sprint(strings.ReplaceAll(r.Name, " ", "-"), "/", n), func(b *testing.B) {
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
	for i := range tiers {
		if len(cpu.Missing(tiers[i].needs)) > 0 {
			continue
		}
		b.Run(tiers[i].name, func(b *testing.B) {
			var key [16]byte
			var enc, dec [32]uint32
			for b.Loop() {
				tiers[i].expand(&key, &enc, &dec)
			}
		})
	}
}
