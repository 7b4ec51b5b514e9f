package modes

import (
	"crypto/cipher"
	"fmt"
	"hash"
	"strconv"

	"ucrypt/internal/mode"
)

// ESSIV is cipher block chaining with an encrypted iv: the iv that is given,
// most often a sector number, is encrypted first, under a key that is the hash
// of the key. It is the kernel's essiv(cbc(X),H), and no standard has it.
//
// ESSIV is for disks that are encrypted so already (dm-crypt's
// aes-cbc-essiv:sha256); new ones should use XTS. It does not authenticate: a
// changed ciphertext block changes chosen bits of the next plaintext block.
//
// An ESSIV is not changed by use: many goroutines may share it. Its methods do
// not allocate. They write the result to the first len(src) bytes of dst, which
// may be longer. dst may be src exactly. They panic, before anything is
// written, if dst is shorter than src, if dst overlaps src in another way or
// the iv in any, or if the length of src is not a multiple of the block size.
// The constant-time status is that of the cipher and, once, of the hash.
type ESSIV struct {
	e    mode.ESSIV
	size int // of a block
}

// NewESSIV returns the ESSIV of a cipher and a hash, such as aes.NewCipher and
// sha256.New. The key is not kept. crypto/aes's NewCipher is as fast as that of
// ucrypt/aes, as with NewXTS.
//
// The hash's digest is a key of the cipher, of its whole size and never cut:
// the cipher must take keys of that many bytes. SM4, whose keys have 16, works
// with a hash of 16 bytes only, and essiv(cbc(sm4),sha256) does not exist, in
// the kernel neither. NewESSIV returns an error in that case, for the errors
// of newCipher, which it wraps, and for a cipher whose blocks have fewer than 8
// or more than 128 bytes.
func NewESSIV(newCipher func(key []byte) (cipher.Block, error), newHash func() hash.Hash, key []byte) (*ESSIV, error) {
	data, err := newBlock(newCipher, key)
	if err != nil {
		return nil, fmt.Errorf("modes: ESSIV key: %w", err)
	}
	if newHash == nil {
		panic("modes: nil instead of a function that makes a hash")
	}
	h := newHash()
	h.Write(key)
	digest := h.Sum(nil)
	defer clear(digest)
	salt, err := newBlock(newCipher, digest)
	if err != nil {
		return nil, fmt.Errorf("modes: ESSIV needs a cipher that takes the hash of %d bytes as its key: %w", len(digest), err)
	}
	size := data.BlockSize()
	if size < 8 || size > 128 || salt.BlockSize() != size {
		return nil, fmt.Errorf("modes: ESSIV of a cipher with blocks of %d bytes, want 8 to 128", size)
	}
	return &ESSIV{mode.NewESSIV(ofKey(data, key), ofKey(salt, digest)), size}, nil
}

// Encrypt encrypts src, whole blocks, with an iv of the size of a block, which
// is encrypted first. iv is only read; a wrong size panics.
func (e *ESSIV) Encrypt(dst, src, iv []byte) {
	e.check(dst, src, iv)
	mode.EncryptESSIV(&e.e, dst, src, iv)
}

// Decrypt is the inverse of Encrypt.
func (e *ESSIV) Decrypt(dst, src, iv []byte) {
	e.check(dst, src, iv)
	mode.DecryptESSIV(&e.e, dst, src, iv)
}

// EncryptUnits encrypts src as consecutive data units of unitSize bytes, a
// multiple of the block size, that are numbered from first on (modulo 2^64).
// The iv of a unit is its number in little-endian order, filled up with zeros,
// as in dm-crypt. The last unit may be shorter. It panics if unitSize is not a
// positive multiple of the block size.
func (e *ESSIV) EncryptUnits(dst, src []byte, unitSize int, first uint64) {
	e.checkUnits(dst, src, unitSize)
	mode.EncryptESSIVUnits(&e.e, dst, src, unitSize, first)
}

// DecryptUnits is the inverse of EncryptUnits.
func (e *ESSIV) DecryptUnits(dst, src []byte, unitSize int, first uint64) {
	e.checkUnits(dst, src, unitSize)
	mode.DecryptESSIVUnits(&e.e, dst, src, unitSize, first)
}

func (e *ESSIV) check(dst, src, iv []byte) {
	checkIV(iv, e.size)
	e.checkMessage(dst, src, iv)
}

func (e *ESSIV) checkUnits(dst, src []byte, unitSize int) {
	if unitSize < 1 || unitSize%e.size != 0 {
		panic("modes: ESSIV data units of " + strconv.Itoa(unitSize) + " bytes, want a multiple of " + strconv.Itoa(e.size))
	}
	e.checkMessage(dst, src, nil)
}

func (e *ESSIV) checkMessage(dst, src, iv []byte) {
	if len(src)%e.size != 0 {
		panic("modes: input not full blocks")
	}
	checkBuffers(dst, src, iv)
}
