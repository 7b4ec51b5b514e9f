package modes

import (
	"crypto/cipher"
	"crypto/rand"
	"reflect"
	"slices"

	"ucrypt/internal/alias"
	"ucrypt/internal/mode"
)

// ErrAuthentication is the error of an AEAD's Open for a ciphertext, tag, nonce
// or associated data that do not belong together.
var ErrAuthentication = mode.ErrAuthentication

// NewGCM returns GCM (NIST SP 800-38D, GB/T 36624-2018, RFC 8998) over a cipher
// with blocks of 16 bytes, with nonces of nonceSize bytes, at least 1, and tags
// of tagSize bytes: 4, 8 or 12 to 16. Other sizes are an error.
//
// Take nonces of 12 bytes and tags of 16 where the choice is free. A nonce must
// never be used twice with a key: that gives away the key of the tags, with
// which anybody can forge messages. Nonces of another size are hashed to 16
// bytes, which may collide. A tag of n bytes can be guessed with a probability
// of 2^-8n a try, or better for long messages; those of 4 and of 8 bytes are for
// protocols that limit both (NIST SP 800-38D appendix C).
//
// The AEAD may be used from many goroutines at once. In its calls dst[:0] may
// begin where the input does, for work in place; any other overlap with the
// input, and any with the associated data, panics, as do a nonce of another size
// and a message of more than 2^36 - 32 bytes. Open writes no plaintext before
// the tag has been found right; otherwise it returns ErrAuthentication, and the
// memory of dst that the plaintext would have taken is zero. No call writes
// behind its output.
func NewGCM(b cipher.Block, nonceSize, tagSize int) (cipher.AEAD, error) {
	checkBlock(b)
	if err := mode.CheckGCM("modes", b.BlockSize(), nonceSize, tagSize); err != nil {
		return nil, err
	}
	// AES with whole tags is left to crypto/cipher, which has assembly for it, unless
	// GODEBUG=fips140=only makes it refuse nonces that it did not draw itself.
	if _, ours := b.(*mode.StdBlock); tagSize == 16 && (ours || reflect.TypeOf(b) == stdType) {
		if a, err := cipher.NewGCMWithNonceSize(b, nonceSize); err == nil {
			return stdGCM{a}, nil
		}
	}
	g, err := mode.NewGCM("modes", mode.Of(b), nonceSize, tagSize)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// stdGCM is an AEAD of crypto/cipher with our error.
type stdGCM struct{ cipher.AEAD }

func (g stdGCM) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	opened, err := g.AEAD.Open(dst, nonce, ciphertext, additionalData)
	if err != nil {
		return nil, ErrAuthentication
	}
	return opened, nil
}

// The sizes of the AEAD of NewGCMWithRandomNonce, in bytes.
const (
	randomNonceSize = 12
	randomTagSize   = 16
)

// NewGCMWithRandomNonce returns GCM that draws its nonces itself. Seal puts the
// nonce, of 12 bytes, before the ciphertext and a tag of 16 behind it; Open finds
// it there. NonceSize is 0, and Overhead 28. In place, Open may use the nonce's room
// behind the plaintext.
//
// A key must not seal more than 2^32 messages, so that two of them hardly get
// the same nonce.
func NewGCMWithRandomNonce(b cipher.Block) (cipher.AEAD, error) {
	g, err := NewGCM(b, randomNonceSize, randomTagSize)
	if err != nil {
		return nil, err
	}
	return randomNonce{g}, nil
}

type randomNonce struct{ gcm cipher.AEAD }

func (randomNonce) NonceSize() int { return 0 }
func (randomNonce) Overhead() int  { return randomNonceSize + randomTagSize }

func (g randomNonce) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != 0 {
		panic("modes: a nonce for GCM with random nonces")
	}
	start := len(dst)
	dst = slices.Grow(dst, len(plaintext)+g.Overhead())
	out := dst[start : start+len(plaintext)+g.Overhead()]
	if alias.InexactOverlap(out, plaintext) || alias.AnyOverlap(out, additionalData) {
		panic("modes: invalid buffer overlap")
	}
	body := out[randomNonceSize : randomNonceSize+len(plaintext)]
	if alias.AnyOverlap(out, plaintext) {
		copy(body, plaintext) // makes room for the nonce
		plaintext = body
	}
	rand.Read(out[:randomNonceSize])
	g.gcm.Seal(body[:0], out[:randomNonceSize], plaintext, additionalData)
	return dst[:start+len(out)]
}

func (g randomNonce) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != 0 {
		panic("modes: a nonce for GCM with random nonces")
	}
	if len(ciphertext) < g.Overhead() {
		return nil, ErrAuthentication
	}
	start, n := len(dst), len(ciphertext)-g.Overhead()
	dst = slices.Grow(dst, n)
	out := dst[start : start+n]
	if alias.InexactOverlap(out, ciphertext) || alias.AnyOverlap(out, additionalData) {
		panic("modes: invalid buffer overlap")
	}
	var own [randomNonceSize]byte
	copy(own[:], ciphertext)
	sealed := ciphertext[randomNonceSize:]
	if !alias.AnyOverlap(out, ciphertext) {
		_, err := g.gcm.Open(out[:0], own[:], sealed, additionalData)
		if err != nil {
			return nil, ErrAuthentication
		}
		return dst[:start+n], nil
	}
	// In place: the plaintext comes to lie where the ciphertext is, and is then
	// moved to its beginning.
	opened, err := g.gcm.Open(sealed[:0], own[:], sealed, additionalData)
	if err != nil {
		clear(out)
		return nil, ErrAuthentication
	}
	copy(out, opened)
	return dst[:start+n], nil
}
