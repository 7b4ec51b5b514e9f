package main

import (
	"encoding/binary"
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gfni computes the S-box with GF2P8AFFINEINVQB: the field inverse and an affine
// map in one instruction. A round is t0, t1 and t3 of it and the byte rotations
//
//	L(S(x)) = t0 ^ t1<<<8 ^ t1<<<16 ^ t3<<<24
//
// The layout of a group is the plane-fold: in each 128-bit lane, which holds a
// word of four blocks, the bytes are transposed, so that double word j has byte
// j (in memory order) of the four:
//
//	a0 a1 a2 a3  b0 b1 b2 b3  c0 ...   to   a0 b0 c0 d0  a1 b1 c1 d1  a2 ...
//
// Then a rotation of the words by 8k bits to the left, which takes byte j from
// byte j+k, is a VPSHUFD.
//
// With evex, the routines may use AVX-512.
type gfni struct{ evex bool }

// rotation is the VPSHUFD operand that rotates words by 8k bits to the left.
func rotation(k int) operand.U8 {
	imm := 0
	for j := range 4 {
		imm |= (j + k) & 3 << (2 * j)
	}
	return operand.U8(imm)
}

type gfniConstants struct{ t0, t1, t3, spread, key reg.VecPhysical }

// registers are the last ones of those that the width has, also in the serial
// modes, whose matrices are the same.
func (box gfni) registers(w width) (c gfniConstants) {
	first := firstConstant
	if w == zmm {
		first = 27
	}
	for i, r := range []*reg.VecPhysical{&c.t0, &c.t1, &c.t3, &c.spread, &c.key} {
		*r = w.reg(first + i)
	}
	return c
}

func (c gfniConstants) load(e *emitter) {
	for _, m := range []struct {
		name string
		f    byteMap
		to   reg.VecPhysical
	}{{"t0", e.fold.t0, c.t0}, {"t1", e.fold.t1, c.t1}, {"t3", e.fold.t3, c.t3}} {
		row, _ := e.matrixRow(m.name, afterInverse(m.f))
		e.mov(row, m.to)
	}
	e.mov(e.pool.row("spread 0", spreadBytes(0)), c.spread)
}

// matrixRow returns the rows of an affine map's matrix and its constant.
func (e *emitter) matrixRow(name string, f byteMap) (row operand.Mem, c operand.U8) {
	m, k := affine(f)
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], m)
	binary.LittleEndian.PutUint64(b[8:], m)
	return e.pool.row(name+" matrix", b), operand.U8(k)
}

// boxConstant is the constant of t0, t1 or t3.
func boxConstant(f byteMap) operand.U8 {
	_, c := affine(afterInverse(f))
	return operand.U8(c)
}

func (box gfni) constants(e *emitter, w width) {
	box.registers(w).load(e)
}

func (gfni) mapBytes(e *emitter, name string, f byteMap, x, _, _ reg.VecPhysical) {
	row, c := e.matrixRow(name, f)
	e.VGF2P8AFFINEQB(c, row, x, x)
}

// planes transposes the bytes of four words.
func planes() (row [16]byte) {
	for i := range 4 {
		for j := range 4 {
			row[4*j+i] = byte(4*i + j)
		}
	}
	return row
}

func (gfni) layout(e *emitter, x reg.VecPhysical) {
	e.VPSHUFB(e.pool.row("planes", planes()), x, x)
}

// spreadBytes fills double word j with byte j of word i.
func spreadBytes(i int) (row [16]byte) {
	for j := range 16 {
		row[j] = byte(4*i + j/4)
	}
	return row
}

func (box gfni) broadcast(e *emitter, w width, word operand.Mem, x reg.VecPhysical) {
	e.VBROADCASTSS(word, x)
	e.VPSHUFB(box.registers(w).spread, x, x)
}

func (box gfni) keyRegister(w width) reg.VecPhysical { return box.registers(w).key }

func (gfni) invert(*emitter, width, reg.VecPhysical, reg.VecPhysical) {}

// sum3 makes a, b, d = t0, t1, t3 of x. a may be x.
func (box gfni) sum3(e *emitter, c gfniConstants, x, a, b, d reg.VecPhysical) {
	e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t1), c.t1, x, b)
	e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t3), c.t3, x, d)
	e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t0), c.t0, x, a)
}

func (box gfni) mix(e *emitter, w width, x reg.VecPhysical, y operand.Mem, s [3]reg.VecPhysical) {
	b, d, r := s[0], s[1], s[2]
	box.sum3(e, box.registers(w), x, x, b, d)
	e.VPXOR(y, x, x)
	e.VPSHUFD(rotation(1), b, r)
	e.VPSHUFD(rotation(2), b, b)
	e.VPSHUFD(rotation(3), d, d)
	e.VPXOR(r, b, b)
	e.VPXOR(d, x, x)
	e.VPXOR(b, x, x)
}

// The serial modes have a word's byte j in the whole of double word j, or, with
// AVX-512's rotations, the word in every double word: then a round key is as it
// was loaded. The chain is GF2P8AFFINEINVQB, a rotation and two XORs.
//
// On Intel's cores since Golden Cove GF2P8AFFINEINVQB takes 3 cycles. But an
// instruction that is neither GFNI's nor AES's and reads its result takes 3 where
// it takes 1 otherwise, counted from its last operand, and 4 if it starts one to
// three cycles after that result came. So the rotations and the XOR of t0 read
// nothing that may come later, and a round is 3+3+1+1 cycles.
//
// More than that is lost when two of them want the same port. With AVX-512 the
// rotations of t1, which all else waits for, cannot: VPALIGNR has port 5, VPRORD
// the ports 0 and 1 (a register has the same word four times, so its rotation by
// bytes rotates the words). The other ports are chosen when the instructions enter
// the scheduler, six at a time. The idle instructions shift the sixes. Where they
// stand, and the order of the rest, is what served best, wherever the routine
// begins, of some hundred thousand that were timed: a block of CBC takes 257
// cycles, 31 rounds of 8 being 248. Without AVX-512 a round is 9.8.

// serialMatrices are the constants of the serial rounds.
var serialMatrices = gfniConstants{
	t0: serialTables[0], t1: serialTables[1], t3: serialTables[2], spread: serialTables[3],
}

func (gfni) serialConstants(e *emitter) {
	serialMatrices.load(e)
}

func (box gfni) spread(e *emitter, i int, x, y reg.VecPhysical) {
	if box.evex {
		e.VPSHUFD(operand.U8(0x55*i), x, y)
		return
	}
	e.VPSHUFB(e.pool.row(fmt.Sprintf("spread %d", i), spreadBytes(i)), x, y)
}

func (box gfni) spreadKey(e *emitter, key operand.Mem, k reg.VecPhysical) {
	e.VBROADCASTSS(key, k)
	if !box.evex {
		e.VPSHUFB(serialMatrices.spread, k, k)
	}
}

// gather narrows double words to bytes, which must not be negative for the
// packing instructions.
func (box gfni) gather(e *emitter, w [4]reg.VecPhysical, a, b reg.VecPhysical) {
	if box.evex {
		e.VPUNPCKLDQ(w[1], w[0], a)
		e.VPUNPCKLDQ(w[3], w[2], b)
		e.VPUNPCKLQDQ(b, a, a)
		return
	}
	s := serialS
	e.VPSRLD(operand.U8(24), w[0], a)
	e.VPSRLD(operand.U8(24), w[1], s)
	e.VPACKUSDW(s, a, a)
	e.VPSRLD(operand.U8(24), w[2], b)
	e.VPSRLD(operand.U8(24), w[3], s)
	e.VPACKUSDW(s, b, b)
	e.VPACKUSWB(b, a, a)
}

// serialPadding makes a turn of four rounds, of 15 instructions each, a multiple
// of six.
func (box gfni) serialPadding() int {
	if box.evex {
		return 5
	}
	return 0
}

// With AVX-512 the word that a round makes is left as serialIn ^ serialNext: the
// XOR would be ready for a port just when the next round begins.

func (box gfni) serialBegin(e *emitter) {
	if box.evex {
		e.VPXOR(serialIn, serialWord[3], serialNext)
	}
}

func (box gfni) serialEnd(e *emitter) {
	if box.evex {
		e.VPXOR(serialIn, serialNext, serialWord[3])
	}
}

func (box gfni) serialRound(e *emitter, i int, nextKey operand.Mem, late bool) {
	x := func(j int) reg.VecPhysical { return serialWord[(i+j)&3] }
	in, a, b, d, s, next := serialIn, serialLow, serialB, serialD, serialS, serialNext
	m := serialMatrices
	t0 := func() { e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t0), m.t0, in, a) }
	t1 := func() { e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t1), m.t1, in, b) }
	t3 := func() { e.VGF2P8AFFINEINVQB(boxConstant(e.fold.t3), m.t3, in, d) }
	if box.evex {
		t1()
		e.nops(2)
		t3()
		t0()
		e.VPALIGNR(operand.U8(2), b, b, s)
		e.VPRORD(operand.U8(8), b, b)
		e.VPRORD(operand.U8(24), d, d)
		if !late {
			e.VPXOR(in, next, x(3)) // of the round before
		}
		e.nops(1)
		e.VPXORD_BCST(nextKey, x(3), next)
		e.VPXOR(x(2), next, next)
		e.VPXOR(s, b, in)
		if late {
			e.VPXOR(next, a, a)
			e.xor3(a, d, in)
			e.VPXOR(x(0), in, in)
			return
		}
		e.xor3(next, x(0), a)
		e.xor3(a, d, in)
		return
	}
	t1()
	e.VBROADCASTSS(nextKey, next)
	t0()
	t3()
	e.VPSHUFD(rotation(3), d, in)
	e.VPSHUFB(m.spread, next, next)
	e.VPSHUFD(rotation(1), b, s)
	e.VPSHUFD(rotation(2), b, b)
	e.VPXOR(x(2), next, next)
	e.VPXOR(x(3), next, next)
	acc := next
	if !late {
		acc = x(0)
		e.VPXOR(next, acc, acc)
	}
	e.VPXOR(acc, a, a)
	e.VPXOR(b, s, s)
	e.VPXOR(a, in, in)
	e.VPXOR(s, in, in)
	if late {
		e.VPXOR(x(0), in, in)
	}
	e.VPXOR(in, next, x(0))
}

func (gfni) keyConstants(e *emitter) {
	for k, f := range e.fold.key {
		row, _ := e.matrixRow(fmt.Sprintf("key %d", k), afterInverse(f))
		e.VMOVDQU(row, vectors[4+k])
	}
}

func (gfni) keySubstitute(*emitter, reg.VecPhysical, reg.VecPhysical) {}

func (gfni) keyMap(e *emitter, k int, x, _, y, _ reg.VecPhysical) {
	e.VGF2P8AFFINEINVQB(boxConstant(e.fold.key[k]), vectors[4+k], x, y)
}
