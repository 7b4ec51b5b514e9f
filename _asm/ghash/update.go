package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// update emits the routine that absorbs blocks.
//
// What is over when the number of blocks is divided by that between two
// reductions comes first. It takes four multiplications a vector, so that a
// short message needs no sums, and one reduction.
func (e *emitter) update() {
	w := e.width
	e.begin("Update", "func(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)",
		fmt.Sprintf("Update%s absorbs blocks blocks of 16 bytes from p on, at most 64 KiB: for each, acc = (acc xor block) times h.", e.tier.suffix),
		fmt.Sprintf("powers is what Init%s wrote for h. Nothing needs to be aligned, and nothing outside the blocks is read.", e.tier.suffix),
		"It equals routinetest.GHASHUpdate.")
	comment := []string{
		"AX powers   BX acc   CX blocks left   DX power of the next block   SI p",
		"0 acc   1 reversal of bytes   2 fold   3-5 low, mid and high of the product   6, 7 blocks   8 sums of their halves",
		"9-11 scratch   12 powers",
	}
	if w == zmm {
		comment[2] += "   16-23 powers, 24-27 sums of their halves"
	}
	e.Comment(comment...)
	e.Load(e.Param("powers"), powersReg)
	e.Load(e.Param("acc"), blockReg)
	e.Load(e.Param("p"), srcReg)
	e.Load(e.Param("blocks"), leftReg)
	groups, done := e.label("groups"), e.label("done")
	e.constants()
	e.VMOVDQU(at(blockReg, 0), xmm.v(accIdx))
	xmm.reverse(e, xmm.v(accIdx))

	// DX becomes the number of blocks that are over, CX what is left then.
	e.MOVQ(leftReg, powerReg)
	e.ANDQ(operand.I32(w.blocks()-1), powerReg)
	e.JZ(ref(groups))
	e.few()
	e.Label(groups)
	e.SUBQ(operand.I32(w.blocks()), leftReg)
	e.JB(ref(done))
	e.many()
	e.Label(done)
	xmm.reverse(e, xmm.v(accIdx))
	e.VMOVDQU(xmm.v(accIdx), at(blockReg, 0))
	e.end()
}

// few absorbs the number of blocks in DX: less than between two reductions, but
// at least one. It takes them off CX.
func (e *emitter) few() {
	w := e.width
	rest, count := reg.R8, leftReg
	e.Comment("CX blocks here   R8 blocks behind these   DX power of the next block, whose exponent is CX")
	e.MOVQ(leftReg, rest)
	e.SUBQ(powerReg, rest)
	e.MOVQ(powerReg, count)
	e.NEGQ(powerReg)
	e.SHLQ(operand.U8(4), powerReg)
	e.LEAQ(operand.Mem{Base: powersReg, Index: powerReg, Scale: 1, Disp: 16 * w.blocks()}, powerReg)
	for i := lowIdx; i <= highIdx; i++ {
		xmm.xor(e, i, i, i) // clears the upper lanes too
	}
	// absorb takes the blocks in data0, times the powers in the register of
	// powers.
	absorb := func() {
		w.reverse(e, w.v(data0Idx))
		w.xor(e, accIdx, data0Idx, data0Idx)
		w.product(e, data0Idx, w.v(powerIdx), true)
	}

	loop, last, reduced := e.label("loop"), e.label("last"), e.label("reduced")
	if w > xmm {
		e.SUBQ(operand.I8(w.lanes()), count)
		e.JB(ref(last))
	}
	e.Label(loop)
	w.load(e, at(srcReg, 0), w.v(data0Idx))
	w.load(e, at(powerReg, 0), w.v(powerIdx))
	absorb()
	xmm.xor(e, accIdx, accIdx, accIdx)
	e.ADDQ(operand.I8(int(w)), srcReg)
	e.ADDQ(operand.I8(int(w)), powerReg)
	e.SUBQ(operand.I8(w.lanes()), count)
	if w == xmm {
		e.JNZ(ref(loop))
	} else {
		e.JAE(ref(loop))
		// Fewer blocks than lanes: the lanes behind them are zero.
		e.Label(last)
		e.ADDQ(operand.I8(w.lanes()), count)
		e.JZ(ref(reduced))
	}
	switch w {
	case ymm:
		e.VMOVDQU(at(srcReg, 0), xmm.v(data0Idx))
		e.VMOVDQU(at(powerReg, 0), xmm.v(powerIdx))
		absorb()
		e.ADDQ(operand.I8(16), srcReg)
	case zmm:
		half := reg.R9 // two bits a block
		e.ADDQ(count, count)
		e.MOVL(operand.I32(-1), half.As32())
		e.SHLL(reg.CL, half.As32())
		e.NOTL(half.As32())
		e.KMOVB(half.As32(), lowerHalves)
		e.VMOVDQU64_Z(at(srcReg, 0), lowerHalves, w.v(data0Idx))
		e.VMOVDQU64_Z(at(powerReg, 0), lowerHalves, w.v(powerIdx))
		absorb()
		e.LEAQ(operand.Mem{Base: srcReg, Index: count, Scale: 8}, srcReg)
	}
	if w > xmm {
		e.Label(reduced)
	}
	e.MOVQ(rest, leftReg)
	w.reduce(e, accIdx)
	w.sum(e, accIdx, temp0Idx)
}

// many absorbs groups of blocks until CX is below zero.
func (e *emitter) many() {
	w := e.width
	power := func(i int) operand.Op { return w.powerAt(i) }
	sums := func(i int) operand.Op { return w.sumsAt(i) }
	if w == zmm {
		e.halfMasks(powerReg)
		for i := range vectors {
			w.load(e, w.powerAt(i), w.v(powersIdx+i))
		}
		for i := range vectors / 2 {
			w.load(e, w.sumsAt(i), w.v(sumsOfIdx+i))
		}
		power = func(i int) operand.Op { return w.v(powersIdx + i) }
		sums = func(i int) operand.Op { return w.v(sumsOfIdx + i) }
	}
	loop := e.label("loop")
	e.Label(loop)
	// The first two vectors come last, since acc is part of them.
	for i := vectors/2 - 1; i >= 0; i-- {
		w.load(e, at(srcReg, 2*i*int(w)), w.v(data0Idx))
		w.load(e, at(srcReg, (2*i+1)*int(w)), w.v(data1Idx))
		w.reverse(e, w.v(data0Idx))
		w.reverse(e, w.v(data1Idx))
		if i == 0 {
			w.xor(e, accIdx, data0Idx, data0Idx)
		}
		w.products(e, data0Idx, data1Idx, power(2*i), power(2*i+1), sums(i), i < vectors/2-1)
	}
	w.completeMid(e)
	w.reduce(e, accIdx)
	w.sum(e, accIdx, temp0Idx)
	e.ADDQ(operand.I32(vectors*int(w)), srcReg)
	e.SUBQ(operand.I32(w.blocks()), leftReg)
	e.JAE(ref(loop))
}
