//go:build amd64 && !purego

package amd64

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"testing"
)

// This file is SM4 as GB/T 32907-2016 describes it, one step at a time. The
// routines are compared with it.

var refSbox = [256]byte{
	0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb, 0x2c, 0x05,
	0x2b, 0x67, 0x9a, 0x76, 0x2a, 0xbe, 0x04, 0xc3, 0xaa, 0x44, 0x13, 0x26, 0x49, 0x86, 0x06, 0x99,
	0x9c, 0x42, 0x50, 0xf4, 0x91, 0xef, 0x98, 0x7a, 0x33, 0x54, 0x0b, 0x43, 0xed, 0xcf, 0xac, 0x62,
	0xe4, 0xb3, 0x1c, 0xa9, 0xc9, 0x08, 0xe8, 0x95, 0x80, 0xdf, 0x94, 0xfa, 0x75, 0x8f, 0x3f, 0xa6,
	0x47, 0x07, 0xa7, 0xfc, 0xf3, 0x73, 0x17, 0xba, 0x83, 0x59, 0x3c, 0x19, 0xe6, 0x85, 0x4f, 0xa8,
	0x68, 0x6b, 0x81, 0xb2, 0x71, 0x64, 0xda, 0x8b, 0xf8, 0xeb, 0x0f, 0x4b, 0x70, 0x56, 0x9d, 0x35,
	0x1e, 0x24, 0x0e, 0x5e, 0x63, 0x58, 0xd1, 0xa2, 0x25, 0x22, 0x7c, 0x3b, 0x01, 0x21, 0x78, 0x87,
	0xd4, 0x00, 0x46, 0x57, 0x9f, 0xd3, 0x27, 0x52, 0x4c, 0x36, 0x02, 0xe7, 0xa0, 0xc4, 0xc8, 0x9e,
	0xea, 0xbf, 0x8a, 0xd2, 0x40, 0xc7, 0x38, 0xb5, 0xa3, 0xf7, 0xf2, 0xce, 0xf9, 0x61, 0x15, 0xa1,
	0xe0, 0xae, 0x5d, 0xa4, 0x9b, 0x34, 0x1a, 0x55, 0xad, 0x93, 0x32, 0x30, 0xf5, 0x8c, 0xb1, 0xe3,
	0x1d, 0xf6, 0xe2, 0x2e, 0x82, 0x66, 0xca, 0x60, 0xc0, 0x29, 0x23, 0xab, 0x0d, 0x53, 0x4e, 0x6f,
	0xd5, 0xdb, 0x37, 0x45, 0xde, 0xfd, 0x8e, 0x2f, 0x03, 0xff, 0x6a, 0x72, 0x6d, 0x6c, 0x5b, 0x51,
	0x8d, 0x1b, 0xaf, 0x92, 0xbb, 0xdd, 0xbc, 0x7f, 0x11, 0xd9, 0x5c, 0x41, 0x1f, 0x10, 0x5a, 0xd8,
	0x0a, 0xc1, 0x31, 0x88, 0xa5, 0xcd, 0x7b, 0xbd, 0x2d, 0x74, 0xd0, 0x12, 0xb8, 0xe5, 0xb4, 0xb0,
	0x89, 0x69, 0x97, 0x4a, 0x0c, 0x96, 0x77, 0x7e, 0x65, 0xb9, 0xf1, 0x09, 0xc5, 0x6e, 0xc6, 0x84,
	0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb, 0x39, 0x48,
}

func refTau(x uint32) (y uint32) {
	for i := 0; i < 32; i += 8 {
		y |= uint32(refSbox[byte(x>>i)]) << i
	}
	return y
}

func refExpand(key *[16]byte) (rk [32]uint32) {
	var k [36]uint32
	for i, fk := range [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
		k[i] = binary.BigEndian.Uint32(key[4*i:]) ^ fk
	}
	for i := range 32 {
		var ck uint32
		for j := range 4 {
			ck = ck<<8 | uint32(byte(7*(4*i+j)))
		}
		b := refTau(k[i+1] ^ k[i+2] ^ k[i+3] ^ ck)
		k[i+4] = k[i] ^ b ^ bits.RotateLeft32(b, 13) ^ bits.RotateLeft32(b, 23)
		rk[i] = k[i+4]
	}
	return rk
}

func refBlock(rk *[32]uint32, src []byte) (dst [16]byte) {
	var x [36]uint32
	for i := range 4 {
		x[i] = binary.BigEndian.Uint32(src[4*i:])
	}
	for i, k := range rk {
		b := refTau(x[i+1] ^ x[i+2] ^ x[i+3] ^ k)
		x[i+4] = x[i] ^ b ^ bits.RotateLeft32(b, 2) ^ bits.RotateLeft32(b, 10) ^
			bits.RotateLeft32(b, 18) ^ bits.RotateLeft32(b, 24)
	}
	for i := range 4 {
		binary.BigEndian.PutUint32(dst[4*i:], x[35-i])
	}
	return dst
}

func reverse(rk [32]uint32) (r [32]uint32) {
	for i, k := range rk {
		r[31-i] = k
	}
	return r
}

func xor(a [16]byte, b []byte) []byte {
	for i := range a {
		a[i] ^= b[i]
	}
	return a[:]
}

// The modes below have the routines' arguments: rk is the standard's encryption
// schedule, or for CBC decryption its reverse. They replace iv as the routines
// do, and return the output.

func refECB(rk *[32]uint32, src []byte, _ *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		b := refBlock(rk, src)
		dst = append(dst, b[:]...)
	}
	return dst
}

func refCBCEnc(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		*iv = refBlock(rk, xor(*iv, src))
		dst = append(dst, iv[:]...)
	}
	return dst
}

func refCBCDec(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(refBlock(rk, src), iv[:])...)
		*iv = [16]byte(src)
	}
	return dst
}

func refCFBEnc(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		*iv = [16]byte(xor(refBlock(rk, iv[:]), src))
		dst = append(dst, iv[:]...)
	}
	return dst
}

func refCFBDec(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(refBlock(rk, iv[:]), src)...)
		*iv = [16]byte(src)
	}
	return dst
}

// refCTR counts in the low 32 bits only.
func refCTR(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(refBlock(rk, iv[:]), src)...)
		binary.BigEndian.PutUint32(iv[12:], binary.BigEndian.Uint32(iv[12:])+1)
	}
	return dst
}

// refCTSEnc is CBC with the last two blocks of CS3 (NIST SP 800-38A addendum).
func refCTSEnc(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	padded := append(bytes.Clone(src), make([]byte, -len(src)&15)...)
	chain := *iv
	c := refCBCEnc(rk, padded, &chain)
	n := len(c)
	dst = append(dst, c[:n-32]...)
	dst = append(dst, c[n-16:]...)
	return append(dst, c[n-32:]...)[:len(src)]
}

func refCTSDec(rk *[32]uint32, src []byte, iv *[16]byte) (dst []byte) {
	last := (len(src)-1)/16*16 - 16 // where the last two blocks begin
	chain := *iv
	dst = refCBCDec(rk, src[:last], &chain)
	x := refBlock(rk, src[last:])
	p := bytes.Clone(x[:])
	whole := x
	for i, b := range src[last+16:] {
		p[i] ^= b
		whole[i] = b
	}
	y := refBlock(rk, whole[:])
	dst = append(dst, xor(y, chain[:])...)
	return append(dst, p[:len(src)-last-16]...)
}

// refDouble is the step from one tweak to the next, bit by bit.
func refDouble(t [16]byte, gb bool) (d [16]byte) {
	bit := func(i int) (int, byte) { // place of the coefficient of x^i
		if gb {
			return i / 8, 0x80 >> (i % 8)
		}
		return i / 8, 1 << (i % 8)
	}
	for i := range 128 {
		if at, mask := bit(i); t[at]&mask != 0 {
			powers := []int{i + 1}
			if i == 127 {
				powers = []int{7, 2, 1, 0}
			}
			for _, p := range powers {
				at, mask := bit(p)
				d[at] ^= mask
			}
		}
	}
	return d
}

// refXTS works on one data unit from its encrypted tweak on.
func refXTS(rk *[32]uint32, src []byte, t [16]byte, gb, decrypt bool) (dst []byte) {
	block := func(src []byte, t [16]byte) [16]byte {
		y := refBlock(rk, xor(t, src))
		return [16]byte(xor(y, t[:]))
	}
	for ; len(src) >= 32 || len(src) == 16; src = src[16:] {
		b := block(src, t)
		dst = append(dst, b[:]...)
		t = refDouble(t, gb)
	}
	if len(src) == 0 {
		return dst
	}
	first, second := t, refDouble(t, gb)
	if decrypt {
		first, second = second, first
	}
	c := block(src, first)
	p := append(bytes.Clone(src[16:]), c[len(src)-16:]...)
	b := block(p, second)
	dst = append(dst, b[:]...)
	return append(dst, c[:len(src)-16]...)
}

// TestReference checks the reference with the example of GB/T 32907-2016
// appendix A.1.
func TestReference(t *testing.T) {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	rk := refExpand((*[16]byte)(key))
	c := refBlock(&rk, key)
	if got := hex.EncodeToString(c[:]); got != "681edf34d206965e86b3e94f536e4246" {
		t.Errorf("ciphertext %s", got)
	}
	rk = reverse(rk)
	if p := refBlock(&rk, c[:]); [16]byte(key) != p {
		t.Errorf("plaintext %x", p)
	}
}
