package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// box is a way to compute the S-box, and with it the layout of the state that
// suits it. The rounds, the modes and the register width do not depend on it.
//
// A group is four vectors that hold one word each of 4 (xmm), 8 (ymm) or 16
// (zmm) blocks. Parameters s and t are scratch.
type box interface {
	// constants fills the registers from firstConstant on, which nothing else
	// writes to between the batches of a routine.
	constants(e *emitter, w width)
	// mapBytes replaces each byte of x by f of it, for an affine f.
	mapBytes(e *emitter, name string, f byteMap, x, s, t reg.VecPhysical)
	// layout brings words with their bytes in memory order into the state's
	// layout. It is its own inverse.
	layout(e *emitter, x reg.VecPhysical)
	// broadcast loads a word in the basis, such as a round key, for all blocks.
	broadcast(e *emitter, w width, word operand.Mem, x reg.VecPhysical)
	// keyRegister is where the round key lies that all groups share. If there is
	// none, each group loads the key for itself.
	keyRegister(w width) reg.VecPhysical
	// invert begins the S-box of x: the part with a long latency.
	invert(e *emitter, w width, x, s reg.VecPhysical)
	// mix ends it and applies the linear layer: x = L(S(...)) ^ y.
	mix(e *emitter, w width, x reg.VecPhysical, y operand.Mem, s [3]reg.VecPhysical)

	// The serial modes have a layout of their own: see serial.go.
	serialConstants(e *emitter)
	// spread puts word i of block x, in the basis, into y.
	spread(e *emitter, i int, x, y reg.VecPhysical)
	// spreadKey loads the round key at an offset.
	spreadKey(e *emitter, offset int, k reg.VecPhysical)
	// gather makes a block, in the basis, of four spread words; b is scratch.
	gather(e *emitter, w [4]reg.VecPhysical, a, b reg.VecPhysical)
	// serialRound does round i (mod 4) and makes the operand of the next one.
	serialRound(e *emitter, i, nextKey int)

	// keyConstants fills registers 4 to 11 for the key expansion, and keyMap
	// makes y = map k of its S-box of x, which keySubstitute has begun.
	keyConstants(e *emitter)
	keySubstitute(e *emitter, x, lo reg.VecPhysical)
	keyMap(e *emitter, k int, x, lo, y, s reg.VecPhysical)
}

// firstConstant is the first vector register that belongs to the box.
const firstConstant = 7

// intoBasis brings words with their bytes in memory order into the state's form.
func (e *emitter) intoBasis(b box, x, s, t reg.VecPhysical) {
	b.layout(e, x)
	b.mapBytes(e, "in", e.fold.in, x, s, t)
}

// enter turns a group of blocks into a group of words; leave does the opposite,
// to blocks whose words are x[3], x[2], x[1], x[0]: the standard's final
// reversal.
func (e *emitter) enter(b box, x [4]reg.VecPhysical, s, t reg.VecPhysical) {
	e.transpose(x[0], x[1], x[2], x[3], s, t)
	for _, v := range x {
		e.intoBasis(b, v, s, t)
	}
}

func (e *emitter) leave(b box, x [4]reg.VecPhysical, s, t reg.VecPhysical) {
	for _, v := range x {
		b.mapBytes(e, "out", e.fold.out, v, s, t)
		b.layout(e, v)
	}
	e.transpose(x[3], x[2], x[1], x[0], s, t)
}

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
