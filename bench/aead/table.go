package main

import (
	"encoding/binary"
	"math/bits"

	"ucrypt/bench/bars"
	"ucrypt/internal/speed"
)

// oneTable is the side of a CBC-MAC as it is written from the standard: the S-box
// is the only table, of 256 bytes, and the linear layer is made of rotations.
// (sm4-generic has four tables of 1 KiB, into which the linear layer is merged.)
func oneTable() side {
	return side{"CBC-MAC, one table", func(b *buffers) (speed.Work, error) {
		rk := expand(bars.Pattern(16))
		var mac [4]uint32
		return func(n int) error {
			for range n {
				mac = cbcMAC(&rk, b.text)
			}
			_ = mac
			return nil
		}, nil
	}}
}

// sbox is GB/T 32907-2016, 6.2.1: A(1/(A(x)+c))+c in the field of
// x^8+x^7+x^6+x^5+x^4+x^2+1, with c = d3 and the rows of A the rotations of a7.
var sbox = func() (s [256]byte) {
	affine := func(x byte) (y byte) {
		for i := range 8 {
			y |= byte(bits.OnesCount8(bits.RotateLeft8(0xa7, i)&x)&1) << i
		}
		return y ^ 0xd3
	}
	multiply := func(x, y byte) (z byte) {
		for ; y != 0; y >>= 1 {
			z ^= x * (y & 1)
			x = x<<1 ^ x>>7*0xf5
		}
		return z
	}
	for x := range s {
		inverse := byte(1) // the power of 254
		for range 254 {
			inverse = multiply(inverse, affine(byte(x)))
		}
		s[x] = affine(inverse)
	}
	return s
}()

func substitute(x uint32) uint32 {
	return uint32(sbox[x>>24])<<24 | uint32(sbox[x>>16&0xff])<<16 | uint32(sbox[x>>8&0xff])<<8 | uint32(sbox[x&0xff])
}

// round is the part of a round that is added to a word.
func round(x uint32) uint32 {
	s := substitute(x)
	return s ^ bits.RotateLeft32(s, 2) ^ bits.RotateLeft32(s, 10) ^ bits.RotateLeft32(s, 18) ^ bits.RotateLeft32(s, 24)
}

func expand(key []byte) (rk [32]uint32) {
	k := words(key)
	for i, fk := range [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		k[i] ^= fk
	}
	for i := range rk {
		var ck uint32
		for j := range 4 {
			ck = ck<<8 | uint32(byte((4*i+j)*7))
		}
		s := substitute(k[(i+1)&3] ^ k[(i+2)&3] ^ k[(i+3)&3] ^ ck)
		k[i&3] ^= s ^ bits.RotateLeft32(s, 13) ^ bits.RotateLeft32(s, 23)
		rk[i] = k[i&3]
	}
	return rk
}

func words(b []byte) (w [4]uint32) {
	for i := range w {
		w[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return w
}

// cbcMAC returns the last block, as words, of CBC with a zero iv over whole blocks.
func cbcMAC(rk *[32]uint32, text []byte) (mac [4]uint32) {
	x0, x1, x2, x3 := uint32(0), uint32(0), uint32(0), uint32(0)
	for ; len(text) >= 16; text = text[16:] {
		x0 ^= binary.BigEndian.Uint32(text)
		x1 ^= binary.BigEndian.Uint32(text[4:])
		x2 ^= binary.BigEndian.Uint32(text[8:])
		x3 ^= binary.BigEndian.Uint32(text[12:])
		for i := 0; i < len(rk); i += 4 {
			x0 ^= round(x1 ^ x2 ^ x3 ^ rk[i])
			x1 ^= round(x2 ^ x3 ^ x0 ^ rk[i+1])
			x2 ^= round(x3 ^ x0 ^ x1 ^ rk[i+2])
			x3 ^= round(x0 ^ x1 ^ x2 ^ rk[i+3])
		}
		x0, x1, x2, x3 = x3, x2, x1, x0
	}
	return [4]uint32{x0, x1, x2, x3}
}
