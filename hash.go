package ucrypt

import (
	"hash"

	"golang.org/x/crypto/blake2b"

	"ucrypt/internal/blake2s"
	"ucrypt/internal/ghash"
	"ucrypt/internal/mode"
)

// NewHash returns the hash of an algorithm such as "blake2s-256", or the MAC of
// one such as "cmac(sm4)", or that of one of their drivers. The key is copied:
// for cmac, xcbc and cbcmac it is the cipher's, for ghash it has 16 bytes. With a
// key of up to 32 bytes for blake2s, up to 64 for blake2b, the hash is the keyed
// one, a MAC; a nil or empty key leaves it unkeyed. Errors are those of Lookup,
// and a *KeySizeError.
//
// The hash must not be used from two goroutines at once. Those of blake2s are
// constant-time: no branch or address depends on the key or on the data. cbcmac
// and ghash are building blocks: they authenticate nothing by themselves.
func NewHash(name string, key []byte) (hash.Hash, error) {
	r, d, err := open(name, TypeShash, key)
	if err != nil {
		return nil, err
	}
	h, err := r.hash(key)
	if err != nil {
		return nil, err
	}
	return cryptdHash(&d, h), nil
}

// hash returns the row's hash for a key of a right length.
func (r *row) hash(key []byte) (hash.Hash, error) {
	switch r.algorithm {
	case ghashHash:
		return ghash.NewHash(r.tier.(ghash.Tier), (*[ghash.BlockSize]byte)(key)), nil
	case cmac:
		return mode.NewMAC(mode.CMAC, r.cipher(key)), nil
	case cbcmac:
		return mode.NewMAC(mode.CBCMAC, r.cipher(key)), nil
	case xcbc:
		keys := mode.XCBCKeys(r.cipher(key))
		defer clear(keys[:])
		return mode.NewXCBC(r.cipher(keys[0][:]), &keys), nil
	}
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
