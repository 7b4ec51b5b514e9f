package peers

import (
	"crypto/aes"
	"crypto/cipher"
	"hash"
	"slices"

	gmsmcipher "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"
	"golang.org/x/crypto/blake2s"
)

// Task is what all peers are asked to do, with the registry's name of the
// algorithm. Messages are worked on in place; an AEAD's tag comes behind the
// message, and its associated data is AssociatedData.
type Task struct {
	Algorithm string
	Decrypt   bool
	Key, IV   []byte
}

// AssociatedData is what AEADs authenticate besides the message.
var AssociatedData = []byte("8 bytes.")

// Library is a peer. Open returns what does the task n times on a buffer, which for an
// AEAD has 16 bytes more than the message, for a hash 64; nil if it has no such
// thing.
type Library struct {
	Name   string
	Module string // whose version says which it is; empty for Go's own and for C's
	Open   func(t Task, message []byte) (func(n int) error, error)
	// Version of a library that is not a module.
	Version func() string
}

// Libraries returns the peers of this build.
func Libraries() []Library {
	return append([]Library{
		{Name: "gmsm", Module: "github.com/emmansun/gmsm", Open: openGMSM},
		{Name: "crypto/cipher", Open: openStandard},
		{Name: "x/crypto", Module: "golang.org/x/crypto", Open: openXCrypto},
		{Name: "aescts", Module: "github.com/jcmturner/aescts/v2", Open: openAESCTS},
	}, cLibraries()...)
}

// times does f n times.
func times(f func() error) func(n int) error {
	return func(n int) error {
		for range n {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

func openGMSM(t Task, buf []byte) (func(n int) error, error) {
	mode, is := stripCipher(t.Algorithm, "sm4")
	if !is {
		return nil, nil
	}
	switch {
	case slices.Contains(Modes, mode):
		crypt, err := GMSM(mode, t.Decrypt, t.Key)
		if err != nil {
			return nil, err
		}
		return times(func() error { crypt(buf, t.IV); return nil }), nil
	case mode == "xts":
		half := len(t.Key) / 2
		return times(func() error {
			m, err := newXTS(t.Key[:half], t.Key[half:], t.IV, t.Decrypt)
			if err != nil {
				return err
			}
			m.CryptBlocks(buf, buf)
			return nil
		}), nil
	case mode == "gcm" || mode == "ccm":
		b, err := sm4.NewCipher(t.Key)
		if err != nil {
			return nil, err
		}
		a, err := cipher.NewGCM(b)
		if mode == "ccm" {
			a, err = gmsmcipher.NewCCM(b)
		}
		if err != nil || t.Decrypt {
			return nil, err
		}
		if mode == "ccm" {
			// In place, gmsm v0.44.0 authenticates the ciphertext instead of the message.
			text, out := buf[:len(buf)-a.Overhead()], make([]byte, len(buf))
			return times(func() error {
				a.Seal(out[:0], t.IV[:a.NonceSize()], text, AssociatedData)
				copy(buf, out)
				return nil
			}), nil
		}
		return seal(a, t, buf), nil
	}
	return nil, nil
}

func newXTS(key, tweakKey, iv []byte, decrypt bool) (cipher.BlockMode, error) {
	if decrypt {
		return gmsmcipher.NewXTSDecrypter(sm4.NewCipher, key, tweakKey, iv)
	}
	return gmsmcipher.NewXTSEncrypter(sm4.NewCipher, key, tweakKey, iv)
}

// seal is an AEAD's encryption of all but the last 16 bytes of buf.
func seal(a cipher.AEAD, t Task, buf []byte) func(n int) error {
	text := buf[:len(buf)-a.Overhead()]
	return times(func() error { a.Seal(text[:0], t.IV[:a.NonceSize()], text, AssociatedData); return nil })
}

func openStandard(t Task, buf []byte) (func(n int) error, error) {
	switch {
	case t.Algorithm == "cbc(aes)":
		return openAES("crypto/cipher", t, buf)
	case t.Algorithm == "gcm(aes)" && !t.Decrypt:
		b, err := aes.NewCipher(t.Key)
		if err != nil {
			return nil, err
		}
		a, err := cipher.NewGCM(b)
		if err != nil {
			return nil, err
		}
		return seal(a, t, buf), nil
	}
	return nil, nil
}

func openXCrypto(t Task, buf []byte) (func(n int) error, error) {
	switch t.Algorithm {
	case "xts(aes)":
		return openAES("x/crypto/xts", t, buf)
	case "blake2s-256":
		h, err := blake2s.New256(nil)
		return hashing(h, buf), err
	}
	return nil, nil
}

func openAESCTS(t Task, buf []byte) (func(n int) error, error) {
	if t.Algorithm == "cts(cbc(aes))" {
		return openAES("aescts", t, buf)
	}
	return nil, nil
}

func openAES(peer string, t Task, buf []byte) (func(n int) error, error) {
	crypt, err := OpenAES(peer, t.Decrypt, t.Key)
	if err != nil {
		return nil, err
	}
	return times(func() error { return crypt(buf, t.IV) }), nil
}

// hashing hashes all but the last 64 bytes of buf, and puts the digest there.
func hashing(h hash.Hash, buf []byte) func(n int) error {
	text := buf[:len(buf)-64]
	return times(func() error {
		h.Reset()
		h.Write(text)
		h.Sum(buf[len(text):len(text)])
		return nil
	})
}

// stripCipher returns the mode of an algorithm over a cipher.
func stripCipher(algorithm, cipher string) (mode string, ok bool) {
	suffix := "(" + cipher + ")"
	if len(algorithm) <= len(suffix) || algorithm[len(algorithm)-len(suffix):] != suffix {
		return "", false
	}
	return algorithm[:len(algorithm)-len(suffix)], true
}
