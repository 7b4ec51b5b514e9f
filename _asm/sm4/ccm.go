package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// CCM has a CBC-MAC, one block after the other, and counter mode, whose blocks
// wait for nothing. The first leaves most of the processor idle, so the second is
// done beside it, in groups of eight counter blocks, in ymm: zmm would close one
// of the three ports to the MAC. This is for GFNI.
//
// With AVX-512 each of eight blocks of the MAC has four rounds of the group with
// it, in two places, which make it hardly longer. Fewer blocks, and those of the
// other tier, have the group's 32 rounds beside those of the first block.
//
// The key stream waits in the frame until the MAC has read the eight blocks of
// text, which may lie where it is to be added.

// Registers beside those of serial.go. Between the serial rounds, 5 to 9 are free.
var (
	textReg  = reg.R11 // text that the key stream is added to
	countReg = reg.R12 // its blocks that are left
	macReg   = reg.R13
	groupKey = reg.R8  // next round key of the group, with AVX-512, when iv was read
	passReg  = reg.R14 // blocks of the MAC until the key stream is added
)

// ccmGroup is the counter blocks beside one block of the MAC.
type ccmGroup struct {
	box    gfni
	c      gfniConstants
	words  [4]operand.Op // in memory, or, with AVX-512, in registers
	newest reg.VecPhysical
	stream operand.Mem // 128 bytes of key stream
	upper  operand.Mem // the upper three words of the counter
}

const ccmBlocks = 8

func (e *emitter) ccmGroup(box gfni) ccmGroup {
	place := func(i int) operand.Mem { return operand.Mem{Base: frameReg, Disp: 32 * i} }
	g := ccmGroup{box: box, newest: reg.Y14, stream: place(4), upper: place(8)}
	for i := range g.words {
		g.words[i] = place(i)
		if box.evex {
			g.words[i] = ymm.reg(16 + i)
		}
	}
	local := e.AllocLocal(32*9 + 32)
	e.LEAQ(local.Offset(31), frameReg)
	e.ANDQ(operand.I32(-32), frameReg)
	// The matrices of the serial modes, in both lanes.
	g.c = gfniConstants{t0: serialMatrices.t0.AsY().(reg.VecPhysical), t1: serialMatrices.t1.AsY().(reg.VecPhysical),
		t3: serialMatrices.t3.AsY().(reg.VecPhysical), spread: serialMatrices.spread.AsY().(reg.VecPhysical)}
	g.c.load(e)
	return g
}

// enter makes the next eight counter blocks.
func (g ccmGroup) enter(e *emitter) {
	x, s, t := reg.Y5, reg.Y6, reg.Y7
	for i := range 3 {
		e.VBROADCASTSS(g.upper.Offset(4*i), x)
		e.VPSHUFB(g.c.spread, x, x)
		e.mov(x, g.words[i])
	}
	e.broadcastCounter(ymm, s)
	e.VPADDD(e.steps(ymm, 0), s, x)
	e.VPSHUFB(e.pool.row("byte swap", byteSwap()), x, x)
	e.intoBasis(g.box, x, s, t)
	e.mov(x, g.words[3])
	if !g.box.evex {
		e.mov(x, g.newest)
	}
	e.ADDL(operand.I32(ccmBlocks), ctrReg.As32())
}

// round does round i (mod 4). Without AVX-512 the newest word is in a register too:
// the next round waits for it.
func (g ccmGroup) round(e *emitter, i int, key operand.Mem) {
	w := func(j int) operand.Op { return g.words[(i+j)&3] }
	x, b, d, s := reg.Y5, reg.Y6, reg.Y7, reg.Y8
	e.VBROADCASTSS(key, x)
	e.VPSHUFB(g.c.spread, x, x)
	if g.box.evex {
		e.xor3(w(1), w(2).(reg.VecPhysical), x)
		e.VPXORQ(w(3), x, x)
	} else {
		e.VPXOR(w(1), x, x)
		e.VPXOR(w(2), x, x)
		e.VPXOR(g.newest, x, x)
	}
	g.box.sum3(e, g.c, x, x, b, d)
	e.VPSHUFD(rotation(1), b, s)
	e.VPSHUFD(rotation(2), b, b)
	e.VPSHUFD(rotation(3), d, d)
	if y, ok := w(0).(reg.VecPhysical); ok {
		e.xor3(x, s, y)
		e.xor3(b, d, y)
		return
	}
	e.VPXOR(w(0), x, x)
	e.VPXOR(s, b, b)
	e.VPXOR(d, x, x)
	e.VPXOR(b, x, g.newest)
	e.VMOVDQU(g.newest, w(0))
}

// leave makes the key stream of the words.
func (g ccmGroup) leave(e *emitter) {
	x := [4]reg.VecPhysical{reg.Y5, reg.Y6, reg.Y7, reg.Y8}
	for i := range x {
		e.mov(g.words[i], x[i])
	}
	e.leave(g.box, x, reg.Y9, reg.Y14)
	for i := range x {
		e.VMOVDQU(x[3-i], g.stream.Offset(32*i))
	}
}

// add adds the key stream to up to eight blocks of text.
func (g ccmGroup) add(e *emitter) {
	few, one, done := e.label("few"), e.label("one"), e.label("added")
	at := func(base reg.GPPhysical, i int) operand.Mem { return operand.Mem{Base: base, Disp: 32 * i} }
	e.CMPQ(countReg, operand.I32(ccmBlocks))
	e.JCS(ref(few))
	for i := range 4 {
		e.VMOVDQU(g.stream.Offset(32*i), ymm.reg(5+i))
	}
	for i := range 4 {
		e.VPXOR(at(textReg, i), ymm.reg(5+i), ymm.reg(5+i))
	}
	for i := range 4 {
		e.VMOVDQU(ymm.reg(5+i), at(dstReg, i))
	}
	e.ADDQ(operand.I32(16*ccmBlocks), textReg)
	e.ADDQ(operand.I32(16*ccmBlocks), dstReg)
	e.SUBQ(operand.I32(ccmBlocks), countReg)
	e.JMP(ref(done))
	e.Label(few)
	e.LEAQ(g.stream, keyReg)
	e.Label(one)
	e.VMOVDQU(operand.Mem{Base: keyReg}, reg.X5)
	e.VPXOR(operand.Mem{Base: textReg}, reg.X5, reg.X5)
	e.VMOVDQU(reg.X5, operand.Mem{Base: dstReg})
	for _, r := range []reg.GPPhysical{keyReg, textReg, dstReg} {
		e.ADDQ(operand.I32(16), r)
	}
	e.DECQ(countReg)
	e.JNE(ref(one))
	e.Label(done)
}

func (e *emitter) ccm(t tier) {
	box := t.box.(gfni)
	doc := wrap(
		"MACAndCTR"+t.suffix+" chains blocks blocks of 16 bytes from p on, at least one, into mac: for each, "+
			"mac = E(mac ^ block). Meanwhile it adds the key stream of the counters iv, iv+1, ... to count blocks of src.",
		"rk is the encryption schedule. count may be 0, and is at most blocks, rounded up to a multiple of 8. The low "+
			"32 bits of the big-endian counter must not wrap before the last block: low+count <= 1<<32. iv is left "+
			"as it was.",
		"dst is src exactly or does not overlap it. Block i of dst is written when block i of p, and all up to the next multiple of 8, "+
			"were read, so p may be src too. The others overlap nothing. Any alignment will do, and no byte outside of the "+
			"blocks is read or written. The caller bounds the work of a call, to 1024 blocks.",
		"It equals refCBCEnc, of which the last block is kept, and refCTR of this package's tests. Constant time. Needs "+t.features+".",
		algorithm)
	e.begin("MACAndCTR"+t.suffix, "func(rk *[32]uint32, mac *[16]byte, p *byte, blocks int, dst, src *byte, count int, iv *[16]byte)", 0, doc,
		"AX round keys   BX offset of the round key from DX   DX the last four round keys",
		"CX blocks left   SI p   DI dst   R8 iv, or next round key of the counter blocks   R9 frame   R10 counter   R11 src   R12 blocks of src left   R13 mac",
		"R14 blocks until the key stream is added",
		"X0 to X3 words of the MAC   X4 operand of the S-box   X5 to X9 scratch   Y10 to Y13 constants",
		"Y14 newest word of the counter blocks; with AVX-512, Y16 to Y19 all of them")
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("mac"), macReg)
	e.Load(e.Param("p"), srcReg)
	e.Load(e.Param("blocks"), nReg)
	e.Load(e.Param("dst"), dstReg)
	e.Load(e.Param("src"), textReg)
	e.Load(e.Param("count"), countReg)
	e.Load(e.Param("iv"), ivReg)
	g := e.ccmGroup(box)
	e.loadUpper(reg.X5)
	box.mapBytes(e, "in", e.fold.in, reg.X5, nil, nil)
	e.VMOVDQU(reg.X5, g.upper)
	e.MOVL(operand.Mem{Base: ivReg, Disp: 12}, ctrReg.As32())
	e.BSWAPL(ctrReg.As32())

	x, text := serialWord, serialLow
	e.VMOVDQU(operand.Mem{Base: macReg}, text)
	box.mapBytes(e, "in", e.fold.in, text, serialB, serialD)
	for i, w := range reversed(x) {
		box.spread(e, i, text, w)
	}
	next := func() {
		e.VMOVDQU(operand.Mem{Base: srcReg}, text)
		e.absorb(box)
		e.ADDQ(operand.I32(16), srcReg)
	}

	pass, block, plain, add, end, ret := e.label("pass"), e.label("block"), e.label("plain"), e.label("add"), e.label("end"), e.label("ret")
	e.Label(pass)
	e.MOVL(operand.U32(ccmBlocks), passReg.As32())
	e.CMPQ(nReg, passReg)
	e.CMOVQLT(nReg, passReg)
	e.SUBQ(passReg, nReg)
	e.TESTQ(countReg, countReg)
	e.JE(ref(block))
	if box.evex {
		first, eight := e.label("first"), e.label("eight")
		e.CMPQ(passReg, operand.I32(ccmBlocks))
		e.JNE(ref(first))
		e.Comment("Eight blocks of the MAC and eight counter blocks.")
		g.enter(e)
		e.MOVQ(rkReg, groupKey)
		e.Label(eight)
		next()
		e.serialRoundsBeside(box, true, func(half int) {
			for i := 2 * half; i < 2*half+2; i++ {
				g.round(e, i, operand.Mem{Base: groupKey, Disp: 4 * i})
				e.nops(3) // see gfni.go
			}
		})
		e.ADDQ(operand.I32(16), groupKey)
		e.nops(4)
		e.DECQ(passReg)
		e.JNE(ref(eight))
		g.leave(e)
		e.JMP(ref(add))
		e.Label(first)
	}
	e.Comment("A block of the MAC and eight counter blocks.")
	g.enter(e)
	next()
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 112}, rkEndReg)
	e.MOVQ(operand.I32(-112), keyReg)
	box.serialBegin(e)
	rounds := e.label("rounds")
	key := func(i int) operand.Mem {
		return operand.Mem{Base: rkEndReg, Index: keyReg, Scale: 1, Disp: 4 * i}
	}
	e.Label(rounds)
	for i := range 4 {
		g.round(e, i, key(i))
		box.serialRound(e, i, key(i+1), false)
	}
	e.nops(box.serialPadding())
	e.ADDQ(operand.I32(16), keyReg)
	e.JNE(ref(rounds))
	for i := range 4 {
		g.round(e, i, key(i))
		next := key(i + 1)
		if i == 3 {
			next = operand.Mem{Base: rkReg} // its operand is not used
		}
		box.serialRound(e, i, next, false)
	}
	box.serialEnd(e)
	g.leave(e)
	e.JMP(ref(plain))
	e.Label(block)
	next()
	e.serialRounds(box)
	if box.evex {
		e.nops(4) // see gfni.go
	}
	e.Label(plain)
	e.DECQ(passReg)
	e.JNE(ref(block))

	e.TESTQ(countReg, countReg)
	e.JE(ref(end))
	e.Label(add)
	g.add(e)
	e.Label(end)
	e.TESTQ(nReg, nReg)
	e.JNE(ref(pass))
	e.Label(ret)
	box.gather(e, reversed(x), text, serialB)
	box.mapBytes(e, "out", e.fold.out, text, serialB, serialD)
	e.VMOVDQU(text, operand.Mem{Base: macReg})
	e.finish(t)
}
