package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emitter writes one file. It adds to avo's context the constants and what the
// routines of SM4 share.
type emitter struct {
	*build.Context
	pool   *pool
	fold   *fold
	labels int // used in the current routine

	windowLow operand.Mem // see window
	order     [16]int     // see plane
}

// label makes a name that is unique in the current routine.
func (e *emitter) label(what string) string {
	e.labels++
	return fmt.Sprintf("%s_%d", what, e.labels)
}

func ref(label string) operand.LabelRef { return operand.LabelRef(label) }

// width is the register width of a part of a routine.
type width int

const (
	xmm width = 16
	ymm width = 32
	zmm width = 64
)

// reg returns vector register i.
func (w width) reg(i int) reg.VecPhysical {
	switch w {
	case zmm:
		return vectors[i].AsZ().(reg.VecPhysical)
	case ymm:
		return vectors[i].AsY().(reg.VecPhysical)
	}
	return vectors[i]
}

// blocks is the number of blocks in one register, and in a group of four
// registers four times that.
func (w width) blocks() int { return int(w) / 16 }

// vectors are the vector registers; without AVX-512 there are 16.
var vectors = [32]reg.VecPhysical{
	reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
	reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
	reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
	reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
}

// low returns the lowest 128 bits of x.
func low(x reg.VecPhysical) reg.VecPhysical { return x.AsX().(reg.VecPhysical) }

// mov moves a whole register, or loads or stores it at any alignment.
func (e *emitter) mov(from, to operand.Op) {
	if evex(from) || evex(to) {
		e.VMOVDQU64(from, to)
	} else {
		e.VMOVDQU(from, to)
	}
}

// xor makes z = x ^ y.
func (e *emitter) xor(x operand.Op, y, z reg.VecPhysical) {
	if evex(z) {
		e.VPXORQ(x, y, z)
	} else {
		e.VPXOR(x, y, z)
	}
}

// xor3 makes z ^= x ^ y in one instruction of AVX-512.
func (e *emitter) xor3(x operand.Op, y, z reg.VecPhysical) {
	e.VPTERNLOGQ(operand.U8(0x96), x, y, z)
}

// nops fills up with instructions that do nothing but take their turn; Go's own
// NOP is none.
func (e *emitter) nops(n int) {
	for range n {
		e.Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []operand.Op{operand.U8(0x90)}})
	}
}

// evex tells registers that only instructions of AVX-512 reach.
func evex(x operand.Op) bool {
	r, ok := x.(reg.VecPhysical)
	return ok && (r.Size() == 64 || r.ID().Index() >= 16)
}

// transpose turns four rows of four words into columns, in each 128-bit lane;
// s and t are scratch. It is its own inverse.
func (e *emitter) transpose(a, b, c, d, s, t reg.VecPhysical) {
	e.VPUNPCKHDQ(b, a, s)
	e.VPUNPCKLDQ(b, a, a)
	e.VPUNPCKHDQ(d, c, t)
	e.VPUNPCKLDQ(d, c, c)
	e.VPUNPCKHQDQ(c, a, b)
	e.VPUNPCKLQDQ(c, a, a)
	e.VPUNPCKLQDQ(t, s, c)
	e.VPUNPCKHQDQ(t, s, d)
}
