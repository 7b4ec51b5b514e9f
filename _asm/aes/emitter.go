package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emitter writes one file. It adds to avo's context the constants and
// operations on vectors of any width.
type emitter struct {
	*build.Context
	tier   tier
	pool   *pool
	labels int
}

// General registers, the same in every routine.
var (
	rkReg     = reg.RAX // round keys
	roundsReg = reg.RBX // number of rounds
	leftReg   = reg.RCX // bytes left
	tweakReg  = reg.RDX // XTS: round keys of the tweak's cipher
	srcReg    = reg.RSI
	dstReg    = reg.RDI
	firstReg  = reg.R8 // offset of the first round key
	lenReg    = reg.R9 // length of the message, or of the data unit
	tempReg   = reg.R10
	ivReg     = reg.R11
	batchReg  = reg.R12 // XTS: units left whose tweaks are encrypted
	unitsReg  = reg.R13 // XTS: units left
)

// label makes a name that is unique in the file.
func (e *emitter) label(what string) string {
	e.labels++
	return fmt.Sprintf("%s_%d", what, e.labels)
}

func ref(label string) operand.LabelRef { return operand.LabelRef(label) }

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

func index(base, index reg.Register, disp int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 1, Disp: disp}
}

// begin starts a routine.
func (e *emitter) begin(name, signature string, doc []string) {
	e.Function(name)
	e.Attributes(attr.NOSPLIT)
	e.Doc(doc...)
	e.Pragma("noescape")
	e.SignatureExpr(signature)
}

// load loads arguments. Every routine has the first two.
func (e *emitter) load(args ...any) {
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("rounds"), roundsReg)
	for i := 0; i < len(args); i += 2 {
		e.Load(e.Param(args[i].(string)), args[i+1].(reg.Register))
	}
	e.MOVQ(operand.I32(14), firstReg)
	e.SUBQ(roundsReg, firstReg)
	e.SHLQ(operand.U8(4), firstReg)
}

// end returns. After routines with wide registers the upper parts of the
// registers are cleared, or the SSE instructions that follow would be slow.
func (e *emitter) end() {
	if e.tier.wide.bytes > 16 {
		e.VZEROUPPER()
	}
	e.RET()
}

// width is the register width of a part of a routine, with the encoding of its
// instructions: two-operand SSE, VEX or EVEX.
type width struct {
	bytes int
	sse   bool
}

var (
	sse = width{16, true}
	xmm = width{16, false}
	ymm = width{32, false}
	zmm = width{64, false}
)

// reg returns vector register i.
func (w width) reg(i int) reg.VecPhysical {
	switch w.bytes {
	case 16:
		return xregs[i]
	case 32:
		return yregs[i]
	}
	return zregs[i]
}

// regs returns vector registers from first on.
func (w width) regs(first, n int) []reg.VecPhysical {
	var r []reg.VecPhysical
	for i := range n {
		r = append(r, w.reg(first+i))
	}
	return r
}

// blocks is the number of blocks in a register.
func (w width) blocks() int { return w.bytes / 16 }

var (
	xregs = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
	}
	yregs = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	zregs = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	}
)

// The operations below take operands in the assembler's order, the destination
// last. Memory need not be aligned. In SSE form an operation on two operands
// copies the second to the destination first, which then must not be the first.

func (w width) load(e *emitter, m operand.Mem, x reg.Register) {
	switch {
	case w.sse:
		e.MOVOU(m, x)
	case w.bytes == 64:
		e.VMOVDQU64(m, x)
	default:
		e.VMOVDQU(m, x)
	}
}

func (w width) store(e *emitter, x reg.Register, m operand.Mem) {
	switch {
	case w.sse:
		e.MOVOU(x, m)
	case w.bytes == 64:
		e.VMOVDQU64(x, m)
	default:
		e.VMOVDQU(x, m)
	}
}

func (w width) move(e *emitter, x, y reg.Register) {
	switch {
	case w.sse:
		e.MOVOA(x, y)
	case w.bytes == 64:
		e.VMOVDQA64(x, y)
	default:
		e.VMOVDQA(x, y)
	}
}

// broadcast loads a block into every lane.
func (w width) broadcast(e *emitter, m operand.Mem, x reg.Register) {
	switch w.bytes {
	case 16:
		w.load(e, m, x)
	case 32:
		e.VBROADCASTI128(m, x)
	case 64:
		e.VBROADCASTI32X4(m, x)
	}
}

// spread copies the lowest lane of x to all lanes of y.
func (w width) spread(e *emitter, x, y int) {
	switch w.bytes {
	case 16:
		if x != y {
			w.move(e, w.reg(x), w.reg(y))
		}
	case 32:
		e.VINSERTI128(operand.U8(1), xregs[x], yregs[x], yregs[y])
	case 64:
		e.VSHUFI32X4(operand.U8(0), zregs[x], zregs[x], zregs[y])
	}
}

func (w width) xor(e *emitter, a, b, dst reg.Register) {
	switch {
	case w.sse && a == dst:
		e.PXOR(b, dst)
	case w.sse:
		if b != dst {
			e.MOVOA(b, dst)
		}
		e.PXOR(a, dst)
	case w.bytes == 64:
		e.VPXORQ(a, b, dst)
	default:
		e.VPXOR(a, b, dst)
	}
}

// xor3 adds a and b to x. The one that is known last should be x.
func (w width) xor3(e *emitter, a, b, x reg.Register) {
	if w.bytes == 64 {
		e.VPTERNLOGQ(operand.U8(0x96), a, b, x)
		return
	}
	w.xor(e, a, x, x)
	w.xor(e, b, x, x)
}

// The functions of stealing exist for one block only.

func (w width) and(e *emitter, a, dst reg.Register) {
	if w.sse {
		e.PAND(a, dst)
	} else {
		e.VPAND(a, dst, dst)
	}
}

func (w width) shuffle(e *emitter, mask, x reg.Register) {
	if w.sse {
		e.PSHUFB(mask, x)
	} else {
		e.VPSHUFB(mask, x, x)
	}
}
