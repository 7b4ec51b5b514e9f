package modes

import (
	stdaes "crypto/aes"
	"crypto/cipher"
	"reflect"

	"ucrypt/internal/aes"
	"ucrypt/internal/mode"
)

// ofKey returns the mode's view of a block that a constructor made of key. For
// a block of crypto/aes, which keeps its key to itself, that is the AES of this
// module with the same key, where it is faster.
//
// The type alone does not tell that the constructor used the key as it was
// given, so the block must also encrypt a test block as the key does. A type
// that wraps one of crypto/aes's is used as it is, whatever it does.
func ofKey(b cipher.Block, key []byte) mode.Cipher {
	if reflect.TypeOf(b) != stdType {
		return mode.Of(b)
	}
	switch len(key) {
	case 16, 24, 32:
	default:
		return mode.Of(b) // of another key, therefore
	}
	c := aes.New(key)
	if c.Tier() == aes.Go {
		return mode.Of(b)
	}
	var test, want [aes.BlockSize]byte
	copy(test[:], "sixteen byte test")
	b.Encrypt(want[:], test[:])
	c.EncryptBlocks(test[:], test[:])
	if test != want {
		return mode.Of(b)
	}
	return mode.AES(c)
}

// stdType is the type of the blocks that crypto/aes makes.
var stdType = func() reflect.Type {
	b, err := stdaes.NewCipher(make([]byte, 16))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(b)
}()
