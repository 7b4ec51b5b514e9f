package modes

import (
	"crypto/cipher"
	"fmt"
	"hash"

	"ucrypt/internal/mode"
)

// NewCMAC returns the CMAC (NIST SP 800-38B, RFC 4493, GB/T 15852.1) of a cipher
// with blocks of 16 or of 8 bytes; it panics if they have another size. The MAC
// is a block long. It may be cut: the beginning of it is then the MAC.
//
// Sum may be called at any time and does not change the hash. To compare MACs
// use hmac.Equal or subtle.ConstantTimeCompare. A hash must not be used from two
// goroutines at once.
func NewCMAC(b cipher.Block) hash.Hash {
	checkBlock(b)
	mode.CheckMAC("modes", mode.CMAC, b.BlockSize())
	return mode.NewMAC(mode.CMAC, mode.Of(b))
}

// NewCBCMAC returns the raw CBC-MAC of a cipher with blocks of up to 128 bytes:
// a last block that is not full is filled up with zeros, and the MAC of nothing
// is zeros, as in the kernel's cbcmac(X).
//
// It is secure only if all messages under a key have the same length: with the
// MACs of two messages anybody can make that of a third, longer one. It is a
// building block and a format to be compatible with; use NewCMAC.
func NewCBCMAC(b cipher.Block) hash.Hash {
	checkBlock(b)
	return mode.NewMAC(mode.CBCMAC, mode.Of(b))
}

// NewXCBC returns the AES-XCBC-MAC construction (RFC 3566) with a cipher such as
// sm4.NewCipher or aes.NewCipher, whose blocks have 16 bytes. The key is not
// kept. IPsec cuts the MAC to its first 12 bytes.
//
// The key makes three others, of 16 bytes, of which the first is the cipher's:
// that is why newCipher is called again. NewXCBC returns its errors, which it
// wraps, and one for a cipher with blocks of another size.
func NewXCBC(newCipher func(key []byte) (cipher.Block, error), key []byte) (hash.Hash, error) {
	b, err := newBlock(newCipher, key)
	if err != nil {
		return nil, fmt.Errorf("modes: XCBC key: %w", err)
	}
	if size := b.BlockSize(); size != 16 {
		return nil, fmt.Errorf("modes: XCBC of a cipher with blocks of %d bytes, want 16", size)
	}
	keys := mode.XCBCKeys(ofKey(b, key))
	defer clear(keys[:])
	chain, err := newBlock(newCipher, keys[0][:])
	if err != nil {
		return nil, fmt.Errorf("modes: XCBC needs a cipher that takes keys of 16 bytes: %w", err)
	}
	return mode.NewXCBC(ofKey(chain, keys[0][:]), &keys), nil
}
