package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The serial modes have one block in flight, so the length of the chain of
// dependent instructions is all that counts. A word is spread over a register,
// in a form that is the box's own.
//
// The next round's operand is S(...) added to the sum of all else that goes
// into it, so that nothing else is in the chain. The state never leaves the
// basis, not from block to block either: text is converted beside the chain.
var (
	serialWord = [4]reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3}
	serialIn   = reg.X4 // operand of the S-box
	serialLow  = reg.X5 // text before and behind the rounds; t0
	serialB    = reg.X6 // t1
	serialD    = reg.X7 // t3
	serialS    = reg.X8
	serialNext = reg.X9 // what the next round adds to the word just made

	serialTables = [4]reg.VecPhysical{reg.X10, reg.X11, reg.X12, reg.X13}
	serialKey    = reg.X14
	serialMask   = reg.X15
)

const serialRegisters = "X0 to X3 words   X4 operand of the S-box   X5 to X8 scratch   " +
	"X9 what is added next   X10 to X15 constants"

// reversed is the order of the words that the rounds leave behind.
func reversed(w [4]reg.VecPhysical) [4]reg.VecPhysical {
	return [4]reg.VecPhysical{w[3], w[2], w[1], w[0]}
}

// serialStart makes the first round's operand of the words.
func (e *emitter) serialStart(box box) {
	x, in, s := serialWord, serialIn, serialS
	box.spreadKey(e, operand.Mem{Base: rkReg}, in)
	e.VPXOR(x[3], in, in)
	e.VPXOR(x[2], x[1], s)
	e.VPXOR(s, in, in)
}

// serialRounds does the 32 rounds, whose first operand is there. Word 0 may come
// late: see absorb.
func (e *emitter) serialRounds(box box) { e.serialRoundsBeside(box, true, func(int) {}) }

// serialRoundsBeside has two halves of other work done where they disturb the
// rounds least. What counts the turns of the loop takes the vector instructions'
// places, so it is one addition: keyReg goes up to zero.
func (e *emitter) serialRoundsBeside(box box, late bool, half func(i int)) {
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 112}, rkEndReg)
	e.MOVQ(operand.I32(-112), keyReg)
	first := operand.Mem{Base: rkReg}
	if !late {
		box.serialBegin(e)
	}
	box.serialRound(e, 0, operand.Mem{Base: rkReg, Disp: 4}, late)
	half(0)
	loop := e.label("serial")
	e.Label(loop)
	for i := 1; i <= 4; i++ {
		box.serialRound(e, i, operand.Mem{Base: rkEndReg, Index: keyReg, Scale: 1, Disp: 4 * (i + 1)}, false)
	}
	e.nops(box.serialPadding())
	e.ADDQ(operand.I32(16), keyReg)
	e.JNE(ref(loop))
	half(1)
	for i := 1; i <= 2; i++ {
		box.serialRound(e, i, operand.Mem{Base: rkEndReg, Disp: 4 * (i + 1)}, false)
	}
	e.Comment("Behind the last round the first round key stands in for the next one.")
	box.serialRound(e, 3, first, false)
	box.serialEnd(e)
}

// oneBlock puts block x, which is serialLow, through the cipher. It uses all of
// the registers X0 to X15, and rkReg's round keys.
func (e *emitter) oneBlock(box box) {
	x := serialLow
	box.serialConstants(e)
	box.mapBytes(e, "in", e.fold.in, x, serialB, serialD)
	for i, w := range serialWord {
		box.spread(e, i, x, w)
	}
	e.serialStart(box)
	e.serialRoundsBeside(box, false, func(int) {})
	box.gather(e, reversed(serialWord), x, serialB)
	box.mapBytes(e, "out", e.fold.out, x, serialB, serialD)
}

// block emits the routine of a single block, which cipher.Block is for. In the
// time of a block the frame and the choices of the routine for many can be seen.
func (e *emitter) block(t tier) {
	e.begin("Block"+t.suffix, "func(rk *[32]uint32, dst, src *byte)", attr.NOSPLIT, blockDoc(t),
		"AX round keys   BX offset of the round key from DX   DX the last four round keys   SI src   DI dst",
		serialRegisters)
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("dst"), dstReg)
	e.Load(e.Param("src"), srcReg)
	e.VMOVDQU(operand.Mem{Base: srcReg}, serialLow)
	e.oneBlock(t.box)
	e.VMOVDQU(serialLow, operand.Mem{Base: dstReg})
	e.RET()
}

// one does a single block of a mode that is not serial.
func (e *emitter) one(m mode, box box) {
	at := map[blocksOf]operand.Mem{
		source: {Base: srcReg}, previous: {Base: ivReg}, counters: {Base: ivReg}, tweaks: {Base: tweakReg},
	}
	x := serialLow
	if m.input == counters {
		// The main loop may have counted on.
		e.loadUpper(x)
		e.MOVL(ctrReg.As32(), keyReg.As32())
		e.BSWAPL(keyReg.As32())
		e.VPINSRD(operand.U8(3), keyReg.As32(), x, x)
	} else {
		e.VMOVDQU(at[m.input], x)
	}
	if m.whiten {
		e.VPXOR(at[m.add], x, x)
	}
	e.oneBlock(box)
	if m.chained() {
		e.MOVQ(operand.Mem{Base: srcReg}, chain0)
		e.MOVQ(operand.Mem{Base: srcReg, Disp: 8}, chain1)
	}
	if m.add != nothing {
		e.VPXOR(at[m.add], x, x)
	}
	e.VMOVDQU(x, operand.Mem{Base: dstReg})
	if m.chained() {
		e.MOVQ(chain0, operand.Mem{Base: ivReg})
		e.MOVQ(chain1, operand.Mem{Base: ivReg, Disp: 8})
	}
}

// serialMode is a mode in which each block waits for the one before it. The
// state carried over is the last ciphertext block in the basis. CBC adds the
// text before the rounds, CFB after them; both store ciphertext. CTS is CBC with
// the last two blocks of CS3.
type serialMode struct {
	name     string
	addFirst bool
	steals   bool
}

var serialModes = []serialMode{{"CBCEnc", true, false}, {"CFBEnc", false, false}, {"CTSEnc", true, true}}

func (e *emitter) serial(m serialMode, t tier) {
	sig, doc := signature(true), routineDoc(m.name, t, true, true)
	if m.steals {
		sig, doc = bytesSignature, ctsDoc(m.name, t, 1024)
	}
	e.begin(m.name+t.suffix, sig, attr.NOSPLIT, doc,
		"AX round keys   BX next round key   DX end of the round keys",
		"CX blocks left   SI src   DI dst   R8 iv   R12 length of the last block",
		serialRegisters)
	ret, loop := e.label("ret"), e.label("block")
	if m.steals {
		e.bytesArgs()
		e.splitTail()
	} else {
		e.args(true)
		e.TESTQ(nReg, nReg)
		e.JE(ref(ret))
	}
	t.box.serialConstants(e)

	x, text := serialWord, serialLow
	e.VMOVDQU(operand.Mem{Base: ivReg}, text)
	t.box.mapBytes(e, "in", e.fold.in, text, serialB, serialD)
	state := x // the words of the last ciphertext block
	if m.addFirst {
		state = reversed(x)
	}
	for i, w := range state {
		t.box.spread(e, i, text, w)
	}
	finish := func() {
		t.box.gather(e, state, text, serialB)
		t.box.mapBytes(e, "out", e.fold.out, text, serialB, serialD)
	}

	if !m.addFirst {
		e.serialStart(t.box)
	}
	e.Label(loop)
	if !m.addFirst {
		e.serialRounds(t.box)
	}
	e.VMOVDQU(operand.Mem{Base: srcReg}, text)
	e.absorb(t.box)
	if m.addFirst {
		e.serialRounds(t.box)
	}
	finish()
	e.VMOVDQU(text, operand.Mem{Base: dstReg})
	e.ADDQ(operand.I32(16), srcReg)
	e.ADDQ(operand.I32(16), dstReg)
	e.DECQ(nReg)
	e.JNE(ref(loop))
	if m.steals {
		e.Comment("The last block, filled up with zeros, takes the place of the one before,",
			"whose beginning goes to the end.")
		e.window(reg.R13)
		y := serialB
		e.toEnd(text, y)
		e.VMOVDQU(operand.Mem{Base: srcReg, Index: tailReg, Scale: 1, Disp: -16}, text)
		e.VMOVDQU(y, operand.Mem{Base: dstReg, Index: tailReg, Scale: 1, Disp: -16})
		e.toFront(text, text)
		e.absorb(t.box)
		e.serialRounds(t.box)
		finish()
		e.VMOVDQU(text, operand.Mem{Base: dstReg, Disp: -16})
	} else {
		e.VMOVDQU(text, operand.Mem{Base: ivReg})
	}
	e.Label(ret)
	e.RET()
}

// absorb reverses the words, as the standard does at the end of a block, adds the
// block serialLow to them, and makes the first round's operand.
//
// That operand is the sum of the words 1 to 3, which are there a round before word
// 0, the last one that was made: so the first round of a block and the last one of
// the block before it are done at the same time, and a block is 31 rounds long.
func (e *emitter) absorb(box box) {
	x, text, in := serialWord, serialLow, serialIn
	y := [4]reg.VecPhysical{serialB, serialD, serialS, serialNext}
	box.mapBytes(e, "in", e.fold.in, text, serialB, serialD)
	for i := range y {
		box.spread(e, i, text, y[i])
	}
	box.spreadKey(e, operand.Mem{Base: rkReg}, in)
	for _, w := range []reg.VecPhysical{y[1], y[2], y[3], x[0], x[1], x[2]} {
		e.VPXOR(w, in, in)
	}
	for i := range 2 {
		e.VPXOR(y[i], x[3-i], y[i])
		e.VPXOR(y[3-i], x[i], x[3-i])
		e.VMOVDQA(y[i], x[i])
	}
}
