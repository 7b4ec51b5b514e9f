package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tweak of block i of a data unit is T*x^i in GF(2^128), where T is the
// encrypted tweak of the unit and a block is read as a little-endian number
// (IEEE Std 1619-2018 section 5.2). A vector register holds the tweaks of as
// many blocks as it holds, and one more multiplication, by a higher power,
// leads from the tweaks of a batch to those of the next.
//
// A byte that is shifted out at the top comes in again times x^7+x^2+x+1. With
// AVX2 a carry-less multiplication does that for any number of bits up to 64;
// in SSE form, one bit at a time, a mask made of the sign bit does.

// Vector registers of XTS, by number. In the wide tiers 4 to 7 hold the tweaks
// of the next batch, in SSE form the batch's tweaks lie in the frame.
const (
	tweakVec   = 11 // SSE: tweak of the next block. Wide: of the unit, then of what is stolen
	wideTweak  = 4
	shiftVec   = 12 // scratch
	polyVec    = 13 // SSE: the two masks. Wide: the polynomial
	carryVec   = 14 // scratch
	xtsBatch   = 4  // registers of a batch in the wide tiers
	xtsNarrow  = 8  // in SSE form
	unitsBatch = 8  // data units whose tweaks are encrypted together
)

// xtsFrame is a routine's scratch in its frame.
type xtsFrame struct {
	tweaks operand.Mem // SSE: of the next batch
	ends   operand.Mem // SSE: what the last rounds of the batch add
	units  operand.Mem // encrypted tweaks of the next data units
}

func (e *emitter) xtsConstants() {
	if e.tier.wide.sse {
		e.MOVOU(e.pool.doublewords("masks", 0x87, 0, 1, 0), sse.reg(polyVec))
	} else {
		e.tier.wide.broadcast(e, e.pool.quads("polynomial", 0x87, 0), e.tier.wide.reg(polyVec))
	}
}

// times multiplies the tweaks of register x by x^k and puts them into y.
func (e *emitter) times(k int, x, y reg.VecPhysical) {
	w := e.tier.wide
	shift, carry, poly := w.reg(shiftVec), w.reg(carryVec), w.reg(polyVec)
	if k%8 == 0 {
		e.VPSRLDQ(operand.U8(16-k/8), x, carry)
		e.VPCLMULQDQ(operand.U8(0), poly, carry, carry)
		e.VPSLLDQ(operand.U8(k/8), x, shift)
		w.xor(e, shift, carry, y)
		return
	}
	// The bits that the halves lose: those of the lower one go to the upper.
	e.VPSRLQ(operand.U8(64-k), x, carry)
	e.VPSLLQ(operand.U8(k), x, y)
	e.VPSLLDQ(operand.U8(8), carry, shift)
	e.VPCLMULQDQ(operand.U8(1), poly, carry, carry)
	w.xor3(e, shift, carry, y)
}

// power makes the tweaks of blocks k, k+1, ... of a data unit, whose tweak is in
// all lanes of register tweakVec: times x^k, x^(k+1), ... It multiplies where a
// shift would do, as the processors that have AES rounds in wide registers are
// short of the port that shifts.
func (e *emitter) power(k int, y reg.VecPhysical) {
	w := e.tier.wide
	var powers []uint64
	for i := range w.blocks() {
		powers = append(powers, 1<<(k+i), 0)
	}
	p := e.pool.quads(fmt.Sprintf("powers %d", k), powers...)
	unit, carry, shift := w.reg(tweakVec), w.reg(carryVec), w.reg(shiftVec)
	e.VPCLMULQDQ(operand.U8(1), p, unit, carry)
	e.VPCLMULQDQ(operand.U8(0), p, unit, y)
	e.VPSLLDQ(operand.U8(8), carry, shift)
	e.VPCLMULQDQ(operand.U8(1), w.reg(polyVec), carry, carry)
	w.xor3(e, shift, carry, y)
}

// lanes makes the tweaks of a data unit's first blocks out of its own, which is in
// all lanes of register tweakVec: lane i times x^i. All else waits for it, so
// it shifts where power multiplies.
func (e *emitter) lanes(y reg.VecPhysical) {
	w := e.tier.wide
	var left, right []uint64
	for i := range uint64(w.blocks()) {
		left, right = append(left, i, i), append(right, 64-i, 64-i)
	}
	unit, carry, shift := w.reg(tweakVec), w.reg(carryVec), w.reg(shiftVec)
	e.VPSRLVQ(e.pool.quads("64 less lanes", right...), unit, carry)
	e.VPSLLVQ(e.pool.quads("lanes twice", left...), unit, y)
	e.VPSLLDQ(operand.U8(8), carry, shift)
	e.VPCLMULQDQ(operand.U8(1), w.reg(polyVec), carry, carry)
	w.xor3(e, shift, carry, y)
}

// double multiplies the tweak in an SSE register, or in an xmm register of the
// wide tiers, by x.
func (e *emitter) double(x reg.VecPhysical) {
	s := e.tier.narrow.reg(shiftVec)
	if e.tier.wide.sse {
		e.PSHUFD(operand.U8(0x13), x, s)
		e.PSRAL(operand.U8(31), s)
		e.PAND(sse.reg(polyVec), s)
		e.PADDQ(x, x)
		e.PXOR(s, x)
		return
	}
	e.VPSHUFD(operand.U8(0x13), x, s)
	e.VPSRAD(operand.U8(31), s, s)
	e.VPAND(e.pool.doublewords("masks", 0x87, 0, 1, 0), s, s)
	e.VPADDQ(x, x, x)
	e.VPXOR(s, x, x)
}

// unit emits the work on one data unit of lenReg bytes, at least 16, from the
// encrypted tweak on, which is in all lanes of register tweakVec. srcReg and dstReg end up behind it.
// If the length is a multiple of 16, register tweakVec ends up with the tweak of
// the block behind it.
func (e *emitter) unit(decrypt bool, f xtsFrame) {
	w := e.tier.wide
	e.MOVQ(lenReg, leftReg)
	e.ANDQ(operand.I32(-16), leftReg)
	if decrypt {
		whole := e.label("whole")
		e.Comment("The last whole block is left to the stealing.")
		e.TESTQ(operand.I32(15), lenReg)
		e.JE(ref(whole))
		e.SUBQ(operand.I32(16), leftReg)
		e.Label(whole)
	}
	if w.sse {
		e.xtsSSE(decrypt, f)
	} else {
		e.xtsWide(decrypt)
	}
	aligned := e.label("aligned")
	e.ANDQ(operand.I32(15), lenReg)
	e.JE(ref(aligned))
	e.steal(decrypt)
	e.Label(aligned)
}

// xtsSSE works on all blocks. Each tweak takes five instructions that wait for
// each other and for those of the tweak before, so the tweaks of the next batch
// are made between the rounds of this one, a tweak a round. They wait in the
// frame, and so does what the last rounds of this batch add.
func (e *emitter) xtsSSE(decrypt bool, f xtsFrame) {
	t, s := sse.reg(tweakVec), sse.reg(shiftVec)
	first, last := sse.reg(firstVec), sse.reg(lastVec)
	next := func(i int) {
		if i < xtsNarrow {
			e.MOVOU(t, f.tweaks.Offset(16*i))
			e.double(t)
		}
	}
	few := e.label("few")
	e.CMPQ(leftReg, operand.I32(16*xtsNarrow))
	e.JB(ref(few))
	for i := range xtsNarrow {
		next(i)
	}
	e.loop(16*xtsNarrow, true, func() {
		x := sse.regs(0, xtsNarrow)
		for i := range x {
			e.MOVOU(f.tweaks.Offset(16*i), s)
			e.MOVOU(at(srcReg, 16*i), x[i])
			e.PXOR(first, x[i])
			e.PXOR(s, x[i])
			e.PXOR(last, s)
			e.MOVOU(s, f.ends.Offset(16*i))
		}
		e.roundsAnd(sse, decrypt, rkReg, x, next)
		for i := range x {
			e.MOVOU(f.ends.Offset(16*i), s)
			e.lastRound(sse, decrypt, s, x[i])
			e.MOVOU(x[i], at(dstReg, 16*i))
		}
	})
	e.MOVOU(f.tweaks, t)
	e.Label(few)
	for _, n := range []int{4, 1} {
		e.loop(16*n, true, func() {
			x, ends := sse.regs(0, n), sse.regs(4, n)
			for i := range n {
				e.MOVOU(at(srcReg, 16*i), x[i])
				e.PXOR(first, x[i])
				e.PXOR(t, x[i])
				e.MOVOA(t, ends[i])
				e.PXOR(last, ends[i])
				e.double(t)
			}
			e.rounds(sse, decrypt, rkReg, x)
			for i := range n {
				e.lastRound(sse, decrypt, ends[i], x[i])
				e.MOVOU(x[i], at(dstReg, 16*i))
			}
		})
	}
}

// xtsWide works on all blocks, in ymm or zmm registers. The tweaks are made from
// the unit's as far as they are needed: those of the first register, and if
// there is a whole batch, the others from these.
func (e *emitter) xtsWide(decrypt bool) {
	w, n := e.tier.wide, e.tier.narrow
	bytes := xtsBatch * w.bytes
	t := w.regs(wideTweak, xtsBatch)

	e.lanes(t[0])
	single := e.label("single")
	e.CMPQ(leftReg, operand.I32(bytes))
	e.JB(ref(single))
	for i := 1; i < xtsBatch; i++ {
		e.power(i*w.blocks(), t[i])
	}
	e.loop(bytes, true, func() {
		e.xtsRounds(decrypt, w, xtsBatch)
		for _, t := range t {
			e.times(xtsBatch*w.blocks(), t, t)
		}
	})
	e.Label(single)
	e.loop(w.bytes, true, func() {
		e.xtsRounds(decrypt, w, 1)
		e.times(w.blocks(), t[0], t[0])
	})

	// Less than a register is left. The first tweaks of t[0] are those of the
	// blocks that are left, and the next one is the first of the unit's end.
	if w == zmm {
		e.xtsPart(decrypt, ymm)
	}
	e.xtsPart(decrypt, xmm)
	n.move(e, n.reg(wideTweak), n.reg(tweakVec))
}

// xtsPart works on one narrower register, if there is as much left, and moves the
// upper tweaks down.
func (e *emitter) xtsPart(decrypt bool, w width) {
	e.loop(w.bytes, false, func() {
		e.xtsRounds(decrypt, w, 1)
		if w == ymm {
			e.VEXTRACTI64X4(operand.U8(1), zregs[wideTweak], yregs[wideTweak])
		} else {
			e.VEXTRACTI128(operand.U8(1), yregs[wideTweak], xregs[wideTweak])
		}
	})
}

// xtsRounds works on n registers with the tweaks from register wideTweak on.
func (e *emitter) xtsRounds(decrypt bool, w width, n int) {
	x, t := w.regs(0, n), w.regs(wideTweak, n)
	first, last, s := w.reg(firstVec), w.reg(lastVec), w.reg(shiftVec)
	for i := range n {
		if w == zmm {
			w.load(e, at(srcReg, i*w.bytes), x[i])
			e.VPTERNLOGQ(operand.U8(0x96), first, t[i], x[i])
		} else {
			e.VPXOR(first, t[i], x[i])
			e.VPXOR(at(srcReg, i*w.bytes), x[i], x[i])
		}
	}
	e.rounds(w, decrypt, rkReg, x)
	for i := range n {
		w.xor(e, last, t[i], s)
		e.lastRound(w, decrypt, s, x[i])
		w.store(e, x[i], at(dstReg, i*w.bytes))
	}
}

// steal works on the end of a data unit of which lenReg bytes, 1 to 15, are more
// than whole blocks (section 5.3.2). The block before them lends its end: the
// short block is filled up with it and takes that block's place, and what is
// left of that block comes last. The two are written right-aligned and in that
// order, so that the whole block covers what does not belong to the short one.
//
// Encryption has done the block before. Decryption has left it, as its tweak is
// the one after the filled-up block's.
func (e *emitter) steal(decrypt bool) {
	n := e.tier.narrow
	x, c, row, t := n.reg(0), n.reg(1), n.reg(2), n.reg(tweakVec)
	after := n.reg(3)
	first, last := n.reg(firstVec), n.reg(lastVec)
	if decrypt {
		n.move(e, t, after)
		e.double(after)
		n.load(e, at(srcReg, 0), c)
		n.xor(e, first, c, c)
		n.xor(e, after, c, c)
		e.rounds(n, true, rkReg, []reg.VecPhysical{c})
		n.xor(e, last, after, after)
		e.lastRound(n, true, after, c)
		e.ADDQ(operand.I32(16), srcReg)
		e.ADDQ(operand.I32(16), dstReg)
	} else {
		n.load(e, at(dstReg, -16), c)
	}
	e.Comment("The short block, moved down to the front.")
	e.MOVQ(operand.I32(32), tempReg)
	e.SUBQ(lenReg, tempReg)
	e.row(n, e.pool.moves(), row)
	n.load(e, index(srcReg, lenReg, -16), x)
	n.shuffle(e, row, x)
	e.SUBQ(operand.I32(16), tempReg)
	e.row(n, e.pool.upper(), row)
	n.and(e, c, row)
	n.xor(e, row, x, x)
	e.MOVQ(lenReg, tempReg)
	e.row(n, e.pool.moves(), row)
	n.shuffle(e, row, c)
	n.store(e, c, index(dstReg, lenReg, -16))

	n.xor(e, first, x, x)
	n.xor(e, t, x, x)
	e.rounds(n, decrypt, rkReg, []reg.VecPhysical{x})
	n.xor(e, last, t, t)
	e.lastRound(n, decrypt, t, x)
	n.store(e, x, at(dstReg, -16))
	e.ADDQ(lenReg, srcReg)
	e.ADDQ(lenReg, dstReg)
}

func (e *emitter) xtsBegin(name, signature string, doc []string, units bool) xtsFrame {
	e.begin(name, signature, doc)
	e.Comment(
		"AX round keys   DX round keys of the tweak   BX rounds   CX bytes left   SI src   DI dst   R8 offset of the first round key   R9 length of the data unit",
		"R10, R11 scratch   R12 encrypted tweaks left   R13 data units left")
	if e.tier.wide.sse {
		e.Comment("X0 to X7 blocks   X8 round key, X9 the first one, X10 the last   X11 tweak   X13 masks   X12, X14 scratch")
	} else {
		e.Comment("Vector registers 0 to 3 blocks   4 to 7 tweaks   8 round key, 9 the first one, 10 the last   11 tweak of one block   13 polynomial   12, 14 scratch")
	}
	var f xtsFrame
	if e.tier.wide.sse {
		f.tweaks = e.AllocLocal(16 * xtsNarrow)
		f.ends = e.AllocLocal(16 * xtsNarrow)
	}
	if units {
		f.units = e.AllocLocal(16 * unitsBatch)
	}
	return f
}

func xtsName(decrypt bool) string {
	if decrypt {
		return "XTSDec"
	}
	return "XTSEnc"
}

// xts emits the routine for one data unit.
func (e *emitter) xts(decrypt bool) {
	f := e.xtsBegin(xtsName(decrypt)+e.tier.suffix,
		"func(rk, tweak *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)", xtsDoc(e.tier, decrypt), false)
	w, n := e.tier.wide, e.tier.narrow
	e.load("tweak", tweakReg, "dst", dstReg, "src", srcReg, "n", lenReg, "iv", ivReg)
	t := w.reg(tweakVec)
	w.broadcast(e, at(ivReg, 0), t)
	encrypted := e.label("encrypted")
	e.TESTQ(tweakReg, tweakReg)
	e.JE(ref(encrypted))
	first := w.reg(firstVec)
	w.broadcast(e, index(tweakReg, firstReg, 0), first)
	w.xor(e, first, t, t)
	e.rounds(w, false, tweakReg, []reg.VecPhysical{t})
	w.broadcast(e, slot(tweakReg, lastSlot), first)
	e.lastRound(w, false, first, t)
	e.Label(encrypted)
	e.xtsConstants()
	e.outerKeys(w)
	e.unit(decrypt, f)
	done := e.label("ret")
	e.TESTQ(tweakReg, tweakReg)
	e.JNE(ref(done))
	e.Load(e.Param("iv"), ivReg)
	n.store(e, n.reg(tweakVec), at(ivReg, 0))
	e.Label(done)
	e.end()
}

// xtsUnits emits the routine for data units that follow each other.
func (e *emitter) xtsUnits(decrypt bool) {
	f := e.xtsBegin(xtsName(decrypt)+"Units"+e.tier.suffix,
		"func(rk, tweak *[240]byte, rounds int, dst, src *byte, units, size int, first uint64)", unitsDoc(e.tier, decrypt), true)
	w := e.tier.wide
	e.load("tweak", tweakReg, "dst", dstReg, "src", srcReg, "units", unitsReg)
	ret, more, next := e.label("ret"), e.label("tweaks"), e.label("unit")
	e.TESTQ(unitsReg, unitsReg)
	e.JE(ref(ret))
	e.xtsConstants()

	e.Label(more)
	e.Comment("Encrypt the numbers of the next data units.")
	count := unitsBatch / w.blocks()
	x := w.regs(0, count)
	number := e.Load(e.Param("first"), tempReg)
	if w.sse {
		e.MOVQ(number, x[0])
	} else {
		e.VMOVQ(number, xregs[0])
		w.spread(e, 0, 0)
	}
	var lanes, step []uint64
	for i := range uint64(w.blocks()) {
		lanes = append(lanes, i, 0)
		step = append(step, uint64(w.blocks()), 0)
	}
	s := w.reg(shiftVec)
	if !w.sse {
		e.VPADDQ(e.pool.quads("lanes", lanes...), x[0], x[0])
	}
	w.load(e, e.pool.quads("step", step...), s)
	for i := 1; i < count; i++ {
		if w.sse {
			e.MOVOA(x[i-1], x[i])
			e.PADDQ(s, x[i])
		} else {
			e.VPADDQ(s, x[i-1], x[i])
		}
	}
	w.broadcast(e, index(tweakReg, firstReg, 0), w.reg(firstVec))
	w.broadcast(e, slot(tweakReg, lastSlot), w.reg(lastVec))
	for i := range x {
		w.xor(e, w.reg(firstVec), x[i], x[i])
	}
	e.rounds(w, false, tweakReg, x)
	for i := range x {
		e.lastRound(w, false, w.reg(lastVec), x[i])
		w.store(e, x[i], f.units.Offset(i*w.bytes))
	}
	e.ADDQ(operand.I32(unitsBatch), number)
	e.Store(number, e.Param("first"))
	e.outerKeys(w)
	e.XORL(batchReg.As32(), batchReg.As32())

	e.Label(next)
	e.Load(e.Param("size"), lenReg)
	e.LEAQ(f.units, tempReg)
	w.broadcast(e, index(tempReg, batchReg, 0), w.reg(tweakVec))
	e.unit(decrypt, f)
	e.DECQ(unitsReg)
	e.JE(ref(ret))
	e.ADDQ(operand.I32(16), batchReg)
	e.CMPQ(batchReg, operand.I32(16*unitsBatch))
	e.JNE(ref(next))
	e.JMP(ref(more))
	e.Label(ret)
	e.end()
}
