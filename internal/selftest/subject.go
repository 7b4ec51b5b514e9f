package selftest

import (
	"crypto/cipher"
	"fmt"
	"hash"

	"ucrypt"
)

// skcipher is what the properties use of an skcipher: the methods of *ucrypt.Skcipher.
type skcipher interface {
	Encrypt(dst, src, iv []byte) error
	Decrypt(dst, src, iv []byte) error
	EncryptUnits(dst, src []byte, unitSize int, first uint64) error
	DecryptUnits(dst, src []byte, unitSize int, first uint64) error
}

// subject is what is tested: a driver, or in the engine's own tests a wrong one.
type subject struct {
	driver ucrypt.Driver
	alg    *algorithm

	// The constructor of the driver's type.
	newSkcipher func(key []byte) (skcipher, error)
	newCipher   func(key []byte) (cipher.Block, error)
	newHash     func(key []byte) (hash.Hash, error)
	newAEAD     func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)
}

// newSubject returns the subject of a driver. It is an error if nothing here can test it.
func newSubject(d ucrypt.Driver) (*subject, error) {
	s := &subject{driver: d}
	switch d.Type {
	case ucrypt.TypeSkcipher:
		s.newSkcipher = func(key []byte) (skcipher, error) {
			c, err := ucrypt.NewSkcipher(d.DriverName, key)
			if err != nil {
				return nil, err // not a non-nil interface that holds a nil
			}
			return c, nil
		}
	case ucrypt.TypeCipher:
		s.newCipher = func(key []byte) (cipher.Block, error) { return ucrypt.NewCipher(d.DriverName, key) }
	case ucrypt.TypeShash:
		s.newHash = func(key []byte) (hash.Hash, error) { return ucrypt.NewHash(d.DriverName, key) }
	case ucrypt.TypeAEAD:
		s.newAEAD = func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
			return ucrypt.NewAEAD(d.DriverName, key, nonceSize, tagSize)
		}
	default:
		return nil, fmt.Errorf("the test matrix has no properties for type %s", d.Type)
	}
	var err error
	s.alg, err = newAlgorithm(d.Name)
	return s, err
}
