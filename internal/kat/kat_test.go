package kat_test

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"ucrypt/internal/kat"
	"ucrypt/internal/sm4"
)

// block is generic SM4, over which crypto/cipher builds its own modes.
type block struct{ c *sm4.Cipher }

func (b block) BlockSize() int          { return sm4.BlockSize }
func (b block) Encrypt(dst, src []byte) { b.c.EncryptBlocks(dst[:16], src[:16]) }
func (b block) Decrypt(dst, src []byte) { b.c.DecryptBlocks(dst[:16], src[:16]) }

func newBlock(key []byte) block { return block{sm4.NewTier(sm4.Generic, (*[16]byte)(key))} }

// right are implementations that share nothing with package mode.
var right = map[string]kat.Crypt{
	"ecb(sm4)": func(key []byte, decrypt bool, dst, src, _ []byte) error {
		b := newBlock(key)
		for i := 0; i < len(src); i += 16 {
			if decrypt {
				b.Decrypt(dst[i:], src[i:])
			} else {
				b.Encrypt(dst[i:], src[i:])
			}
		}
		return nil
	},
	"cbc(sm4)": func(key []byte, decrypt bool, dst, src, iv []byte) error {
		last := bytes.Clone(src[len(src)-16:])
		if decrypt {
			cipher.NewCBCDecrypter(newBlock(key), iv).CryptBlocks(dst, src)
			copy(iv, last)
		} else {
			cipher.NewCBCEncrypter(newBlock(key), iv).CryptBlocks(dst, src)
			copy(iv, dst[len(src)-16:])
		}
		return nil
	},
	"cfb(sm4)": func(key []byte, decrypt bool, dst, src, iv []byte) error {
		ciphertext := bytes.Clone(src)
		if decrypt {
			cipher.NewCFBDecrypter(newBlock(key), iv).XORKeyStream(dst, src)
		} else {
			cipher.NewCFBEncrypter(newBlock(key), iv).XORKeyStream(dst, src)
			copy(ciphertext, dst)
		}
		if whole := len(src) / 16 * 16; whole > 0 {
			copy(iv, ciphertext[whole-16:])
		}
		return nil
	},
	"ctr(sm4)": func(key []byte, _ bool, dst, src, iv []byte) error {
		cipher.NewCTR(newBlock(key), iv).XORKeyStream(dst, src)
		low := binary.BigEndian.Uint64(iv[8:])
		next := low + uint64(len(src)+15)/16
		binary.BigEndian.PutUint64(iv[8:], next)
		if next < low {
			binary.BigEndian.PutUint64(iv, binary.BigEndian.Uint64(iv)+1)
		}
		return nil
	},
}

func TestAnswers(t *testing.T) {
	for algorithm, crypt := range right {
		for _, wholeBlocks := range []bool{false, true} {
			if err := kat.Check(algorithm, wholeBlocks, crypt); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestUnknownAlgorithm(t *testing.T) {
	err := kat.Check("nosuch(sm4)", false, right["ecb(sm4)"])
	if err == nil || err.Error() != "no known answers for nosuch(sm4)" {
		t.Errorf("error %v", err)
	}
}

// With wholeBlocks a routine meets whole blocks only, and no counter whose low
// 32 bits wrap; without, it meets both.
func TestWholeBlocks(t *testing.T) {
	for algorithm, crypt := range right {
		for _, wholeBlocks := range []bool{false, true} {
			partial, wraps := false, false
			kat.Check(algorithm, wholeBlocks, func(key []byte, decrypt bool, dst, src, iv []byte) error {
				partial = partial || len(src)%16 != 0
				if algorithm == "ctr(sm4)" {
					first := binary.BigEndian.Uint32(iv[12:])
					wraps = wraps || first+uint32((len(src)+15)/16) < first
				}
				return crypt(key, decrypt, dst, src, iv)
			})
			stream := algorithm == "cfb(sm4)" || algorithm == "ctr(sm4)"
			if partial != (stream && !wholeBlocks) {
				t.Errorf("%s, whole blocks %v: partial blocks %v", algorithm, wholeBlocks, partial)
			}
			if wraps != (algorithm == "ctr(sm4)" && !wholeBlocks) {
				t.Errorf("%s, whole blocks %v: a counter wraps %v", algorithm, wholeBlocks, wraps)
			}
		}
	}
}

// Every way to be wrong is found.
func TestDamage(t *testing.T) {
	broken := errors.New("broken")
	for algorithm, crypt := range right {
		for _, c := range []struct {
			name, want string
			damage     func(decrypt bool, dst, iv []byte) error
			chained    bool // an algorithm without iv cannot have this one
		}{
			{"the last byte of a ciphertext", "encryption gives a wrong ciphertext", func(decrypt bool, dst, iv []byte) error {
				if !decrypt {
					dst[len(dst)-1] ^= 1
				}
				return nil
			}, false},
			{"a bit of a plaintext", "decryption gives a wrong plaintext", func(decrypt bool, dst, iv []byte) error {
				if decrypt {
					dst[0] ^= 0x80
				}
				return nil
			}, false},
			{"the next iv of encryption", "encryption gives a wrong next iv", func(decrypt bool, dst, iv []byte) error {
				if !decrypt {
					iv[0] ^= 1
				}
				return nil
			}, true},
			{"the next iv of decryption", "decryption gives a wrong next iv", func(decrypt bool, dst, iv []byte) error {
				if decrypt {
					iv[15] ^= 1
				}
				return nil
			}, true},
			{"an error of encryption", "encryption: broken", func(decrypt bool, dst, iv []byte) error {
				if !decrypt {
					return broken
				}
				return nil
			}, false},
			{"an error of decryption", "decryption: broken", func(decrypt bool, dst, iv []byte) error {
				if decrypt {
					return broken
				}
				return nil
			}, false},
			{"long messages only", "encryption gives a wrong ciphertext", func(decrypt bool, dst, iv []byte) error {
				if len(dst) > 4000 {
					dst[2000] ^= 1
				}
				return nil
			}, false},
		} {
			if c.chained && algorithm == "ecb(sm4)" {
				continue
			}
			err := kat.Check(algorithm, false, func(key []byte, decrypt bool, dst, src, iv []byte) error {
				if err := crypt(key, decrypt, dst, src, iv); err != nil {
					return err
				}
				return c.damage(decrypt, dst, iv)
			})
			switch {
			case err == nil:
				t.Errorf("%s: %s was not found", algorithm, c.name)
			case !strings.HasPrefix(err.Error(), algorithm+", ") || !strings.HasSuffix(err.Error(), c.want):
				t.Errorf("%s: %s: error %q, want it to end in %q", algorithm, c.name, err, c.want)
			case strings.HasPrefix(c.name, "an error") && !errors.Is(err, broken):
				t.Errorf("%s: %s is not wrapped", algorithm, c.name)
			}
		}
	}
}

func TestMessage(t *testing.T) {
	long := kat.Message(5000)
	for _, n := range []int{0, 1, 16, 300} {
		if !bytes.Equal(kat.Message(n), long[:n]) {
			t.Errorf("the message of %d bytes does not begin the longer ones", n)
		}
	}
	// No two blocks within a stride are equal: a routine that mixes them up is
	// found.
	seen := map[string]int{}
	for i := 0; i+16 <= len(long); i += 16 {
		if j, ok := seen[string(long[i:i+16])]; ok && i-j < 1024 {
			t.Errorf("bytes %d and %d begin equal blocks", j, i)
		}
		seen[string(long[i:i+16])] = i
	}
}
