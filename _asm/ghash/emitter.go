package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// emitter writes one file. It adds to avo's context the constants and the
// operations on vectors of the tier's width.
type emitter struct {
	*build.Context
	width
	tier   tier
	pool   *pool
	labels int
}

// width is the register width of a tier, in bytes.
type width int

const (
	xmm width = 16
	ymm width = 32
	zmm width = 64
)

// lanes is the number of blocks in a register.
func (w width) lanes() int { return int(w) / 16 }

// vectors is the number of registers' worth of blocks between two reductions.
const vectors = 8

// blocks is the number of blocks between two reductions.
func (w width) blocks() int { return vectors * w.lanes() }

// General registers, the same in both routines.
var (
	powersReg = reg.RAX
	blockReg  = reg.RBX // h or acc
	leftReg   = reg.RCX // blocks left
	powerReg  = reg.RDX // the power of the next block
	srcReg    = reg.RSI
)

// Masks of the lower and of the upper halves of all lanes, in zmm only.
var lowerHalves, upperHalves = reg.K1, reg.K2

// v returns vector register i.
func (w width) v(i int) reg.VecPhysical {
	var r reg.Register = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}[i]
	switch x := r.(reg.VecPhysical); w {
	case ymm:
		return x.AsY().(reg.VecPhysical)
	case zmm:
		return x.AsZ().(reg.VecPhysical)
	default:
		return x
	}
}

// label makes a name that is unique in the file.
func (e *emitter) label(what string) string {
	e.labels++
	return fmt.Sprintf("%s_%d", what, e.labels)
}

func ref(label string) operand.LabelRef { return operand.LabelRef(label) }

func at(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// begin starts a routine.
func (e *emitter) begin(name, signature string, doc ...string) {
	e.Function(name + e.tier.suffix)
	e.Attributes(attr.NOSPLIT)
	e.Doc(append(doc, fmt.Sprintf("Source: NIST SP 800-38D section 6.4. Constant-time. Features: %s.", e.tier.features))...)
	e.Pragma("noescape")
	e.SignatureExpr(signature)
}

// end returns. The upper parts of wide registers are cleared, or SSE
// instructions that follow would be slow.
func (e *emitter) end() {
	if e.width > xmm {
		e.VZEROUPPER()
	}
	e.RET()
}

// The operations below take operands in the assembler's order, the destination
// last. Memory need not be aligned.

func (w width) load(e *emitter, m operand.Mem, x reg.Register) {
	if w == zmm {
		e.VMOVDQU64(m, x)
	} else {
		e.VMOVDQU(m, x)
	}
}

func (w width) store(e *emitter, x reg.Register, m operand.Mem) {
	if w == zmm {
		e.VMOVDQU64(x, m)
	} else {
		e.VMOVDQU(x, m)
	}
}

// broadcast loads a block into every lane.
func (w width) broadcast(e *emitter, m operand.Mem, x reg.Register) {
	switch w {
	case xmm:
		e.VMOVDQU(m, x)
	case ymm:
		e.VBROADCASTI128(m, x)
	case zmm:
		e.VBROADCASTI32X4(m, x)
	}
}

// spread copies the lowest lane of x to all lanes of y.
func (w width) spread(e *emitter, x, y int) {
	switch w {
	case xmm:
		e.VMOVDQA(w.v(x), w.v(y))
	case ymm:
		e.VINSERTI128(operand.U8(1), xmm.v(x), w.v(x), w.v(y))
	case zmm:
		e.VSHUFI64X2(operand.U8(0), w.v(x), w.v(x), w.v(y))
	}
}

func (w width) xor(e *emitter, a, b, dst int) {
	if w == zmm {
		e.VPXORQ(w.v(a), w.v(b), w.v(dst))
	} else {
		e.VPXOR(w.v(a), w.v(b), w.v(dst))
	}
}

// xor3 adds a and b to x. The one that is known last should be x.
func (w width) xor3(e *emitter, a, b, x int) {
	if w == zmm {
		e.VPTERNLOGQ(operand.U8(0x96), w.v(a), w.v(b), w.v(x))
		return
	}
	w.xor(e, a, x, x)
	w.xor(e, b, x, x)
}

// halves is a choice of the halves that a carry-less multiplication takes.
type halves uint8

const (
	lowLow   halves = 0x00
	highLow  halves = 0x01 // high of the first factor
	lowHigh  halves = 0x10
	highHigh halves = 0x11
)

// multiply makes dst the product of a half of a and a half of b, in each lane.
// b is a register or memory.
func (w width) multiply(e *emitter, h halves, a int, b operand.Op, dst int) {
	e.VPCLMULQDQ(operand.U8(h), b, w.v(a), w.v(dst))
}

// swap makes y of x by exchanging the halves of each lane.
func (w width) swap(e *emitter, x, y int) {
	e.VPSHUFD(operand.U8(0x4e), w.v(x), w.v(y))
}

// halfSums makes the lower half of each lane of s the sum of x's halves and the
// upper half that of y's. t is scratch. A single instruction shuffles, for
// processors on which shuffles and multiplications share a pipe.
func (w width) halfSums(e *emitter, x, y, s, t int) {
	e.VPALIGNR(operand.U8(8), w.v(x), w.v(y), w.v(s)) // x's upper half, y's lower half
	switch w {
	case zmm:
		e.VPXORQ(w.v(x), w.v(s), lowerHalves, w.v(s))
		e.VPXORQ(w.v(y), w.v(s), upperHalves, w.v(s))
		return
	case ymm:
		e.VPBLENDD(operand.U8(0xcc), w.v(y), w.v(x), w.v(t))
	default:
		e.VPBLENDW(operand.U8(0xf0), w.v(y), w.v(x), w.v(t))
	}
	w.xor(e, t, s, s)
}

// halfMasks sets the masks that halfSums needs, by way of a general register.
func (e *emitter) halfMasks(temp reg.GPPhysical) {
	if e.width == zmm {
		e.MOVL(operand.U32(0x55), temp.As32())
		e.KMOVB(temp.As32(), lowerHalves)
		e.KNOTB(lowerHalves, upperHalves)
	}
}

// sum makes the lowest lane of x the sum of all lanes, and the others zero. t is
// scratch.
func (w width) sum(e *emitter, x, t int) {
	if w == zmm {
		e.VEXTRACTI64X4(operand.U8(1), zmm.v(x), ymm.v(t))
		ymm.xor(e, t, x, x)
	}
	if w >= ymm {
		e.VEXTRACTI128(operand.U8(1), ymm.v(x), xmm.v(t))
		xmm.xor(e, t, x, x)
	}
}
