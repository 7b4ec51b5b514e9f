package sm4

import (
	"errors"
	"fmt"

	"ucrypt/internal/kat"
)

// selfTest runs the known answers on each routine of tier t directly, before
// any mode or driver is built on them.
func selfTest(t Tier) error {
	if t != Generic && !expand(t, &[KeySize]byte{}, new(Schedule), new(Schedule)) {
		return fmt.Errorf("tier %s has no key expansion", t)
	}
	block := func(f func(c *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool) kat.Crypt {
		return func(key []byte, decrypt bool, dst, src, iv []byte) error {
			chain := new([BlockSize]byte)
			copy(chain[:], iv)
			if !f(NewTier(t, (*[KeySize]byte)(key)), decrypt, dst, src, chain) {
				return errNoRoutine
			}
			copy(iv, chain[:])
			return nil
		}
	}
	routines := []struct {
		algorithm string
		crypt     kat.Crypt
		tails     bool // takes messages that do not end on a block boundary
	}{
		{"ecb(sm4)", block(func(c *Cipher, decrypt bool, dst, src []byte, _ *[BlockSize]byte) bool {
			if decrypt {
				c.DecryptBlocks(dst, src)
			} else {
				c.EncryptBlocks(dst, src)
			}
			return true
		}), false},
		{"cbc(sm4)", block(func(c *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.CBCDecrypt(dst, src, iv)
			}
			return c.CBCEncrypt(dst, src, iv)
		}), false},
		{"cfb(sm4)", block(func(c *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.CFBDecrypt(dst, src, iv)
			}
			return c.CFBEncrypt(dst, src, iv)
		}), false},
		{"ctr(sm4)", block(func(c *Cipher, _ bool, dst, src []byte, iv *[BlockSize]byte) bool {
			return c.CTR(dst, src, iv)
		}), false},
		{"cts(cbc(sm4))", block(func(c *Cipher, decrypt bool, dst, src []byte, iv *[BlockSize]byte) bool {
			if decrypt {
				return c.CTSDecrypt(dst, src, iv)
			}
			return c.CTSEncrypt(dst, src, iv)
		}), true},
		{"xts(sm4)", xtsCrypt(t, false), true},
		{"xts-gb(sm4)", xtsCrypt(t, true), true},
	}
	for _, r := range routines {
		if err := kat.Check(r.algorithm, !r.tails, r.crypt); err != nil && !errors.Is(err, errNoRoutine) {
			return err
		}
	}
	return nil
}

// errNoRoutine tells that package mode builds the mode from other routines,
// which have their own answers.
var errNoRoutine = errors.New("no routine")

// xtsCrypt is XTS of tier t, whose key is the data's and then the tweak's.
func xtsCrypt(t Tier, gb bool) kat.Crypt {
	return func(key []byte, decrypt bool, dst, src, iv []byte) error {
		data, tweak := NewTier(t, (*[KeySize]byte)(key)), NewTier(t, (*[KeySize]byte)(key[KeySize:]))
		f := data.XTSEncrypt
		if decrypt {
			f = data.XTSDecrypt
		}
		if !f(tweak, dst, src, (*[BlockSize]byte)(iv), gb) {
			return errNoRoutine
		}
		return nil
	}
}
