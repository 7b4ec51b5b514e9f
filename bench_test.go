package ucrypt

import (
	"fmt"
	"slices"
	"testing"
)

// BenchmarkDriver measures whole calls of each driver that can run here, named
// DRIVER/KEYBITS/OPERATION/BYTES. internal/icount makes its tables of it.
func BenchmarkDriver(b *testing.B) {
	for i, d := range Drivers() {
		if d.Status == Unavailable {
			continue
		}
		b.Run(d.DriverName, func(b *testing.B) {
			if _, err := Lookup(d.DriverName); err != nil {
				b.Fatal(err)
			}
			for _, size := range benchKeys(&table[i]) {
				b.Run(fmt.Sprint(8*size), func(b *testing.B) { benchDriver(b, d, size) })
			}
		})
	}
}

// benchKeys returns the key sizes in bytes that are measured: the smallest and
// the largest of a cipher; a hash is measured without a key if it can be.
func benchKeys(r *row) []int {
	low, high, _ := r.keySizes()
	if low == high || low == 0 {
		return []int{low}
	}
	return []int{low, high}
}

// benchLengths returns the lengths that the kernel's drivers were measured at
// by their authors, and 32 bytes, the shortest message that something is stolen
// in.
func benchLengths(d Driver) []int {
	switch {
	case d.Type == TypeCipher:
		return []int{blockSize}
	case d.Type == TypeShash && d.MinKeySize == 0: // BLAKE2
		return []int{32, 64, 100, 500, 1024, 4096}
	}
	long := 1424
	if d.BlockSize == 1 || slices.Contains([]string{"xts(sm4)", "xts-gb(sm4)", "xts(aes)"}, d.Name) {
		long = 1420
	}
	return []int{16, 32, 64, 128, 256, 1024, long, 4096}
}

func benchDriver(b *testing.B, d Driver, keySize int) {
	key := make([]byte, keySize)
	for i := range key {
		key[i] = byte(i)
	}
	iv := make([]byte, d.IVSize)
	for _, op := range benchOperations(b, d, key, iv) {
		b.Run(op.name, func(b *testing.B) {
			for _, n := range benchLengths(d) {
				b.Run(fmt.Sprint(n), func(b *testing.B) {
					run := op.on(make([]byte, n))
					run(1) // the stack grows before the count begins
					b.SetBytes(int64(n))
					b.ResetTimer()
					benchBegins()
					run(b.N)
					benchEnds()
				})
			}
		})
	}
}

// benchBegins and benchEnds are where icount begins and ends to count. The
// timer's own functions do too much besides.
//
//go:noinline
func benchBegins() {}

//go:noinline
func benchEnds() {}

// benchOperation is something that a driver does with a message: on returns what
// does it n times with one.
type benchOperation struct {
	name string
	on   func(buf []byte) func(n int)
}

func benchOperations(b *testing.B, d Driver, key, iv []byte) []benchOperation {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	switch d.Type {
	case TypeCipher:
		c, err := NewCipher(d.DriverName, key)
		must(err)
		return []benchOperation{
			{"encrypt", func(buf []byte) func(int) {
				return func(n int) {
					for range n {
						c.Encrypt(buf, buf)
					}
				}
			}},
			{"decrypt", func(buf []byte) func(int) {
				return func(n int) {
					for range n {
						c.Decrypt(buf, buf)
					}
				}
			}},
		}
	case TypeSkcipher:
		s, err := NewSkcipher(d.DriverName, key)
		must(err)
		return []benchOperation{
			{"encrypt", func(buf []byte) func(int) {
				return func(n int) {
					for range n {
						if err := s.Encrypt(buf, buf, iv); err != nil {
							b.Fatal(err)
						}
					}
				}
			}},
			{"decrypt", func(buf []byte) func(int) {
				return func(n int) {
					for range n {
						if err := s.Decrypt(buf, buf, iv); err != nil {
							b.Fatal(err)
						}
					}
				}
			}},
		}
	case TypeAEAD:
		a, err := NewAEAD(d.DriverName, key, gcmIVSize, blockSize)
		must(err)
		nonce := make([]byte, gcmIVSize)
		return []benchOperation{
			{"seal", func(buf []byte) func(int) {
				sealed := make([]byte, 0, len(buf)+a.Overhead())
				return func(n int) {
					for range n {
						a.Seal(sealed, nonce, buf, nil)
					}
				}
			}},
			{"open", func(buf []byte) func(int) {
				sealed, plain := a.Seal(nil, nonce, buf, nil), make([]byte, 0, len(buf))
				return func(n int) {
					for range n {
						if _, err := a.Open(plain, nonce, sealed, nil); err != nil {
							b.Fatal(err)
						}
					}
				}
			}},
		}
	default:
		h, err := NewHash(d.DriverName, key)
		must(err)
		sum := make([]byte, 0, h.Size())
		return []benchOperation{{"digest", func(buf []byte) func(int) {
			return func(n int) {
				for range n {
					h.Reset()
					h.Write(buf)
					h.Sum(sum)
				}
			}
		}}}
	}
}
