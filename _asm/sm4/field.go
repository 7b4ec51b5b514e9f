package main

import "math/bits"

// This file derives every constant of the routines from the definitions of the
// two ciphers involved. Nothing but the SM4 S-box, FK and the change of basis
// is typed in; a wrong assumption stops the generator.

// sbox is the SM4 S-box, GB/T 32907-2016 section 6.2.
var sbox = [256]byte{
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

// fk is the system parameter FK, GB/T 32907-2016 section 7.3.
var fk = [4]uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc}

// ck is the fixed parameter CK of round i: its byte j, the most significant
// being 0, is 7(4i+j) mod 256.
func ck(i int) [4]byte {
	var w [4]byte
	for j := range w {
		w[j] = byte(7 * (4*i + j))
	}
	return w
}

// byteMap is a map from bytes to bytes.
type byteMap func(byte) byte

// intoField is the linear part of the map from SM4's bytes into the AES field,
// as GF2P8AFFINEQB reads it: bit i of the result is the parity of the operand
// and byte 7-i. Together with the constant intoFieldConst it makes
//
//	S(x) = affine(inverse(intoField(x) ^ intoFieldConst))
//
// with the inverse taken in the AES field; newFold checks it.
const (
	intoField      = 0x4c287db91a22505d
	intoFieldConst = 0x3e
)

func matrix(m uint64) byteMap {
	return func(x byte) (y byte) {
		for i := range 8 {
			row := byte(m >> (8 * (7 - i)))
			y |= byte(bits.OnesCount8(row&x)&1) << i
		}
		return y
	}
}

// aesSbox is the AES S-box, computed from its definition in FIPS 197.
func aesSbox(x byte) byte {
	y := aesInverse(x)
	r := bits.RotateLeft8
	return y ^ r(y, 1) ^ r(y, 2) ^ r(y, 3) ^ r(y, 4) ^ 0x63
}

// aesInverse is the inverse in the AES field, with 0 for 0.
func aesInverse(x byte) byte {
	for c := 1; c < 256; c++ {
		if aesMul(x, byte(c)) == 1 {
			return byte(c)
		}
	}
	return 0
}

func aesMul(a, b byte) (p byte) {
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		a = a<<1 ^ byte(int8(a)>>7)&0x1b
	}
	return p
}

// invert returns the inverse of a map that is one to one.
func invert(f byteMap) byteMap {
	var t, hit [256]byte
	for x := range 256 {
		y := f(byte(x))
		t[y] = byte(x)
		hit[y]++
	}
	for _, n := range hit {
		if n != 1 {
			panic("map cannot be inverted")
		}
	}
	return func(y byte) byte { return t[y] }
}

// nibbles splits an affine map into the two tables of 16 bytes that VPSHUFB
// looks up: f(x) = low[x&15] ^ high[x>>4]. The constant goes into low.
func nibbles(f byteMap) (low, high [16]byte) {
	for i := range 16 {
		low[i] = f(byte(i))
		high[i] = f(byte(i<<4)) ^ f(0)
	}
	for x := range 256 {
		if f(byte(x)) != low[x&15]^high[x>>4] {
			panic("map is not affine")
		}
	}
	return low, high
}

// affine splits an affine map into the matrix and the constant that
// GF2P8AFFINEQB takes: f(x) = m*x ^ c. It is the inverse of matrix.
func affine(f byteMap) (m uint64, c byte) {
	c = f(0)
	for j := range 8 {
		column := f(1<<j) ^ c
		for i := range 8 {
			m |= uint64(column>>i&1) << (8*(7-i) + j)
		}
	}
	for x := range 256 {
		if f(byte(x)) != matrix(m)(byte(x))^c {
			panic("map is not affine")
		}
	}
	return m, c
}

// fold holds the maps of SM4 with its state in the basis of the AES field.
//
// Every byte x of the state is kept as in(x). That is linear, so the XORs of
// the cipher carry over as they are, and the round keys are put into the basis
// at key expansion, with intoFieldConst added: then the XOR of three words and
// a round key is at once the operand of the field inverse. AESENCLAST computes
// it, with the AES affine map behind it, and unbox is what turns its result v
// into the SM4 S-box's: S(x) = unbox(aesSbox(in(x) ^ intoFieldConst)).
//
// The linear layer L(B) = B ^ B<<<2 ^ B<<<10 ^ B<<<18 ^ B<<<24 rotates by
// 2 more than whole bytes, so it is a sum over the byte rotations
//
//	L(B) = M0(B) ^ M1(B)<<<8 ^ M1(B)<<<16 ^ M3(B)<<<24
//
// with M0(x) = x ^ x<<2, M1(x) = x rotated left by 2, M3(x) = x ^ x>>6 on each
// byte; a bit that M0 shifts out of a byte comes in through M1 or M3 of its
// neighbour. M0 ^ M3 = M1, hence two maps are enough. Each is merged with the
// rest of the S-box before it and the return into the basis after it:
//
//	t0 = in.M0.unbox    t1 = in.M1.unbox    t3 = in.M3.unbox = t0 ^ t1
//
// so that a round needs no matrix but these. With r the rotation by 8 bits,
//
//	t0 + t1 r + t1 r^2 + t3 r^3 = (1 + r + r^2)(t0 + t3 r)
//
// which is the form of the wide routines with AES-NI: w = t0 ^ t3<<<8, then w ^ w<<<8 ^
// w<<<16. The maps are affine, and their constants need no care: each is the
// whole of in.M.S, so the sum is in(L(S)) as it stands.
//
// GF2P8AFFINEINVQB computes the inverse and an affine map behind it, so that t0,
// t1 and t3 are one instruction each: what it needs is the map from the inverse
// z on, see afterInverse.
type fold struct {
	in, out    byteMap // into the basis and out of it
	unbox      byteMap
	t0, t1, t3 byteMap
	key        [4]byteMap // the linear layer of the key expansion, rotated by 0, 8, 16, 24 bits
}

func newFold() *fold {
	f := &fold{in: matrix(intoField)}
	f.out = invert(f.in)
	unAES := invert(aesSbox)
	f.unbox = func(v byte) byte { return sbox[f.out(unAES(v)^intoFieldConst)] }
	merge := func(m byteMap) byteMap {
		return func(v byte) byte { return f.in(m(f.unbox(v))) }
	}
	f.t0 = merge(func(x byte) byte { return x ^ x<<2 })
	f.t1 = merge(func(x byte) byte { return bits.RotateLeft8(x, 2) })
	f.t3 = merge(func(x byte) byte { return x ^ x>>6 })
	for x := range 256 {
		v := byte(x)
		if f.t0(v)^f.t1(v) != f.t3(v) {
			panic("t3 is not t0 ^ t1")
		}
	}
	// L'(B) = B ^ B<<<13 ^ B<<<23.
	f.key = [4]byteMap{
		merge(func(x byte) byte { return x }),
		merge(func(x byte) byte { return x << 5 }),
		merge(func(x byte) byte { return x>>3 ^ x<<7 }),
		merge(func(x byte) byte { return x >> 1 }),
	}
	return f
}

// afterInverse turns a map of the AES S-box's result into one of the inverse z.
func afterInverse(f byteMap) byteMap {
	return func(z byte) byte { return f(aesSbox(aesInverse(z))) }
}
