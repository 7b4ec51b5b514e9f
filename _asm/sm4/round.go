package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxGroups is the number of groups that the registers allow.
const maxGroups = 4

// batch is a number of groups that go through the rounds together. Their words
// lie in the frame, which leaves the registers to the constants: register g
// holds the one word of group g that its last round made and its next round
// waits for. Three more registers are scratch.
type batch struct {
	box    box
	w      width
	groups int
	frame  operand.Mem
}

// word is the place of word i (mod 4) of group g.
func (b batch) word(g, i int) operand.Mem { return b.frame.Offset(int(b.w) * (4*g + i&3)) }

// pair is the place of the XOR of two words of group g.
func (b batch) pair(g int) operand.Mem { return b.frame.Offset(int(b.w) * (4*b.groups + g)) }

// frameSize is the size of the largest batch's words and pairs.
const frameSize = maxGroups * (4 + 1) * int(ymm)

// registers are those that enter and leave a group use.
func (b batch) registers() [4]reg.VecPhysical {
	return [4]reg.VecPhysical{b.w.reg(0), b.w.reg(1), b.w.reg(2), b.w.reg(3)}
}

func (b batch) scratch() [3]reg.VecPhysical {
	return [3]reg.VecPhysical{b.w.reg(4), b.w.reg(5), b.w.reg(6)}
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
	loop := e.label("rounds")
	e.MOVQ(rkReg, keyReg)
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 128}, rkEndReg)
	for g := range b.groups {
		e.VMOVDQU(b.word(g, 3), b.w.reg(g))
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
		for g := range b.groups {
			b.second(e, g, i)
			b.first(e, g, i+1, next)
		}
	}
	e.CMPQ(keyReg, rkReg)
	e.JNE(ref(loop))
}

// first begins round i of group g, x0 ^= L(S(x1 ^ x2 ^ x3 ^ rk)) with the words
// numbered from word i on. An even round and the odd one after it share x2 ^ x3.
// The word that the last round made is added as late as can be.
func (b batch) first(e *emitter, g, i, rk int) {
	x, s := b.w.reg(g), b.scratch()
	b.box.roundKey(e, operand.Mem{Base: keyReg, Disp: rk}, s[0])
	if i&1 == 0 {
		e.VPXOR(b.word(g, i+1), s[0], s[0])
		e.VPXOR(b.word(g, i+2), x, x)
		e.VMOVDQU(x, b.pair(g))
	} else {
		// x2 ^ x3 of the even round is x1 ^ x2 here.
		e.VPXOR(b.pair(g), s[0], s[0])
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
