package sm4

import (
	"bytes"
	"encoding/binary"
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
	if err := unitsTest(t); err != nil {
		return err
	}
	return manyTest(t)
}

// unitsTest compares data units in one call with one call for each, which the
// known answers have checked.
func unitsTest(t Tier) error {
	const units, first = 11, 1<<64 - 5
	key := kat.Message(2 * KeySize)
	c, tweak := NewTier(t, (*[KeySize]byte)(key)), NewTier(t, (*[KeySize]byte)(key[KeySize:]))
	for _, size := range []int{47, 512} {
		text := kat.Message(size * units)
		for _, decrypt := range []bool{false, true} {
			got, want := make([]byte, len(text)), make([]byte, len(text))
			all, one := c.XTSEncryptUnits, c.XTSEncrypt
			if decrypt {
				all, one = c.XTSDecryptUnits, c.XTSDecrypt
			}
			if !all(tweak, got, text, size, first, false) {
				return nil
			}
			for i := range units {
				var iv [BlockSize]byte
				binary.LittleEndian.PutUint64(iv[:], first+uint64(i))
				one(tweak, want[i*size:(i+1)*size], text[i*size:(i+1)*size], &iv, false)
			}
			if !bytes.Equal(got, want) {
				return fmt.Errorf("xts(sm4), units of %d bytes: wrong output", size)
			}
		}
	}
	return nil
}

// manyTest compares many messages in one call with one call for each.
func manyTest(t Tier) error {
	c := NewTier(t, (*[KeySize]byte)(kat.Message(KeySize)))
	for _, n := range []int{5, manyLanes + 3} {
		messages := make([]Message, n)
		for i := range messages {
			text := kat.Message(BlockSize * (i%7 + 1))
			messages[i] = Message{Dst: make([]byte, len(text)), Src: text, IV: &[BlockSize]byte{byte(i)}}
		}
		if !c.CBCEncryptMany(messages) {
			return nil
		}
		for i, m := range messages {
			iv := [BlockSize]byte{byte(i)}
			want := make([]byte, len(m.Src))
			c.CBCEncrypt(want, m.Src, &iv)
			if !bytes.Equal(m.Dst, want) || *m.IV != iv {
				return fmt.Errorf("cbc(sm4), %d messages at once: wrong output", n)
			}
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
