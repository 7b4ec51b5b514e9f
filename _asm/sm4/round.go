package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxGroups is the number of groups that the registers allow.
const maxGroups = 4

// batch is a number of groups that go through the rounds together. In xmm and
// ymm their words lie in the frame, which leaves the registers to the constants:
// register g holds the one word of group g that its last round made and its next
// round waits for. In zmm, of which there are 32, all words are in registers.
// Three more registers are scratch.
type batch struct {
	box    box
	w      width
	groups int
	frame  operand.Mem
}

// resident reports whether the words are in registers.
func (b batch) resident() bool { return b.w == zmm }

// word is the place of word i (mod 4) of group g.
func (b batch) word(g, i int) operand.Mem { return b.frame.Offset(int(b.w) * (4*g + i&3)) }

// pair is the place of the XOR of two words of group g.
func (b batch) pair(g int) operand.Mem { return b.frame.Offset(int(b.w) * (4*b.groups + g)) }

// wordsSize is the size of the largest batch's words and pairs in the frame.
const wordsSize = maxGroups * (4 + 1) * int(ymm)

// registers are those that a group's words are in when it is entered and left.
func (b batch) registers(g int) (x [4]reg.VecPhysical) {
	if !b.resident() {
		g = 0
	}
	for i := range x {
		x[i] = b.w.reg(4*g + i)
	}
	return x
}

func (b batch) scratch() [3]reg.VecPhysical {
	first := 4
	if b.resident() {
		first = 20
	}
	return [3]reg.VecPhysical{b.w.reg(first), b.w.reg(first + 1), b.w.reg(first + 2)}
}

// put and get move a group's words to and from where the rounds have them.
func (b batch) put(e *emitter, g int) {
	for i, x := range b.registers(g) {
		if !b.resident() {
			e.mov(x, b.word(g, i))
		}
	}
}

func (b batch) get(e *emitter, g int) {
	for i, x := range b.registers(g) {
		if !b.resident() {
			e.mov(b.word(g, i), x)
		}
	}
}

// blocks is the number of blocks of a full batch.
func (b batch) blocks() int { return b.groups * b.groupBlocks() }

func (b batch) groupBlocks() int { return 4 * b.w.blocks() }

// rounds does the 32 rounds, four in each turn of a loop, so that the words
// come to lie where they began.
//
// A round ends where the next one of the same group begins, and then the other
// groups have their turn: when it comes to the second half of the round, the
// slow instructions of the first half are done. So the instructions can be
// executed nearly in the order in which they stand, which matters because a
// processor looks ahead for about a hundred waiting instructions only.
//
// The first half of a thirty-third round does no harm, but it must not read
// behind the round keys: it is given the first one.
func (b batch) rounds(e *emitter) {
	if b.resident() {
		b.residentRounds(e)
		return
	}
	loop := e.label("rounds")
	e.MOVQ(rkReg, keyReg)
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 128}, rkEndReg)
	for g := range b.groups {
		e.VMOVDQU(b.word(g, 3), b.w.reg(g))
	}
	b.shareKey(e, 0)
	for g := range b.groups {
		b.first(e, g, 0, 0)
	}
	e.Label(loop)
	for i := range 4 {
		next := 4 * (i + 1)
		if i == 3 {
			e.ADDQ(operand.I32(16), keyReg)
			e.CMPQ(keyReg, rkEndReg)
			e.CMOVQEQ(rkReg, keyReg)
			next = 0
		}
		b.shareKey(e, next)
		for g := range b.groups {
			b.second(e, g, i)
			b.first(e, g, i+1, next)
		}
	}
	e.CMPQ(keyReg, rkReg)
	e.JNE(ref(loop))
}

// shareKey loads the round key that all groups use.
func (b batch) shareKey(e *emitter, rk int) {
	if k := b.box.keyRegister(b.w); k != nil {
		b.box.broadcast(e, b.w, operand.Mem{Base: keyReg, Disp: rk}, k)
	}
}

// first begins round i of group g, x0 ^= L(S(x1 ^ x2 ^ x3 ^ rk)) with the words
// numbered from word i on. An even round and the odd one after it share x2 ^ x3.
// The word that the last round made is added as late as can be.
func (b batch) first(e *emitter, g, i, rk int) {
	x, s := b.w.reg(g), b.scratch()
	key := b.box.keyRegister(b.w)
	if key == nil {
		key = s[0]
		b.box.broadcast(e, b.w, operand.Mem{Base: keyReg, Disp: rk}, key)
	}
	if i&1 == 0 {
		e.VPXOR(b.word(g, i+1), key, s[0])
		e.VPXOR(b.word(g, i+2), x, x)
		e.VMOVDQU(x, b.pair(g))
	} else {
		// x2 ^ x3 of the even round is x1 ^ x2 here.
		e.VPXOR(b.pair(g), key, s[0])
	}
	e.VPXOR(s[0], x, x)
	b.box.invert(e, b.w, x, s[1])
}

// second ends round i of group g.
func (b batch) second(e *emitter, g, i int) {
	x := b.w.reg(g)
	b.box.mix(e, b.w, x, b.word(g, i), b.scratch())
	e.VMOVDQU(x, b.word(g, i))
}

// residentRounds does the rounds in registers, with three-way XORs. It is for
// GFNI: the sum of a round's words is made from words of earlier rounds first.
func (b batch) residentRounds(e *emitter) {
	box := b.box.(gfni)
	c := box.registers(b.w)
	loop := e.label("rounds")
	e.MOVQ(rkReg, keyReg)
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 128}, rkEndReg)
	e.Label(loop)
	for i := range 4 {
		box.broadcast(e, b.w, operand.Mem{Base: keyReg, Disp: 4 * i}, c.key)
		for g := range b.groups {
			words := b.registers(g)
			x := func(j int) reg.VecPhysical { return words[(i+j)&3] }
			pair := b.w.reg(16 + g)
			a, t, t1, d := b.w.reg(20), b.w.reg(21), b.w.reg(22), b.w.reg(23)
			if i&1 == 0 {
				e.VPXORQ(x(1), c.key, t)
				e.xor3(x(2), x(3), t)
				e.VPXORQ(x(2), x(3), pair)
			} else {
				e.VPXORQ(pair, c.key, t)
				e.VPXORQ(x(3), t, t)
			}
			box.sum3(e, c, t, a, t1, d)
			e.VPSHUFD(rotation(1), t1, t)
			e.VPSHUFD(rotation(2), t1, t1)
			e.VPSHUFD(rotation(3), d, d)
			e.xor3(a, t, x(0))
			e.xor3(t1, d, x(0))
		}
	}
	e.ADDQ(operand.I32(16), keyReg)
	e.CMPQ(keyReg, rkEndReg)
	e.JNE(ref(loop))
}
