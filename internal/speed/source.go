package speed

import (
	"crypto/cipher"
	"fmt"
	"hash"
	"strings"

	"ucrypt"
)

// Source is where drivers come from.
type Source struct {
	Drivers func() []ucrypt.Driver
	Lookup  func(name string) (ucrypt.Driver, error)
	// Open prepares messages of a length for a driver, with a key of keyBits.
	Open func(d ucrypt.Driver, op Op, keyBits, bytes int) (Work, error)
	// OpenUpdates is Open for a hash that is given its message in updates of a length.
	OpenUpdates func(d ucrypt.Driver, bytes, update int) (Work, error)
	// OpenMany prepares a number of messages of a length, all of which each operation
	// works on.
	OpenMany func(d ucrypt.Driver, op Op, keyBits, bytes, messages int) (Work, error)
	// OpenQueued is Open and OpenUpdates, with a queue; release ends it. Nil means that there are no
	// queues.
	OpenQueued func(d ucrypt.Driver, op Op, keyBits, bytes, update int, q Queued) (w Work, release func(), err error)
	// Queue is how Measure sends messages.
	Queue Queued
}

// Registry is the Source of ucrypt's own drivers.
var Registry = Source{Drivers: ucrypt.Drivers, Lookup: ucrypt.Lookup, Open: open, OpenUpdates: openUpdates, OpenMany: openMany, OpenQueued: openQueued}

// associated is the length of associated data, as tcrypt has it for gcm; for
// rfc4309 it has twice that, half of which is the iv.
const associated = 8

// open works in place, as tcrypt does, and through the registry's API, so that
// its checks are part of the figures.
func open(d ucrypt.Driver, op Op, keyBits, bytes int) (Work, error) {
	key := pattern(keyBits / 8)
	switch d.Type {
	case ucrypt.TypeCipher:
		b, err := ucrypt.NewCipher(d.DriverName, key)
		if err != nil {
			return nil, err
		}
		buf := pattern(b.BlockSize())
		if op == Decrypt {
			return func(n int) error {
				for range n {
					b.Decrypt(buf, buf)
				}
				return nil
			}, nil
		}
		return func(n int) error {
			for range n {
				b.Encrypt(buf, buf)
			}
			return nil
		}, nil

	case ucrypt.TypeSkcipher:
		s, err := ucrypt.NewSkcipher(d.DriverName, key)
		if err != nil {
			return nil, err
		}
		buf, iv := pattern(bytes), pattern(d.IVSize)
		if op == Decrypt {
			return func(n int) error {
				for range n {
					if err := s.Decrypt(buf, buf, iv); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		return func(n int) error {
			for range n {
				if err := s.Encrypt(buf, buf, iv); err != nil {
					return err
				}
			}
			return nil
		}, nil

	case ucrypt.TypeAEAD:
		a, nonce, data, err := openAEAD(d, key)
		if err != nil {
			return nil, err
		}
		text := pattern(bytes)
		sealed := a.Seal(nil, nonce, text, data)
		if op == Decrypt {
			return func(n int) error {
				for range n {
					if _, err := a.Open(text[:0], nonce, sealed, data); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		return func(n int) error {
			for range n {
				a.Seal(sealed[:0], nonce, text, data)
			}
			return nil
		}, nil

	case ucrypt.TypeShash:
		if keyBits == 0 {
			key = nil
		}
		h, err := ucrypt.NewHash(d.DriverName, key)
		if err != nil {
			return nil, err
		}
		return hashWork(h, bytes), nil
	}
	return nil, errNotMeasured(d)
}

func errNotMeasured(d ucrypt.Driver) error {
	return fmt.Errorf("speed: %s is of type %s, which cannot be measured", d.DriverName, d.Type)
}

// openAEAD returns an AEAD with a nonce and associated data for it.
func openAEAD(d ucrypt.Driver, key []byte) (a cipher.AEAD, nonce, data []byte, err error) {
	nonce, data = pattern(min(d.IVSize, 12)), pattern(associated) // ccm has an iv of 16 with a nonce in it
	name := d.DriverName
	if inner, ok := inIPsec(name); ok {
		name, key, nonce = inner, key[:len(key)-ipsecSalt], pattern(ipsecNonce)
	}
	a, err = ucrypt.NewAEAD(name, key, len(nonce), d.MaxTagSize)
	return a, nonce, data, err
}

// hashWork hashes messages of a length.
func hashWork(h hash.Hash, bytes int) Work {
	text, sum := pattern(bytes), make([]byte, 0, h.Size())
	return func(n int) error {
		for range n {
			h.Reset()
			h.Write(text)
			sum = h.Sum(sum[:0])
		}
		return nil
	}
}

// pattern is n bytes that are not all alike: xts may refuse equal key halves.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

// ops are the operations of a driver.
func ops(d ucrypt.Driver) []Op {
	if d.Type == ucrypt.TypeShash {
		return []Op{Digest}
	}
	return []Op{Encrypt, Decrypt}
}

// length is what a message of asked bytes is rounded to: whole blocks for the
// modes that the kernel gives a block size, as tcrypt does it, and the one
// block of a cipher.
func length(d ucrypt.Driver, asked int) int {
	switch {
	case d.Type == ucrypt.TypeCipher:
		return d.BlockSize
	case d.Type == ucrypt.TypeSkcipher && d.BlockSize > 1:
		return max(1, (asked+d.BlockSize-1)/d.BlockSize) * d.BlockSize
	}
	return asked
}

// keySizes are the key sizes to try, in bits; the driver may refuse some. A
// hash that works without a key is measured without.
func keySizes(d ucrypt.Driver) []int {
	if d.Type == ucrypt.TypeShash && d.MinKeySize == 0 {
		return []int{0}
	}
	step := 8
	if strings.HasPrefix(d.Name, "xts") {
		step = 32 // two keys; tcrypt leaves the one of 2 x 192 bits out too
	}
	var sizes []int
	for n := d.MinKeySize; n <= d.MaxKeySize; n += step {
		sizes = append(sizes, n*8)
	}
	return sizes
}
