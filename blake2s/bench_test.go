package blake2s_test

import (
	"fmt"
	"testing"

	"ucrypt/blake2s"
)

// The lengths are those of the kernel authors' table.
var lengths = []int{32, 64, 100, 500, 4096}

func BenchmarkSum256(b *testing.B) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := make([]byte, n)
			b.SetBytes(int64(n))
			for range b.N {
				blake2s.Sum256(data)
			}
		})
	}
}

func BenchmarkMAC256(b *testing.B) {
	key := make([]byte, 32)
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := make([]byte, n)
			b.SetBytes(int64(n))
			for range b.N {
				blake2s.MAC256(key, data)
			}
		})
	}
}

func BenchmarkNew256WriteSum(b *testing.B) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data, out := make([]byte, n), make([]byte, 0, 32)
			b.SetBytes(int64(n))
			for range b.N {
				h, _ := blake2s.New256(nil)
				h.Write(data)
				h.Sum(out)
			}
		})
	}
}

// Bytes in a second are those of all messages.
func BenchmarkAppendSumMany(b *testing.B) {
	for _, count := range []int{1, 4, 8, 16, 256} {
		for _, n := range lengths {
			b.Run(fmt.Sprintf("%dx%d", count, n), func(b *testing.B) {
				data, out := make([]byte, count*n), make([]byte, 0, count*32)
				messages := make([][]byte, count)
				for i := range messages {
					messages[i] = data[i*n:][:n]
				}
				b.SetBytes(int64(count * n))
				for range b.N {
					blake2s.AppendSumMany(out, 32, nil, messages)
				}
			})
		}
	}
}
