package sm4

import "math/bits"

// This file is the reference: SM4 as GB/T 32907-2016 defines it, with the
// S-box and the linear layer merged into four tables of 1 KiB. The tables are
// indexed by data and key, so this code is not constant-time.

// BlockSize is the size of an SM4 block in bytes, KeySize that of a key.
const (
	BlockSize = 16
	KeySize   = 16
	rounds    = 32
)

// Schedule holds the 32 round keys in the order in which the rounds use them.
// Decryption is encryption with the round keys reversed.
type Schedule [rounds]uint32

// fk is the system parameter FK, GB/T 32907-2016 section 7.3.
var fk = [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc}

// ck returns the fixed parameter CK of round i: byte j is (4i+j)*7 mod 256.
func ck(i int) uint32 {
	var w uint32
	for j := range 4 {
		w = w<<8 | uint32(byte((4*i+j)*7))
	}
	return w
}

// tables[j][x] is L(S(x)) for the byte x at position j, the most significant
// byte being 0. L rotates, so the four tables are rotations of the first.
var tables = func() (t [4][256]uint32) {
	for x, s := range sbox {
		b := uint32(s) << 24
		l := b ^ bits.RotateLeft32(b, 2) ^ bits.RotateLeft32(b, 10) ^ bits.RotateLeft32(b, 18) ^ bits.RotateLeft32(b, 24)
		for j := range t {
			t[j][x] = bits.RotateLeft32(l, -8*j)
		}
	}
	return t
}()

// tau applies the S-box to each byte of a word.
func tau(x uint32) uint32 {
	return uint32(sbox[x>>24])<<24 | uint32(sbox[x>>16&0xff])<<16 | uint32(sbox[x>>8&0xff])<<8 | uint32(sbox[x&0xff])
}

func expandGeneric(key *[KeySize]byte, enc, dec *Schedule) {
	var k [4]uint32
	for i := range k {
		k[i] = load32(key[4*i:]) ^ fk[i]
	}
	for i := range rounds {
		t := tau(k[1] ^ k[2] ^ k[3] ^ ck(i))
		w := k[0] ^ t ^ bits.RotateLeft32(t, 13) ^ bits.RotateLeft32(t, 23)
		k[0], k[1], k[2], k[3] = k[1], k[2], k[3], w
		enc[i], dec[rounds-1-i] = w, w
	}
}

// cryptGeneric applies rk to every whole block of src. Two blocks go through
// the rounds together: the table look-ups of one hide the latency of the other.
func cryptGeneric(rk *Schedule, dst, src []byte) {
	for len(src) >= 2*BlockSize {
		crypt2(rk, (*[32]byte)(dst), (*[32]byte)(src))
		dst, src = dst[2*BlockSize:], src[2*BlockSize:]
	}
	if len(src) >= BlockSize {
		crypt1(rk, (*[16]byte)(dst), (*[16]byte)(src))
	}
}

func crypt1(rk *Schedule, dst, src *[16]byte) {
	t0, t1, t2, t3 := &tables[0], &tables[1], &tables[2], &tables[3]
	a, b, c, d := load32(src[0:]), load32(src[4:]), load32(src[8:]), load32(src[12:])
	for i := 0; i < rounds; i += 4 {
		k := (*[4]uint32)(rk[i:])
		cd := c ^ d
		x := b ^ cd ^ k[0]
		a ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		x = a ^ cd ^ k[1]
		b ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		ab := a ^ b
		x = d ^ ab ^ k[2]
		c ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		x = c ^ ab ^ k[3]
		d ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
	}
	store32(dst[0:], d)
	store32(dst[4:], c)
	store32(dst[8:], b)
	store32(dst[12:], a)
}

func crypt2(rk *Schedule, dst, src *[32]byte) {
	t0, t1, t2, t3 := &tables[0], &tables[1], &tables[2], &tables[3]
	a, b, c, d := load32(src[0:]), load32(src[4:]), load32(src[8:]), load32(src[12:])
	e, f, g, h := load32(src[16:]), load32(src[20:]), load32(src[24:]), load32(src[28:])
	for i := 0; i < rounds; i += 4 {
		k := (*[4]uint32)(rk[i:])
		x, y := b^c^d^k[0], f^g^h^k[0]
		a ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		e ^= t0[y>>24] ^ t1[byte(y>>16)] ^ t2[byte(y>>8)] ^ t3[byte(y)]
		x, y = c^d^a^k[1], g^h^e^k[1]
		b ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		f ^= t0[y>>24] ^ t1[byte(y>>16)] ^ t2[byte(y>>8)] ^ t3[byte(y)]
		x, y = d^a^b^k[2], h^e^f^k[2]
		c ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		g ^= t0[y>>24] ^ t1[byte(y>>16)] ^ t2[byte(y>>8)] ^ t3[byte(y)]
		x, y = a^b^c^k[3], e^f^g^k[3]
		d ^= t0[x>>24] ^ t1[byte(x>>16)] ^ t2[byte(x>>8)] ^ t3[byte(x)]
		h ^= t0[y>>24] ^ t1[byte(y>>16)] ^ t2[byte(y>>8)] ^ t3[byte(y)]
	}
	store32(dst[0:], d)
	store32(dst[4:], c)
	store32(dst[8:], b)
	store32(dst[12:], a)
	store32(dst[16:], h)
	store32(dst[20:], g)
	store32(dst[24:], f)
	store32(dst[28:], e)
}

func load32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func store32(b []byte, v uint32) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
}
