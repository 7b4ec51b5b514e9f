package ucrypt

import (
	"hash"

	"golang.org/x/crypto/blake2b"

	"ucrypt/internal/blake2s"
)

// NewHash returns the hash of an algorithm such as "blake2s-256" or of one of
// its drivers. With a key it is the keyed hash, a MAC; a nil or empty key leaves
// a hash unkeyed. The key is copied: up to 32 bytes for blake2s, up to 64 for
// blake2b. Errors are those of Lookup, and a *KeySizeError.
//
// The hash must not be used from two goroutines at once. Those of blake2s are
// constant-time: no branch or address depends on the key or on the data.
func NewHash(name string, key []byte) (hash.Hash, error) {
	r, _, err := open(name, TypeShash, key)
	if err != nil {
		return nil, err
	}
	return r.hash(key)
}

// hash returns the row's hash for a key of a right length.
func (r *row) hash(key []byte) (hash.Hash, error) {
	if t, ok := r.tier.(blake2s.Tier); ok {
		return blake2s.NewTier(t, r.digest, key), nil
	}
	return blake2b.New(r.digest, key)
}

// blake2bTier is golang.org/x/crypto/blake2b, which chooses its own code for the
// processor.
type blake2bTier struct{}

func (blake2bTier) Available() error   { return nil }
func (blake2bTier) SelfTest() error    { return nil } // each driver has its own answers
func (blake2bTier) Features() []string { return nil }
func (blake2bTier) ConstantTime() bool { return true } // BLAKE2 has no tables and no secret branches
