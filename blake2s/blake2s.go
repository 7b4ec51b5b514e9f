package blake2s

import (
	"crypto"
	"errors"
	"hash"

	"ucrypt/internal/blake2s"
)

const (
	// BlockSize is the block size of BLAKE2s in bytes.
	BlockSize = 64

	// Size is the digest size of BLAKE2s-256 in bytes, and the longest that
	// BLAKE2s has.
	Size = 32

	// Size224 is the digest size of BLAKE2s-224 in bytes.
	Size224 = 28

	// Size160 is the digest size of BLAKE2s-160 in bytes.
	Size160 = 20

	// Size128 is the digest size of BLAKE2s-128 in bytes.
	Size128 = 16

	// KeySize is the size of the longest key in bytes.
	KeySize = 32
)

var (
	errKeySize  = errors.New("blake2s: invalid key size")
	errHashSize = errors.New("blake2s: invalid hash size")
)

// As golang.org/x/crypto/blake2s does, for crypto.BLAKE2s_256.New.
func init() {
	crypto.RegisterHash(crypto.BLAKE2s_256, func() hash.Hash { return blake2s.New(Size, nil) })
}

// New256 returns a hash.Hash that computes the BLAKE2s-256 digest. With a key,
// of up to 32 bytes, the hash is a MAC; a nil or empty key is none.
//
// Without a key the result implements encoding.BinaryMarshaler,
// encoding.BinaryAppender and encoding.BinaryUnmarshaler. It always implements
// hash.Cloner.
func New256(key []byte) (hash.Hash, error) { return New(Size, key) }

// New224 is New256 for a digest of 224 bits.
func New224(key []byte) (hash.Hash, error) { return New(Size224, key) }

// New160 is New256 for a digest of 160 bits. It is too short for a hash that
// must resist collisions.
func New160(key []byte) (hash.Hash, error) { return New(Size160, key) }

// New128 is New256 for a digest of 128 bits. It is too short for a hash that
// must resist collisions and good for a MAC, so a key is required; New(Size128,
// nil) does without.
func New128(key []byte) (hash.Hash, error) {
	if len(key) == 0 {
		return nil, errors.New("blake2s: a key is required for a 128-bit hash")
	}
	return New(Size128, key)
}

// New is New256 for a digest of size bytes, from 1 to 32.
func New(size int, key []byte) (hash.Hash, error) {
	if size < 1 || size > Size {
		return nil, errHashSize
	}
	if len(key) > KeySize {
		return nil, errKeySize
	}
	return blake2s.New(size, key), nil
}

// Sum256 returns the BLAKE2s-256 digest of data.
func Sum256(data []byte) (sum [Size]byte) {
	blake2s.Sum(blake2s.Best(), &sum, Size, nil, data)
	return sum
}

// Sum224 returns the BLAKE2s-224 digest of data.
func Sum224(data []byte) (sum [Size224]byte) {
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size224, nil, data)
	copy(sum[:], out[:])
	return sum
}

// Sum160 returns the BLAKE2s-160 digest of data.
func Sum160(data []byte) (sum [Size160]byte) {
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size160, nil, data)
	copy(sum[:], out[:])
	return sum
}

// Sum128 returns the BLAKE2s-128 digest of data.
func Sum128(data []byte) (sum [Size128]byte) {
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size128, nil, data)
	copy(sum[:], out[:])
	return sum
}

// MAC256 returns the BLAKE2s-256 digest of data under key, as New256 does, and
// does not allocate. It panics if the key does not have 1 to 32 bytes.
func MAC256(key, data []byte) (mac [Size]byte) {
	checkMACKey(key)
	blake2s.Sum(blake2s.Best(), &mac, Size, key, data)
	return mac
}

// MAC224 is MAC256 for a digest of 224 bits.
func MAC224(key, data []byte) (mac [Size224]byte) {
	checkMACKey(key)
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size224, key, data)
	copy(mac[:], out[:])
	return mac
}

// MAC160 is MAC256 for a digest of 160 bits.
func MAC160(key, data []byte) (mac [Size160]byte) {
	checkMACKey(key)
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size160, key, data)
	copy(mac[:], out[:])
	return mac
}

// MAC128 is MAC256 for a digest of 128 bits.
func MAC128(key, data []byte) (mac [Size128]byte) {
	checkMACKey(key)
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, Size128, key, data)
	copy(mac[:], out[:])
	return mac
}

// A missing key must not turn a MAC into a hash that anyone can compute.
func checkMACKey(key []byte) {
	if len(key) < 1 || len(key) > KeySize {
		panic("blake2s: invalid key size")
	}
}

// AppendSum appends the digest of size bytes, from 1 to 32, of data to dst. With
// a key, of up to 32 bytes, it is a MAC; a nil or empty key is none. It does not
// allocate if dst has room. dst may overlap data and key.
func AppendSum(dst []byte, size int, key, data []byte) ([]byte, error) {
	if size < 1 || size > Size {
		return nil, errHashSize
	}
	if len(key) > KeySize {
		return nil, errKeySize
	}
	var out [Size]byte
	blake2s.Sum(blake2s.Best(), &out, size, key, data)
	return append(dst, out[:size]...), nil
}
