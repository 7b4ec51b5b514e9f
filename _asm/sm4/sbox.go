package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// box is a way to compute the S-box, and with it the layout of the state that
// suits it. The rounds, the modes and the register width do not depend on it.
//
// A group is four vectors that hold one word each of 4 (xmm) or 8 (ymm) blocks.
// Parameters s are scratch.
type box interface {
	// constants fills the registers from firstConstant on, which nothing else
	// writes to between the batches of a routine.
	constants(e *emitter, w width)
	// enter turns a group of blocks into a group of words; leave does the
	// opposite, to blocks whose words are x[3], x[2], x[1], x[0]: the standard's
	// final reversal.
	enter(e *emitter, x [4]reg.VecPhysical, s, t reg.VecPhysical)
	leave(e *emitter, x [4]reg.VecPhysical, s, t reg.VecPhysical)
	// intoBasis does enter's work on words that lie in a register already, with
	// their bytes in memory order.
	intoBasis(e *emitter, x, s, t reg.VecPhysical)
	// roundKey loads a round key for all blocks.
	roundKey(e *emitter, rk operand.Mem, k reg.VecPhysical)
	// invert begins the S-box of x: the part with a long latency.
	invert(e *emitter, w width, x, s reg.VecPhysical)
	// mix ends it and applies the linear layer: x = L(S(...)) ^ y.
	mix(e *emitter, w width, x reg.VecPhysical, y operand.Mem, s [3]reg.VecPhysical)
}

// firstConstant is the first vector register that belongs to the box.
const firstConstant = 7

// aesni computes the S-box with VAESENCLAST and keeps the bytes of each word in
// memory order, so the blocks need no byte swap: rotating a word by 8 bits to
// the left takes each byte from the next higher place.
//
// VAESENCLAST also does AES's ShiftRows, which moves byte 4c+r to 4(c-r)+r. The
// look-ups do not care where a byte lies, and the shuffles that rotate words
// bring everything back.
//
// In ymm registers VAESENCLAST is done on the two halves, because on ymm it
// would need VAES.
type aesni struct{}

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

func (aesni) enter(e *emitter, x [4]reg.VecPhysical, s, t reg.VecPhysical) {
	for _, v := range x {
		e.mapBytes("in", e.fold.in, v, s, t)
	}
	e.transpose(x[0], x[1], x[2], x[3], s, t)
}

func (aesni) leave(e *emitter, x [4]reg.VecPhysical, s, t reg.VecPhysical) {
	e.transpose(x[3], x[2], x[1], x[0], s, t)
	for _, v := range x {
		e.mapBytes("out", e.fold.out, v, s, t)
	}
}

func (aesni) intoBasis(e *emitter, x, s, t reg.VecPhysical) {
	e.mapBytes("in", e.fold.in, x, s, t)
}

func (aesni) roundKey(e *emitter, rk operand.Mem, k reg.VecPhysical) {
	e.VBROADCASTSS(rk, k)
}

func (box aesni) invert(e *emitter, w width, x, s reg.VecPhysical) {
	key := box.registers(xmm).nibble
	if w == xmm {
		e.VAESENCLAST(key, x, x)
		return
	}
	low, high := x.AsX(), s.AsX()
	e.VEXTRACTI128(operand.U8(1), x, high)
	e.VAESENCLAST(key, low, low)
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
