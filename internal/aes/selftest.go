package aes

import (
	"bytes"
	"errors"

	"ucrypt/internal/kat"
)

// selfTest runs the known answers on each routine of tier t directly, before
// any mode or driver is built on them.
func selfTest(t Tier) error {
	type method func(c, tweak *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool
	routine := func(keys int, f method) kat.Crypt {
		return func(key []byte, decrypt bool, dst, src, iv []byte) error {
			chain := new([BlockSize]byte)
			copy(chain[:], iv)
			half := len(key) / keys
			tweak := NewTier(t, key[len(key)-half:])
			if !f(NewTier(t, key[:half]), tweak, decrypt, dst, src, chain) {
				return errNoRoutine
			}
			copy(iv, chain[:])
			return nil
		}
	}
	for algorithm, crypt := range map[string]kat.Crypt{
		"ecb(aes)": routine(1, func(c, _ *Cipher, decrypt bool, dst, src []byte, _ *[BlockSize]byte) bool {
			if decrypt {
				c.DecryptBlocks(dst, src)
			} else {
				c.EncryptBlocks(dst, src)
			}
			return true
		}),
		"cbc(aes)": routine(1, func(c, _ *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.CBCDecrypt(dst, src, iv)
			}
			return c.CBCEncrypt(dst, src, iv)
		}),
		"cts(cbc(aes))": routine(1, func(c, _ *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.CTSDecrypt(dst, src, iv)
			}
			return c.CTSEncrypt(dst, src, iv)
		}),
		"xts(aes)": routine(2, func(c, tweak *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.XTSDecrypt(tweak, dst, src, iv)
			}
			return c.XTSEncrypt(tweak, dst, src, iv)
		}),
	} {
		if err := kat.CheckAES(algorithm, crypt); err != nil && !errors.Is(err, errNoRoutine) {
			return err
		}
	}
	return xtsUnitsTest(t)
}

// xtsUnitsTest compares data units in one call with one call for each, which the
// known answers have checked.
func xtsUnitsTest(t Tier) error {
	const size, units, first = 47, 11, 1<<64 - 5
	for keySize := 16; keySize <= 32; keySize += 8 {
		c, tweak := NewTier(t, kat.Message(keySize)), NewTier(t, kat.Message(2 * keySize)[keySize:])
		text := kat.Message(size * units)
		for _, decrypt := range []bool{false, true} {
			got, want := make([]byte, len(text)), make([]byte, len(text))
			if !c.xtsUnits(tweak, got, text, size, first, decrypt) {
				return nil
			}
			for i := range units {
				iv := unitIV(first + uint64(i))
				c.xts(tweak, want[i*size:(i+1)*size], text[i*size:(i+1)*size], &iv, decrypt)
			}
			if !bytes.Equal(got, want) {
				return errors.New("xts(aes): data units in one call differ from those in one call each")
			}
		}
	}
	return nil
}

// errNoRoutine tells that package mode builds the mode from other routines,
// which have their own answers.
var errNoRoutine = errors.New("no routine")
