package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// The layout of the powers of h, for N blocks between two reductions: h^N,
// h^(N-1), ..., h, of 16 bytes each. So as many vectors of them as are needed, cut
// out at the right place, stand against the vectors of a message of any number
// of blocks. Then come, for each two vectors of powers, a vector of the sums of
// their halves: see halfSums.

func (w width) powerAt(i int) operand.Mem { return at(powersReg, i*int(w)) }
func (w width) sumsAt(i int) operand.Mem  { return at(powersReg, (vectors+i)*int(w)) }

// init emits the routine that computes the powers.
func (e *emitter) init() {
	w := e.width
	size := (vectors + vectors/2) * int(w)
	e.begin("Init", "func(powers *[1024]byte, h *[16]byte)",
		fmt.Sprintf("Init%s writes the powers of h, from that with the exponent %d down to h, and sums of their halves, in the", e.tier.suffix, w.blocks()),
		fmt.Sprintf("form that Update%s reads: %d bytes. powers and h do not overlap and need not be aligned.", e.tier.suffix, size))
	e.Comment(
		"AX powers   BX h   0 h, then the last vector of powers   1 reversal of bytes   2 fold   3-5 low, mid and high of a product",
		"6 multiplier   7, 8 vectors   9-11 scratch")
	e.Load(e.Param("powers"), powersReg)
	e.Load(e.Param("h"), blockReg)
	e.constants()
	e.halfMasks(leftReg)
	e.VMOVDQU(at(blockReg, 0), xmm.v(accIdx))
	xmm.reverse(e, xmm.v(accIdx))
	e.double()

	const last, multiplier = accIdx, data0Idx
	// The lowest powers: h; or h^2, h; or h^4, h^3, h^2, h.
	if w > xmm {
		xmm.product(e, last, xmm.v(last), false)
		xmm.reduce(e, data1Idx)
		e.VINSERTI128(operand.U8(1), xmm.v(last), ymm.v(data1Idx), ymm.v(last))
	}
	if w > ymm {
		ymm.spread(e, data1Idx, multiplier)
		ymm.product(e, last, ymm.v(multiplier), false)
		ymm.reduce(e, data1Idx)
		e.VINSERTI64X4(operand.U8(1), ymm.v(last), zmm.v(data1Idx), zmm.v(last))
	}
	w.store(e, w.v(last), w.powerAt(vectors-1))
	// All vectors so far times the highest power so far are as many again.
	for n := 1; n < vectors; n *= 2 {
		w.spread(e, last, multiplier)
		for i := range n {
			w.product(e, multiplier, w.powerAt(vectors-1-i), false)
			w.reduce(e, last)
			w.store(e, w.v(last), w.powerAt(vectors-1-n-i))
		}
	}
	for i := range vectors / 2 {
		w.load(e, w.powerAt(2*i), w.v(data0Idx))
		w.load(e, w.powerAt(2*i+1), w.v(data1Idx))
		w.halfSums(e, data0Idx, data1Idx, sumsIdx, temp0Idx)
		w.store(e, w.v(sumsIdx), w.sumsAt(i))
	}
	e.end()
}

// double multiplies the number in the lowest lane of acc by 2: what falls out at
// the top is 1, which is fold and the lowest bit.
func (e *emitter) double() {
	x, out, low := xmm.v(accIdx), xmm.v(temp0Idx), xmm.v(temp1Idx)
	e.VPSHUFD(operand.U8(0xff), x, out)
	e.VPSRAD(operand.U8(31), out, out)
	e.VPAND(e.pool.quads(1, fold), out, out)
	e.VPSRLQ(operand.U8(63), x, low)
	e.VPSLLDQ(operand.U8(8), low, low)
	e.VPSLLQ(operand.U8(1), x, x)
	xmm.xor(e, temp1Idx, accIdx, accIdx)
	xmm.xor(e, temp0Idx, accIdx, accIdx)
}
