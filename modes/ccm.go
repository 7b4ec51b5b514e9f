package modes

import (
	"crypto/cipher"

	"ucrypt/internal/mode"
)

// NewCCM returns CCM (NIST SP 800-38C, RFC 3610, RFC 8998) over a cipher with
// blocks of 16 bytes, with nonces of 7 to 13 bytes and tags of 4, 6, 8, 10, 12,
// 14 or 16. Other sizes are an error.
//
// The nonce and the length of the message share a block: the longer the nonce,
// the shorter the messages. With 13 bytes a message has less than 64 KiB, with
// 12 less than 16 MiB, with 11 less than 4 GiB. Seal panics for a longer one
// before it writes anything, and Open returns ErrAuthentication. A nonce must
// never be used twice with a key.
//
// CCM encrypts every block twice, once in CBC-MAC, where a block waits for the
// one before: where the choice is free, take GCM, which is faster by far.
//
// The AEAD may be used from many goroutines at once. Its rules for buffers are
// those of NewGCM's.
func NewCCM(b cipher.Block, nonceSize, tagSize int) (cipher.AEAD, error) {
	checkBlock(b)
	if err := mode.CheckCCM("modes", b.BlockSize(), nonceSize, tagSize); err != nil {
		return nil, err
	}
	m, err := mode.NewCCM("modes", mode.Of(b), nonceSize, tagSize)
	if err != nil {
		return nil, err
	}
	return m, nil
}
