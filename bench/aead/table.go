package main

import (
	"encoding/binary"
	"math/bits"

	"ucrypt/bench/bars"
	"ucrypt/internal/selftest"
	"ucrypt/internal/speed"
)

// oneTable is the side of a CBC-MAC as it is written from the standard: the S-box
// is the only table, of 256 bytes, and the linear layer is made of rotations.
// (sm4-generic has four tables of 1 KiB, into which the linear layer is merged.)
func oneTable() side {
	return side{"CBC-MAC, one table", func(b *buffers) (speed.Work, error) {
		sbox, rk := selftest.TextbookSM4(bars.Pattern(16))
		return func(n int) error {
			for range n {
				cbcMAC(sbox, &rk, b.text)
			}
			return nil
		}, nil
	}}
}

// round is the part of a round that is added to a word.
func round(sbox *[256]byte, x uint32) uint32 {
	s := uint32(sbox[x>>24])<<24 | uint32(sbox[x>>16&0xff])<<16 | uint32(sbox[x>>8&0xff])<<8 | uint32(sbox[x&0xff])
	return s ^ bits.RotateLeft32(s, 2) ^ bits.RotateLeft32(s, 10) ^ bits.RotateLeft32(s, 18) ^ bits.RotateLeft32(s, 24)
}

// cbcMAC returns the last block, as words, of CBC with a zero iv over whole blocks.
func cbcMAC(sbox *[256]byte, rk *[32]uint32, text []byte) (mac [4]uint32) {
	x0, x1, x2, x3 := uint32(0), uint32(0), uint32(0), uint32(0)
	for ; len(text) >= 16; text = text[16:] {
		x0 ^= binary.BigEndian.Uint32(text)
		x1 ^= binary.BigEndian.Uint32(text[4:])
		x2 ^= binary.BigEndian.Uint32(text[8:])
		x3 ^= binary.BigEndian.Uint32(text[12:])
		for i := 0; i < len(rk); i += 4 {
			x0 ^= round(sbox, x1^x2^x3^rk[i])
			x1 ^= round(sbox, x2^x3^x0^rk[i+1])
			x2 ^= round(sbox, x3^x0^x1^rk[i+2])
			x3 ^= round(sbox, x0^x1^x2^rk[i+3])
		}
		x0, x1, x2, x3 = x3, x2, x1, x0
	}
	return [4]uint32{x0, x1, x2, x3}
}
