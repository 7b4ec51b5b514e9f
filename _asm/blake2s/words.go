package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cell is a word of the state, in the register of every message.
type cell = reg.Register

// machine has the operations on the words of the state. The destination is
// last, as everywhere in the assembler.
type machine interface {
	add(a, dst cell)
	addWord(i int, dst cell) // adds word i of the message
	xor(a, dst cell)
	ror(n int, x, temp cell)
	get(m operand.Mem, x cell)
	put(x cell, m operand.Mem)
}

// quad is what one G works on.
type quad struct {
	a, b, c, d cell
	x, y       int // message words
	temp       cell
}

// mix does G on each of two or four quads, side by side. The second two lag
// behind the first two: processors have fewer units for rotations than for the
// rest, and should not meet four rotations in a row.
func mix(m machine, quads ...quad) {
	steps := []func(q quad){
		func(q quad) { m.addWord(q.x, q.a) },
		func(q quad) { m.add(q.b, q.a) },
		func(q quad) { m.xor(q.a, q.d) },
		func(q quad) { m.ror(16, q.d, q.temp) },
		func(q quad) { m.add(q.d, q.c) },
		func(q quad) { m.xor(q.c, q.b) },
		func(q quad) { m.ror(12, q.b, q.temp) },
		func(q quad) { m.addWord(q.y, q.a) },
		func(q quad) { m.add(q.b, q.a) },
		func(q quad) { m.xor(q.a, q.d) },
		func(q quad) { m.ror(8, q.d, q.temp) },
		func(q quad) { m.add(q.d, q.c) },
		func(q quad) { m.xor(q.c, q.b) },
		func(q quad) { m.ror(7, q.b, q.temp) },
	}
	const lag = 2
	for i := range len(steps) + lag {
		for j, q := range quads {
			step := i - j/2*lag
			if step >= 0 && step < len(steps) {
				steps[step](q)
			}
		}
	}
}

// split is a state of which the words 8 to 11 take turns in two registers: the
// others are in memory, since there are only fourteen registers for sixteen
// words. Two G go side by side.
type split struct {
	a, b, d [4]cell
	c       [2]cell
	temp    [2]cell // where rotations need it
	c01     [2]operand.Mem
	c23     [2]operand.Mem
}

// rounds does the ten rounds. It begins and ends with the words 8 and 9 in
// registers, 10 and 11 in memory.
func (s *split) rounds(m machine) {
	pair := func(i, shift int, words []int) {
		var q [2]quad
		for j := range q {
			k := i + j
			q[j] = quad{s.a[k], s.b[(k+shift)%4], s.c[j], s.d[(k+3*shift)%4], words[2*k], words[2*k+1], s.temp[j]}
		}
		mix(m, q[:]...)
	}
	swap := func(out, in [2]operand.Mem) {
		for j, c := range s.c {
			m.put(c, out[j])
			m.get(in[j], c)
		}
	}
	for _, words := range sigma {
		pair(0, 0, words[:8])
		swap(s.c01, s.c23)
		pair(2, 0, words[:8])
		pair(0, 1, words[8:]) // on a diagonal the third word is 10, then 11
		swap(s.c23, s.c01)
		pair(2, 1, words[8:])
	}
}

// general is one message in general registers.
type general struct {
	*emitter
	message operand.Mem
}

func (g general) add(a, dst cell)           { g.ADDL(a, dst) }
func (g general) addWord(i int, dst cell)   { g.ADDL(g.message.Offset(4*i), dst) }
func (g general) xor(a, dst cell)           { g.XORL(a, dst) }
func (g general) ror(n int, x, _ cell)      { g.RORL(operand.U8(n), x) }
func (g general) get(m operand.Mem, x cell) { g.MOVL(m, x) }
func (g general) put(x cell, m operand.Mem) { g.MOVL(x, m) }

// scalar is the compression function for one message in general registers.
func (e *emitter) scalar() {
	e.begin("CompressX86", singleSignature, append(singleDoc("CompressX86"),
		"The state is in the fourteen registers that are free, two words of its third row at a time; the message block is",
		"copied to the frame."))
	frame := e.AllocLocal(64 + 16 + 32)
	slot := func(i int) operand.Mem { return frame.Offset(64 + 4*i) }
	s := &split{
		a:   [4]cell{reg.EAX, reg.EBX, reg.ECX, reg.EDX},
		b:   [4]cell{reg.ESI, reg.EDI, reg.R8L, reg.R9L},
		d:   [4]cell{reg.R10L, reg.R11L, reg.R12L, reg.R13L},
		c:   [2]cell{reg.R14L, reg.R15L},
		c01: [2]operand.Mem{slot(0), slot(1)},
		c23: [2]operand.Mem{slot(2), slot(3)},
	}
	m := general{e, frame}
	counter, left, p, h := slot(4), slot(6), slot(8), slot(10)

	e.Comment("AX BX CX DX, SI DI R8 R9, R10 to R13: words 0 to 3, 4 to 7, 12 to 15; R14 R15: words 8 and 9, or 10 and 11")
	e.Load(e.Param("counter"), reg.RAX)
	e.MOVQ(reg.RAX, counter)
	e.Load(e.Param("n"), reg.RAX)
	e.MOVQ(reg.RAX, left)
	e.Load(e.Param("p"), reg.R15)
	e.Load(e.Param("h"), reg.R14)
	e.MOVQ(reg.R14, h)
	for i := range 4 {
		e.MOVL(at(reg.R14, 4*i), s.a[i])
		e.MOVL(at(reg.R14, 16+4*i), s.b[i])
	}
	e.Label("block")
	for i := range 4 {
		e.MOVOU(at(reg.R15, 16*i), xregs[i])
	}
	e.ADDQ(operand.I32(64), reg.R15)
	e.MOVQ(reg.R15, p)
	for i := range 4 {
		e.MOVOU(xregs[i], frame.Offset(16*i))
	}
	e.MOVQ(counter, reg.R10)
	e.ADDQ(operand.I32(64), reg.R10)
	e.MOVQ(reg.R10, counter)
	e.MOVQ(reg.R10, reg.R11)
	e.SHRQ(operand.U8(32), reg.R11)
	e.Load(e.Param("last"), reg.R12)
	e.XORL(operand.U32(iv[4]), s.d[0])
	e.XORL(operand.U32(iv[5]), s.d[1])
	e.XORL(operand.U32(iv[6]), s.d[2])
	e.MOVL(operand.U32(iv[7]), s.d[3])
	e.MOVL(operand.U32(iv[0]), s.c[0])
	e.MOVL(operand.U32(iv[1]), s.c[1])
	e.MOVL(operand.U32(iv[2]), s.c23[0])
	e.MOVL(operand.U32(iv[3]), s.c23[1])

	s.rounds(m)

	for i := range 2 {
		e.XORL(s.c[i], s.a[i])
		e.XORL(s.c23[i], s.a[2+i])
	}
	e.MOVQ(h, reg.R14)
	e.MOVQ(p, reg.R15)
	for i := range 4 {
		e.XORL(s.d[i], s.b[i])
		e.XORL(at(reg.R14, 4*i), s.a[i])
		e.MOVL(s.a[i], at(reg.R14, 4*i))
		e.XORL(at(reg.R14, 16+4*i), s.b[i])
		e.MOVL(s.b[i], at(reg.R14, 16+4*i))
	}
	e.DECQ(left)
	e.JNZ(ref("block"))
	e.RET()
}
