package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A row is four words of the state in an xmm register, so that one instruction
// works on all columns, or on all diagonals once rows were rotated. The row of
// words 4 to 7 is what everything waits for, and therefore stays where it is;
// the other three are rotated against it while it is not yet known.
//
// On a diagonal the places of the row 4 5 6 7 then belong to the last G and the
// first three.
var diagonal = [4]int{3, 0, 1, 2}

// form is an encoding of the instructions on rows. Two-operand instructions copy
// their operands first where that is needed.
type form interface {
	name() string
	prepare(e *emitter)
	add(e *emitter, a operand.Op, dst reg.Register)
	xor(e *emitter, a operand.Op, dst reg.Register)
	ror(e *emitter, n int, x reg.Register)
	shuffle(e *emitter, order int, x reg.Register)
	move(e *emitter, a, b operand.Op)
	quads(e *emitter, lower, upper, x reg.Register)
	message(e *emitter)
	// words leaves the words that a half of a round takes in the two registers:
	// those of the first and of the second step of each G.
	words(e *emitter, round, half int) (x, y reg.Register)
	end(e *emitter)
}

const (
	rotate1 = 0x39 // words 1 2 3 0
	rotate2 = 0x4e
	rotate3 = 0x93
)

// rows is the compression function for one message in rows.
func (e *emitter) rows(f form) {
	name := "Compress" + f.name()
	e.begin(name, singleSignature, append(singleDoc(name),
		"X0 to X3 are the rows of the state, X4 and X5 the chaining value."))
	a, b, c, d := xregs[0], xregs[1], xregs[2], xregs[3]
	h0, h1 := xregs[4], xregs[5]

	e.Load(e.Param("h"), reg.RDI)
	e.Load(e.Param("counter"), reg.RAX)
	e.Load(e.Param("last"), reg.R8)
	e.Load(e.Param("p"), reg.RSI)
	e.Load(e.Param("n"), reg.RCX)
	f.move(e, at(reg.RDI, 0), h0)
	f.move(e, at(reg.RDI, 16), h1)
	f.prepare(e)

	e.Label("block")
	e.ADDQ(operand.I32(64), reg.RAX)
	f.message(e)
	f.move(e, h0, a)
	f.move(e, h1, b)
	f.move(e, e.pool.words(iv[:4]...), c)
	f.quads(e, reg.RAX, reg.R8, d)
	f.xor(e, e.pool.words(iv[4:]...), d)
	for round := range sigma {
		for half := range 2 {
			e.Comment(fmt.Sprintf("Round %d, %s", round, []string{"columns", "diagonals"}[half]))
			x, y := f.words(e, round, half)
			for i, words := range []reg.Register{x, y} {
				f.add(e, words, a)
				f.add(e, b, a)
				f.xor(e, a, d)
				f.ror(e, []int{16, 8}[i], d)
				f.add(e, d, c)
				f.xor(e, c, b)
				f.ror(e, []int{12, 7}[i], b)
			}
			if half == 0 {
				f.shuffle(e, rotate3, a)
				f.shuffle(e, rotate2, d)
				f.shuffle(e, rotate1, c)
			} else {
				f.shuffle(e, rotate1, a)
				f.shuffle(e, rotate2, d)
				f.shuffle(e, rotate3, c)
			}
		}
	}
	f.xor(e, c, h0)
	f.xor(e, d, h1)
	f.xor(e, a, h0)
	f.xor(e, b, h1)
	e.ADDQ(operand.I32(64), reg.RSI)
	e.DECQ(reg.RCX)
	e.JNZ(ref("block"))
	f.move(e, h0, at(reg.RDI, 0))
	f.move(e, h1, at(reg.RDI, 16))
	f.end(e)
	e.RET()
}

// taken returns the message words of a half of a round in the order of the
// places in a row: those of the first step of each G, then those of the second.
func taken(round, half int) (words [8]int) {
	for place := range 4 {
		g := place
		if half == 1 {
			g = diagonal[place]
		}
		words[place] = sigma[round][8*half+2*g]
		words[4+place] = sigma[round][8*half+2*g+1]
	}
	return words
}

// sse is the two-operand encoding. Message words are gathered one by one, which
// is off the path that everything waits for.
type sse struct{}

func (sse) name() string { return "SSE41" }

// X6 is a temporary, X7 and X8 are the rotations by 16 and 8, X9 to X12 words.
func (sse) prepare(e *emitter) {
	e.MOVOU(e.pool.rotation(16, 16), reg.X7)
	e.MOVOU(e.pool.rotation(8, 16), reg.X8)
}

func (sse) add(e *emitter, a operand.Op, dst reg.Register) { e.PADDD(a, dst) }
func (sse) xor(e *emitter, a operand.Op, dst reg.Register) { e.PXOR(a, dst) }
func (sse) shuffle(e *emitter, order int, x reg.Register)  { e.PSHUFD(operand.U8(order), x, x) }
func (sse) move(e *emitter, a, b operand.Op)               { e.MOVOU(a, b) }
func (sse) message(*emitter)                               {}
func (sse) end(*emitter)                                   {}

func (sse) quads(e *emitter, lower, upper, x reg.Register) {
	e.MOVQ(lower, x)
	e.PINSRQ(operand.U8(1), upper, x)
}

func (sse) ror(e *emitter, n int, x reg.Register) {
	switch n {
	case 16:
		e.PSHUFB(reg.X7, x)
	case 8:
		e.PSHUFB(reg.X8, x)
	default:
		e.MOVOA(x, reg.X6)
		e.PSRLL(operand.U8(n), x)
		e.PSLLL(operand.U8(32-n), reg.X6)
		e.PXOR(reg.X6, x)
	}
}

func (sse) words(e *emitter, round, half int) (x, y reg.Register) {
	into := xregs[9+2*half:][:2]
	for i, word := range taken(round, half) {
		m := at(reg.RSI, 4*word)
		if i%4 == 0 {
			e.MOVSS(m, into[i/4]) // Go's MOVD would load eight bytes
		} else {
			e.PINSRD(operand.U8(i%4), m, into[i/4])
		}
	}
	return into[0], into[1]
}

// evex is the three-operand encoding of AVX-512. A permutation takes the words
// of both steps out of the message block, which is in Y16 and Y17.
type evex struct{}

func (evex) name() string                                   { return "AVX512" }
func (evex) prepare(*emitter)                               {}
func (evex) add(e *emitter, a operand.Op, dst reg.Register) { e.VPADDD(a, dst, dst) }
func (evex) xor(e *emitter, a operand.Op, dst reg.Register) { e.VPXOR(a, dst, dst) }
func (evex) ror(e *emitter, n int, x reg.Register)          { e.VPRORD(operand.U8(n), x, x) }
func (evex) shuffle(e *emitter, order int, x reg.Register)  { e.VPSHUFD(operand.U8(order), x, x) }
func (evex) move(e *emitter, a, b operand.Op)               { e.VMOVDQU(a, b) }
func (evex) end(e *emitter)                                 { e.VZEROUPPER() }

func (evex) quads(e *emitter, lower, upper, x reg.Register) {
	e.VMOVQ(lower, x)
	e.VPINSRQ(operand.U8(1), upper, x, x)
}

func (evex) message(e *emitter) {
	e.VMOVDQU32(at(reg.RSI, 0), reg.Y16)
	e.VMOVDQU32(at(reg.RSI, 32), reg.Y17)
}

func (evex) words(e *emitter, round, half int) (x, y reg.Register) {
	n := 8 + 2*((2*round+half)%4)
	words := taken(round, half)
	var order [8]uint32
	for i, w := range words {
		order[i] = uint32(w)
	}
	e.VMOVDQU(e.pool.words(order[:]...), yregs[n])
	e.VPERMI2D(reg.Y17, reg.Y16, yregs[n])
	e.VEXTRACTI128(operand.U8(1), yregs[n], xregs[n+1])
	return xregs[n], xregs[n+1]
}

var (
	xregs = []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}
	yregs = []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		reg.Y16, reg.Y17, reg.Y18, reg.Y19, reg.Y20, reg.Y21, reg.Y22, reg.Y23,
		reg.Y24, reg.Y25, reg.Y26, reg.Y27, reg.Y28, reg.Y29, reg.Y30, reg.Y31,
	}
	zregs = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
)
