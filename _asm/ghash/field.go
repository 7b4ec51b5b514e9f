package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The field. GHASH numbers bits from the first byte's top bit on, as the
// coefficients of x^0, x^1, ... A block with its bytes in reverse order is thus a
// number of 128 bits whose top bit is the coefficient of x^0.
//
// The carry-less product of two such numbers has 255 bits, one too few: with one
// factor doubled (see double in init.go), all of 256 are in place. Powers are
// kept in this form, and a product of two of them is again in it.
//
// The 256 bits are reduced from the lower end, as Montgomery's multiplication
// does. With x^128 = 1 + x + x^2 + x^7, the lowest 64 bits, which stand for
// x^192 to x^255, are equal to themselves 128 bits further up plus their product
// with fold, taken 64 bits further up. What is then the lowest follows likewise.

// fold is x + x^2 + x^7, that is, all of x^128 but 1, in this order of bits, of
// which the lowest is x^64.
const fold = 0xc2 << 56

// Vector registers, the same in both routines.
const (
	accIdx      = 0 // the sum so far, with its bytes reversed, in the lowest lane
	reversalIdx = 1 // the shuffle that reverses bytes
	foldIdx     = 2 // fold in all halves
	lowIdx      = 3 // the product from bit 0 on,
	midIdx      = 4 // from bit 64 on,
	highIdx     = 5 // from bit 128 on
	data0Idx    = 6 // the next blocks
	data1Idx    = 7
	sumsIdx     = 8 // sums of their halves
	temp0Idx    = 9 // scratch
	temp1Idx    = 10
	temp2Idx    = 11
	powerIdx    = 12 // powers for few blocks

	powersIdx = 16 // zmm only: all vectors of powers, and of sums of their halves
	sumsOfIdx = powersIdx + vectors
)

// constants loads the constants of both routines.
func (e *emitter) constants() {
	e.broadcast(e, e.pool.reversal(), e.v(reversalIdx))
	e.broadcast(e, e.pool.quads(fold, fold), e.v(foldIdx))
}

// product multiplies register a by b, a register or memory, into low, mid and
// high. If add is true it adds the product to what is there.
func (w width) product(e *emitter, a int, b operand.Op, add bool) {
	if !add {
		w.multiply(e, lowLow, a, b, lowIdx)
		w.multiply(e, highLow, a, b, midIdx)
		w.multiply(e, lowHigh, a, b, temp0Idx)
		w.multiply(e, highHigh, a, b, highIdx)
		w.xor(e, temp0Idx, midIdx, midIdx)
		return
	}
	w.multiply(e, lowLow, a, b, temp0Idx)
	w.multiply(e, highLow, a, b, temp1Idx)
	w.multiply(e, lowHigh, a, b, temp2Idx)
	w.xor(e, temp0Idx, lowIdx, lowIdx)
	w.multiply(e, highHigh, a, b, temp0Idx)
	w.xor3(e, temp1Idx, temp2Idx, midIdx)
	w.xor(e, temp0Idx, highIdx, highIdx)
}

// products multiplies two registers by a power each, with three multiplications
// a lane in place of four: the middle of the product is that of the sums of the
// halves, less low and high, which completeMid takes away. sums holds the sums
// of the powers' halves.
func (w width) products(e *emitter, x, y int, px, py, sums operand.Op, add bool) {
	w.halfSums(e, x, y, sumsIdx, temp0Idx)
	pair := func(h0 halves, a0 int, b0 operand.Op, h1 halves, a1 int, b1 operand.Op, dst int) {
		w.multiply(e, h0, a0, b0, temp0Idx)
		if add {
			w.multiply(e, h1, a1, b1, temp1Idx)
			w.xor3(e, temp0Idx, temp1Idx, dst)
		} else {
			w.multiply(e, h1, a1, b1, dst)
			w.xor(e, temp0Idx, dst, dst)
		}
	}
	pair(lowLow, x, px, lowLow, y, py, lowIdx)
	pair(highHigh, x, px, highHigh, y, py, highIdx)
	pair(lowLow, sumsIdx, sums, highHigh, sumsIdx, sums, midIdx)
}

// completeMid follows the last of the products.
func (w width) completeMid(e *emitter) {
	w.xor3(e, lowIdx, highIdx, midIdx)
}

// reduce makes dst the product in low, mid and high, reduced.
func (w width) reduce(e *emitter, dst int) {
	w.multiply(e, lowLow, lowIdx, w.v(foldIdx), temp0Idx)
	w.swap(e, lowIdx, temp1Idx)
	w.xor3(e, temp1Idx, temp0Idx, midIdx)
	w.multiply(e, lowLow, midIdx, w.v(foldIdx), temp0Idx)
	w.swap(e, midIdx, temp1Idx)
	w.xor(e, temp1Idx, highIdx, highIdx)
	w.xor(e, temp0Idx, highIdx, dst)
}

// reverse reverses the bytes of each block.
func (w width) reverse(e *emitter, x reg.Register) {
	e.VPSHUFB(w.v(reversalIdx), x, x)
}
