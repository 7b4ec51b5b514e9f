package main

import (
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

	serialBox
	keyBox
}

// serialBox is the form of the state in the serial modes, a block at a time, in
// the registers of serial.go.
type serialBox interface {
	serialConstants(e *emitter)
	// spread puts word i of block x, in the basis, into y.
	spread(e *emitter, i int, x, y reg.VecPhysical)
	// spreadKey loads a round key.
	spreadKey(e *emitter, key operand.Mem, k reg.VecPhysical)
	// gather makes a block, in the basis, of four spread words; b is scratch.
	gather(e *emitter, w [4]reg.VecPhysical, a, b reg.VecPhysical)
	// serialPadding is the number of idle instructions in each turn of the loop of
	// the rounds.
	serialPadding() int
	// serialRound does round i (mod 4) and makes the operand of the next one. The
	// word that the round changes may be late, and is then added last. It may leave
	// the word unfinished: serialEnd is called behind the last round, and
	// serialBegin before a first one that is not late.
	serialRound(e *emitter, i int, nextKey operand.Mem, late bool)
	serialBegin(e *emitter)
	serialEnd(e *emitter)
}

// keyBox is the S-box of the key expansion.
type keyBox interface {
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
