package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aesni computes the S-box with VAESENCLAST and keeps the bytes of each word in
// memory order, so the blocks need no byte swap: rotating a word by 8 bits to
// the left takes each byte from the next higher place.
//
// VAESENCLAST also does AES's ShiftRows, which moves byte 4c+r to 4(c-r)+r. The
// look-ups do not care where a byte lies, and the shuffles that rotate words
// bring everything back.
//
// In ymm registers VAESENCLAST is done on the two halves, unless the tier has
// VAES.
type aesni struct{ vaes bool }

// aesniConstants are the constants of a round.
type aesniConstants struct {
	nibble                   reg.VecPhysical // mask of a low nibble, and AES round key
	t0Low, t0High            reg.VecPhysical
	t3Low, t3High            reg.VecPhysical
	shiftedRol8              reg.VecPhysical
	unshift, unrol8, unrol16 reg.VecPhysical
}

func (aesni) registers(w width) (c aesniConstants) {
	for i, r := range []*reg.VecPhysical{
		&c.nibble, &c.t0Low, &c.t0High, &c.t3Low, &c.t3High,
		&c.shiftedRol8, &c.unshift, &c.unrol8, &c.unrol16,
	} {
		*r = w.reg(firstConstant + i)
	}
	return c
}

func (box aesni) constants(e *emitter, w width) {
	// The nibble mask is the AES round key as well, to save a register: the
	// tables take it back.
	const nibble = 0x0f
	masked := func(f byteMap) byteMap { return func(v byte) byte { return f(v ^ nibble) } }
	c := box.registers(w)
	t0Low, t0High := e.tables("masked t0", masked(e.fold.t0))
	t3Low, t3High := e.tables("masked t3", masked(e.fold.t3))
	e.VMOVDQA(e.pool.row("nibble", same(nibble)), c.nibble)
	e.VMOVDQA(t0Low, c.t0Low)
	e.VMOVDQA(t0High, c.t0High)
	e.VMOVDQA(t3Low, c.t3Low)
	e.VMOVDQA(t3High, c.t3High)
	e.VMOVDQA(e.pool.row("shifted rol8", shiftedRotate(1)), c.shiftedRol8)
	e.VMOVDQA(e.pool.row("unshift", unshiftRotate(0)), c.unshift)
	e.VMOVDQA(e.pool.row("unshift rol8", unshiftRotate(1)), c.unrol8)
	e.VMOVDQA(e.pool.row("unshift rol16", unshiftRotate(2)), c.unrol16)
}

// tables returns the two rows of an affine map.
func (e *emitter) tables(name string, f byteMap) (low, high operand.Mem) {
	l, h := nibbles(f)
	return e.pool.row(name+".low", l), e.pool.row(name+".high", h)
}

func (aesni) mapBytes(e *emitter, name string, f byteMap, x, s, t reg.VecPhysical) {
	low, high := e.tables(name, f)
	mask := e.pool.row("nibble", same(0x0f))
	e.VPAND(mask, x, s)
	e.VPSRLD(operand.U8(4), x, x)
	e.VPAND(mask, x, x)
	e.VMOVDQA(low, t)
	e.VPSHUFB(s, t, t)
	e.VMOVDQA(high, s)
	e.VPSHUFB(x, s, s)
	e.VPXOR(s, t, x)
}

func (aesni) layout(*emitter, reg.VecPhysical) {}

func (aesni) broadcast(e *emitter, _ width, word operand.Mem, x reg.VecPhysical) {
	e.VBROADCASTSS(word, x)
}

func (aesni) keyRegister(width) reg.VecPhysical { return nil }

func (box aesni) invert(e *emitter, w width, x, s reg.VecPhysical) {
	if w == xmm || box.vaes {
		e.VAESENCLAST(box.registers(w).nibble, x, x)
		return
	}
	key, high := box.registers(xmm).nibble, low(s)
	e.VEXTRACTI128(operand.U8(1), x, high)
	e.VAESENCLAST(key, low(x), low(x))
	e.VAESENCLAST(key, high, high)
	e.VINSERTI128(operand.U8(1), high, x, x)
}

func (box aesni) mix(e *emitter, w width, x reg.VecPhysical, y operand.Mem, s [3]reg.VecPhysical) {
	c := box.registers(w)
	lo, a, d := s[0], s[1], s[2]
	e.VPAND(c.nibble, x, lo)
	e.VPSRLD(operand.U8(4), x, x)
	e.VPAND(c.nibble, x, x)

	e.VPSHUFB(lo, c.t3Low, d)
	e.VPSHUFB(x, c.t3High, a)
	e.VPXOR(a, d, d)
	e.VPSHUFB(lo, c.t0Low, a)
	e.VPSHUFB(x, c.t0High, x)
	e.VPXOR(x, a, a)

	// w = t0 ^ t3<<<8, then w ^ w<<<8 ^ w<<<16.
	e.VPSHUFB(c.shiftedRol8, d, d)
	e.VPXOR(d, a, a)
	e.VPSHUFB(c.unshift, a, x)
	e.VPSHUFB(c.unrol8, a, d)
	e.VPXOR(y, x, x)
	e.VPSHUFB(c.unrol16, a, a)
	e.VPXOR(d, a, a)
	e.VPXOR(a, x, x)
}

// shifted is the place to which ShiftRows moves byte r of word c.
func shifted(c, r int) byte { return byte(4*((c-r)&3) + r) }

// unshiftRotate undoes ShiftRows and rotates each word by 8k bits to the left.
func unshiftRotate(k int) (row [16]byte) {
	for c := range 4 {
		for r := range 4 {
			row[4*c+r] = shifted(c, (r+k)&3)
		}
	}
	return row
}

// shiftedRotate rotates likewise, but leaves the bytes where ShiftRows put them.
func shiftedRotate(k int) (row [16]byte) {
	for c := range 4 {
		for r := range 4 {
			row[shifted(c, r)] = shifted(c, (r+k)&3)
		}
	}
	return row
}

func (aesni) keyConstants(e *emitter) {
	for k, f := range e.fold.key {
		low, high := e.tables(fmt.Sprintf("key %d", k), f)
		e.VMOVDQA(low, vectors[4+2*k])
		e.VMOVDQA(high, vectors[5+2*k])
	}
}

func (aesni) keySubstitute(e *emitter, x, lo reg.VecPhysical) {
	mask := e.pool.row("nibble", same(0x0f))
	e.VAESENCLAST(e.pool.row("zero", same(0)), x, x)
	e.VPAND(mask, x, lo)
	e.VPSRLD(operand.U8(4), x, x)
	e.VPAND(mask, x, x)
}

func (aesni) keyMap(e *emitter, k int, x, lo, y, s reg.VecPhysical) {
	e.VPSHUFB(lo, vectors[4+2*k], y)
	e.VPSHUFB(x, vectors[5+2*k], s)
	e.VPXOR(s, y, y)
}

// The serial modes have each byte of a word in the low half of a 16-bit lane, the
// four bytes twice:
//
//	b0 0 b1 0 b2 0 b3 0   b0 0 b1 0 b2 0 b3 0
//
// This has three uses. ShiftRows moves such a register into itself. A byte's
// high nibble is one shift away, since no neighbour's bits come in. And the
// empty bytes are led past the look-ups: the round key of AESENCLAST turns their
// S(0) into 80, which the arithmetic shift makes f8 and the mask leaves alone,
// and VPSHUFB gives 0 for both.
//
// The chain is AESENCLAST, shift, look-up, XOR, rotation and three XORs.

func (aesni) serialConstants(e *emitter) {
	b0, b1 := e.tables("t1", e.fold.t1)
	d0, d1 := e.tables("t3", e.fold.t3)
	for i, m := range []operand.Mem{b0, b1, d0, d1} {
		e.VMOVDQA(m, serialTables[i])
	}
	var key, mask [16]byte
	for i := range 8 {
		key[2*i+1] = aesSbox(0) ^ 0x80
		mask[2*i], mask[2*i+1] = 0x0f, 0x80
	}
	e.VMOVDQA(e.pool.row("serial key", key), serialKey)
	e.VMOVDQA(e.pool.row("serial mask", mask), serialMask)
}

// spread takes word i of a block. A shuffle index with the top bit set gives 0.
func spreadLanes(i int) (row [16]byte) {
	for j := range 8 {
		row[2*j], row[2*j+1] = byte(4*i+j&3), 0x80
	}
	return row
}

// spreadRotate rotates a spread word by 8k bits to the left.
func spreadRotate(k int) (row [16]byte) {
	for j := range 8 {
		row[2*j], row[2*j+1] = byte(2*((j+k)&3)), 0x80
	}
	return row
}

func (aesni) spread(e *emitter, i int, x, y reg.VecPhysical) {
	e.VPSHUFB(e.pool.row("lanes "+fmt.Sprint(i), spreadLanes(i)), x, y)
}

func (aesni) gather(e *emitter, w [4]reg.VecPhysical, a, b reg.VecPhysical) {
	e.VPUNPCKLQDQ(w[1], w[0], a)
	e.VPUNPCKLQDQ(w[3], w[2], b)
	e.VPACKUSWB(b, a, a)
}

func (aesni) spreadKey(e *emitter, key operand.Mem, k reg.VecPhysical) {
	e.VBROADCASTSS(key, k)
	e.VPMOVZXBW(k, k)
}

func (aesni) serialPadding() int     { return 0 }
func (aesni) serialBegin(e *emitter) {}
func (aesni) serialEnd(e *emitter)   {}

// serialRound's order is the fastest of some thousands that were timed, for the
// reasons that gfni's has: 14 cycles a round, whose chain is 12.
func (box aesni) serialRound(e *emitter, i int, nextKey operand.Mem, late bool) {
	x := func(j int) reg.VecPhysical { return serialWord[(i+j)&3] }
	in, lo, b, d, s, next := serialIn, serialLow, serialB, serialD, serialS, serialNext
	e.VAESENCLAST(serialKey, in, in)
	box.spreadKey(e, nextKey, next)
	e.VPSRAW(operand.U8(4), in, s)
	e.VPSHUFB(s, serialTables[3], d)
	e.VPSHUFB(s, serialTables[1], b)
	e.VPAND(serialMask, in, in)
	e.VPSHUFB(in, serialTables[0], lo)
	e.VPSHUFB(in, serialTables[2], in)
	e.VPXOR(lo, b, b)
	e.VPXOR(in, d, d)
	e.VPSHUFB(e.pool.row("spread rol24", spreadRotate(3)), d, in)
	e.VPXOR(x(2), next, next)
	e.VPXOR(x(3), next, next)

	// t0 = t1 ^ t3 is not rotated.
	if late {
		e.VPXOR(d, next, d)
	} else {
		e.VPXOR(next, x(0), x(0))
		e.VPXOR(x(0), d, d)
	}
	e.VPXOR(b, d, d)
	e.VPXOR(in, d, d)
	e.VPSHUFB(e.pool.row("spread rol16", spreadRotate(2)), b, s)
	e.VPSHUFB(e.pool.row("spread rol8", spreadRotate(1)), b, b)
	e.VPXOR(s, b, b)
	e.VPXOR(b, d, in)
	if late {
		e.VPXOR(x(0), in, in)
	}
	e.VPXOR(in, next, x(0))
}
