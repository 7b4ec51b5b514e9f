//go:build amd64 && !purego

package amd64

import (
	"fmt"
	"testing"
)

func BenchmarkRoutines(b *testing.B) {
	for _, r := range routines {
		for _, size := range []int{16, 32, 64, 128, 256, 1024, 4096, 65536} {
			b.Run(fmt.Sprintf("%s/%d", r.name, size), func(b *testing.B) {
				require(b, r.needs)
				k := newKeys(newRand(b))
				buf := make([]byte, size)
				var iv [16]byte
				b.SetBytes(int64(size))
				for b.Loop() {
					iv[12] = 0
					r.run(&k.enc, &buf[0], &buf[0], size/16, &iv)
				}
			})
		}
	}
}

func BenchmarkExpandKey(b *testing.B) {
	for _, x := range expansions {
		b.Run(x.name, func(b *testing.B) {
			require(b, x.needs)
			var key [16]byte
			var enc, dec [32]uint32
			for b.Loop() {
				x.expand(&key, &enc, &dec)
			}
		})
	}
}
