package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
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
)

// reg returns vector register i.
func (w width) reg(i int) reg.VecPhysical {
	if w == ymm {
		return yregs[i]
	}
	return xregs[i]
}

// blocks is the number of blocks in one register, and in a group of four
// registers four times that.
func (w width) blocks() int { return int(w) / 16 }

var (
	xregs = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
	}
	yregs = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
)

// tables returns the two rows of an affine map.
func (e *emitter) tables(name string, f byteMap) (low, high operand.Mem) {
	l, h := nibbles(f)
	return e.pool.row(name+".low", l), e.pool.row(name+".high", h)
}

// mapBytes replaces each byte of x by f of it; s and t are scratch.
func (e *emitter) mapBytes(name string, f byteMap, x, s, t reg.VecPhysical) {
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
