package ghash

import (
	"encoding/binary"
	"math/bits"
)

// element is an element of GF(2^128) in the representation of POLYVAL (RFC 8452
// section 3): bit i of lo is the coefficient of x^i, bit i of hi that of
// x^(64+i), and the field's polynomial is x^128 + x^127 + x^126 + x^121 + 1. A
// block of GHASH is its bytes in reverse order.
type element struct{ lo, hi uint64 }

func load(b []byte) element {
	return element{binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b)}
}

// initGeneric keeps h times x, with which POLYVAL gives GHASH (RFC 8452 appendix
// A), in the first bytes of powers.
func initGeneric(powers *[powersSize]byte, h *[BlockSize]byte) {
	e := load(h[:])
	carry := -(e.hi >> 63)
	e.hi = e.hi<<1 | e.lo>>63
	e.lo <<= 1
	e.hi ^= carry & 0xc200000000000000
	e.lo ^= carry & 1
	binary.BigEndian.PutUint64(powers[0:], e.hi)
	binary.BigEndian.PutUint64(powers[8:], e.lo)
}

// updateGeneric absorbs the whole blocks of p. It has no tables: the products
// are made of the processor's multiplications of integers, which take the same
// time whatever the operands are on every processor that Go's own cryptography
// relies on for it.
func updateGeneric(powers *[powersSize]byte, acc *[BlockSize]byte, p []byte) {
	k := load(powers[:])
	lo, hi, mid := spread(k.lo), spread(k.hi), spread(k.lo^k.hi)
	a := load(acc[:])
	for ; len(p) >= BlockSize; p = p[BlockSize:] {
		x := load(p)
		a.lo, a.hi = a.lo^x.lo, a.hi^x.hi

		// The product, p3:p2:p1:p0, by Karatsuba's three multiplications.
		p1, p0 := lo.multiply(a.lo)
		p3, p2 := hi.multiply(a.hi)
		m1, m0 := mid.multiply(a.lo ^ a.hi)
		m0 ^= p0 ^ p2
		m1 ^= p1 ^ p3
		p1 ^= m0
		p2 ^= m1

		// Divided by x^128: a multiple of the polynomial clears each low word.
		p1 ^= p0<<63 ^ p0<<62 ^ p0<<57
		p2 ^= p0 ^ p0>>1 ^ p0>>2 ^ p0>>7
		p2 ^= p1<<63 ^ p1<<62 ^ p1<<57
		p3 ^= p1 ^ p1>>1 ^ p1>>2 ^ p1>>7
		a = element{p2, p3}
	}
	binary.BigEndian.PutUint64(acc[0:], a.hi)
	binary.BigEndian.PutUint64(acc[8:], a.lo)
}

// A spreading holds a polynomial of 64 bits cut into four, of which each keeps
// every fourth bit. In the integer product of two of them, each sum of bits has
// the three zeros above it to carry into, so its lowest bit is the sum without
// carry.
type spreading struct {
	whole uint64
	part  [4]uint64
}

const fourth = 0x1111111111111111

func spread(x uint64) spreading {
	return spreading{x, [4]uint64{x & fourth, x & (fourth << 1), x & (fourth << 2), x & (fourth << 3)}}
}

// multiply returns the product of polynomials, of 127 bits.
func (s *spreading) multiply(x uint64) (hi, lo uint64) {
	// A sum of 16 bits would carry too far, so x's upper four bits are left out
	// of the products: sums are then of 15 bits at most.
	const low = 1<<60 - 1
	x0, x1, x2, x3 := x&(fourth&low), x&(fourth<<1&low), x&(fourth<<2&low), x&(fourth<<3&low)
	y0, y1, y2, y3 := s.part[0], s.part[1], s.part[2], s.part[3]

	ah, al := bits.Mul64(x0, y0)
	bh, bl := bits.Mul64(x1, y3)
	ch, cl := bits.Mul64(x2, y2)
	dh, dl := bits.Mul64(x3, y1)
	hi, lo = (ah^bh^ch^dh)&fourth, (al^bl^cl^dl)&fourth

	ah, al = bits.Mul64(x0, y1)
	bh, bl = bits.Mul64(x1, y0)
	ch, cl = bits.Mul64(x2, y3)
	dh, dl = bits.Mul64(x3, y2)
	hi |= (ah ^ bh ^ ch ^ dh) & (fourth << 1)
	lo |= (al ^ bl ^ cl ^ dl) & (fourth << 1)

	ah, al = bits.Mul64(x0, y2)
	bh, bl = bits.Mul64(x1, y1)
	ch, cl = bits.Mul64(x2, y0)
	dh, dl = bits.Mul64(x3, y3)
	hi |= (ah ^ bh ^ ch ^ dh) & (fourth << 2)
	lo |= (al ^ bl ^ cl ^ dl) & (fourth << 2)

	ah, al = bits.Mul64(x0, y3)
	bh, bl = bits.Mul64(x1, y2)
	ch, cl = bits.Mul64(x2, y1)
	dh, dl = bits.Mul64(x3, y0)
	hi |= (ah ^ bh ^ ch ^ dh) & (fourth << 3)
	lo |= (al ^ bl ^ cl ^ dl) & (fourth << 3)

	m0, m1, m2, m3 := -(x >> 60 & 1), -(x >> 61 & 1), -(x >> 62 & 1), -(x >> 63)
	w := s.whole
	lo ^= w<<60&m0 ^ w<<61&m1 ^ w<<62&m2 ^ w<<63&m3
	hi ^= w>>4&m0 ^ w>>3&m1 ^ w>>2&m2 ^ w>>1&m3
	return hi, lo
}
