package selftest

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// textbookSM4 is SM4 as GB/T 32907-2016 defines it, one block at a time and without any
// table but the S-box, which is worked out from its algebraic definition. It is what all
// SM4 drivers, the generic one included, are compared with.
type textbookSM4 struct {
	key  [32]uint32
	sbox *[256]byte
}

func newTextbookSM4(key []byte) *textbookSM4 {
	c := &textbookSM4{sbox: sbox()}
	var x [4]uint32
	for i, fk := range [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		x[i] = binary.BigEndian.Uint32(key[4*i:]) ^ fk
	}
	for i := range c.key {
		var ck uint32 // bytes (4i+j)*7
		for j := range 4 {
			ck = ck<<8 | uint32(byte((4*i+j)*7))
		}
		t := c.tau(x[1] ^ x[2] ^ x[3] ^ ck)
		c.key[i] = x[0] ^ t ^ bits.RotateLeft32(t, 13) ^ bits.RotateLeft32(t, 23)
		x = [4]uint32{x[1], x[2], x[3], c.key[i]}
	}
	return c
}

// TextbookSM4 returns the S-box and a key's round keys, which are all that a plain
// implementation needs to be compared with.
func TextbookSM4(key []byte) (sbox *[256]byte, roundKeys [32]uint32) {
	c := newTextbookSM4(key)
	return c.sbox, c.key
}

func (c *textbookSM4) BlockSize() int          { return 16 }
func (c *textbookSM4) Encrypt(dst, src []byte) { c.crypt(dst, src, 0) }
func (c *textbookSM4) Decrypt(dst, src []byte) { c.crypt(dst, src, 31) }

// crypt takes round key i ^ flip in round i: in reverse order for decryption.
func (c *textbookSM4) crypt(dst, src []byte, flip int) {
	var x [4]uint32
	for i := range x {
		x[i] = binary.BigEndian.Uint32(src[4*i:])
	}
	for i := range c.key {
		t := c.tau(x[1] ^ x[2] ^ x[3] ^ c.key[i^flip])
		t ^= bits.RotateLeft32(t, 2) ^ bits.RotateLeft32(t, 10) ^ bits.RotateLeft32(t, 18) ^ bits.RotateLeft32(t, 24)
		x = [4]uint32{x[1], x[2], x[3], x[0] ^ t}
	}
	for i := range x {
		binary.BigEndian.PutUint32(dst[4*i:], x[3-i])
	}
}

func (c *textbookSM4) tau(x uint32) uint32 {
	s := c.sbox
	return uint32(s[x>>24])<<24 | uint32(s[x>>16&255])<<16 | uint32(s[x>>8&255])<<8 | uint32(s[x&255])
}

// sbox is S(x) = A(1/A'(x)) + 0xd3 with A'(x) = A(x) + 0xd3: 1/x is the inverse in
// GF(2^8) modulo x^8+x^7+x^6+x^5+x^4+x^2+1, 0 for 0, and A the circulant matrix of
// 1 + x + x^3 + x^6 + x^7.
var sbox = sync.OnceValue(func() *[256]byte {
	affine := func(x byte) byte {
		return x ^ bits.RotateLeft8(x, 1) ^ bits.RotateLeft8(x, 3) ^ bits.RotateLeft8(x, 6) ^ bits.RotateLeft8(x, 7) ^ 0xd3
	}
	multiply := func(a, b byte) (p byte) {
		for ; b > 0; b >>= 1 {
			if b&1 == 1 {
				p ^= a
			}
			carry := a >> 7
			a = a<<1 ^ carry*0xf5
		}
		return p
	}
	s := new([256]byte)
	for x := range s {
		inverse := byte(1)
		for range 254 { // x^254 = 1/x
			inverse = multiply(inverse, affine(byte(x)))
		}
		s[x] = affine(inverse)
	}
	return s
})
