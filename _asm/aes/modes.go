package main

import "github.com/mmcloughlin/avo/operand"

// mode is a mode whose blocks do not wait for each other and whose length is a
// number of blocks.
type mode struct {
	name    string
	decrypt bool
	chained bool // CBC: adds the ciphertext block before
	swapped bool // the last two blocks have changed places, and nothing comes behind them
}

// Vector registers of the chained modes, by number.
const (
	previousVec = 11 // ciphertext block before the next ones; for zmm in the highest lane
	behindVec   = 12 // the same for after the batch
	scratchVec  = 13
	nextIVVec   = 15
)

// parallel emits a mode.
func (e *emitter) parallel(m mode) {
	signature := "func(rk *[240]byte, rounds int, dst, src *byte, blocks int)"
	if m.chained {
		signature = "func(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)"
	}
	e.begin(m.name+e.tier.suffix, signature, modeDoc(m, e.tier))
	e.Comment(
		"AX round keys   BX rounds   CX bytes left   SI src   DI dst   R8 offset of the first round key   R11 iv",
		"Vector registers 0 to 7 are blocks, 8 the round key, 9 the first one, 10 the last.")
	if m.chained {
		e.Comment("11 is the ciphertext block before, 12 that of the next batch, 13 scratch, 15 the next iv.")
	}
	e.load("dst", dstReg, "src", srcReg, "blocks", leftReg)
	ret := e.label("ret")
	e.SHLQ(operand.U8(4), leftReg)
	e.JE(ref(ret))
	w := e.tier.wide
	e.outerKeys(w)
	if m.chained {
		e.Load(e.Param("iv"), ivReg)
		w.broadcast(e, at(ivReg, 0), w.reg(previousVec))
		e.Comment("The next iv, before it may be written over.")
		e.tier.narrow.load(e, index(srcReg, leftReg, -16), e.tier.narrow.reg(nextIVVec))
	}
	e.blocks(m)
	if m.chained {
		e.tier.narrow.store(e, e.tier.narrow.reg(nextIVVec), at(ivReg, 0))
	}
	e.Label(ret)
	e.end()
}

// blocks works on the whole blocks that leftReg counts in bytes: in batches of
// the widest registers as long as there are enough, then once in each narrower
// width.
func (e *emitter) blocks(m mode) {
	w := e.tier.wide
	for _, n := range e.tier.batches {
		e.loop(n*w.bytes, true, func() { e.batch(m, w, n) })
	}
	if w == zmm {
		if m.chained {
			e.VEXTRACTI32X4(operand.U8(3), zregs[previousVec], xregs[previousVec])
		}
		e.loop(ymm.bytes, false, func() { e.batch(m, ymm, 1) })
	}
	if w.bytes > 16 {
		e.loop(xmm.bytes, false, func() { e.batch(m, xmm, 1) })
	}
}

// loop emits work on a number of bytes, done if there are so many left, and again
// as long as there are.
func (e *emitter) loop(bytes int, again bool, work func()) {
	less, loop := e.label("less"), e.label("batch")
	e.CMPQ(leftReg, operand.I32(bytes))
	e.JB(ref(less))
	e.Label(loop)
	work()
	e.ADDQ(operand.I32(bytes), srcReg)
	e.ADDQ(operand.I32(bytes), dstReg)
	e.SUBQ(operand.I32(bytes), leftReg)
	if again {
		e.CMPQ(leftReg, operand.I32(bytes))
		e.JAE(ref(loop))
	}
	e.Label(less)
}

// batch works on n registers.
func (e *emitter) batch(m mode, w width, n int) {
	x := w.regs(0, n)
	first, last := w.reg(firstVec), w.reg(lastVec)
	src := func(i int) operand.Mem { return at(srcReg, i*w.bytes) }
	dst := func(i int) operand.Mem { return at(dstReg, i*w.bytes) }
	for i := range n {
		w.load(e, src(i), x[i])
	}
	if m.swapped {
		switch w {
		case sse:
			x[n-2], x[n-1] = x[n-1], x[n-2]
		case ymm:
			e.VPERMQ(operand.U8(0x4e), x[n-1], x[n-1])
		case zmm:
			e.VSHUFI32X4(operand.U8(0xb4), x[n-1], x[n-1], x[n-1])
		}
	}
	if w == zmm && m.chained {
		// There are registers for the ciphertext.
		for i := range n {
			w.move(e, x[i], w.reg(4+i))
		}
	} else if m.chained && !m.swapped {
		e.tier.narrow.load(e, at(srcReg, n*w.bytes-16), e.tier.narrow.reg(behindVec))
	}
	for i := range n {
		w.xor(e, first, x[i], x[i])
	}
	e.rounds(w, m.decrypt, rkReg, x)

	if !m.chained {
		for i := range n {
			e.lastRound(w, m.decrypt, last, x[i])
			w.store(e, x[i], dst(i))
		}
		return
	}
	// The ciphertext block before is added to the last round key. dst may be src,
	// so the last register comes first: what comes before it is then still there.
	s := w.reg(scratchVec)
	for i := n - 1; i >= 0; i-- {
		switch {
		case w == zmm:
			before := w.reg(previousVec)
			if i > 0 {
				before = w.reg(4 + i - 1)
			}
			e.VALIGNQ(operand.U8(6), before, w.reg(4+i), s)
		case m.swapped && i == n-1 && w.sse:
			w.load(e, src(i), s)
		case m.swapped && i == n-1:
			e.VMOVDQU(at(srcReg, i*w.bytes-16), xregs[scratchVec])
			e.VINSERTI128(operand.U8(1), at(srcReg, i*w.bytes+16), s, s)
		case i > 0:
			w.load(e, at(srcReg, i*w.bytes-16), s)
		case w == ymm:
			e.VINSERTI128(operand.U8(1), src(0), w.reg(previousVec), s)
		default:
			w.move(e, w.reg(previousVec), s)
		}
		w.xor(e, last, s, s)
		e.lastRound(w, m.decrypt, s, x[i])
		w.store(e, x[i], dst(i))
	}
	switch {
	case m.swapped:
	case w == zmm:
		w.move(e, w.reg(4+n-1), w.reg(previousVec))
	default:
		e.tier.narrow.move(e, e.tier.narrow.reg(behindVec), e.tier.narrow.reg(previousVec))
	}
}
