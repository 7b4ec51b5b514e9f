package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A schedule has 15 slots of 16 bytes. Its round keys end at the last slot, so
// that those of the last ten rounds lie at the same place for every key size:
// AES-256 enters the rounds at the top, AES-192 two rounds later, AES-128 four.
const lastSlot = 14

func slot(keys reg.Register, i int) operand.Mem { return at(keys, 16*i) }

// Vector registers that are the same in all routines, by number.
const (
	keyVec   = 8 // current round key
	firstVec = 9
	lastVec  = 10
)

// outerKeys loads the first and the last round key.
func (e *emitter) outerKeys(w width) {
	w.broadcast(e, index(rkReg, firstReg, 0), w.reg(firstVec))
	w.broadcast(e, slot(rkReg, lastSlot), w.reg(lastVec))
}

// round does one round on each of x.
func (e *emitter) round(w width, decrypt bool, keys reg.Register, i int, x []reg.VecPhysical) {
	if len(x) == 1 && w == xmm {
		if decrypt {
			e.VAESDEC(slot(keys, i), x[0], x[0])
		} else {
			e.VAESENC(slot(keys, i), x[0], x[0])
		}
		return
	}
	k := w.reg(keyVec)
	w.broadcast(e, slot(keys, i), k)
	for _, x := range x {
		switch {
		case w.sse && decrypt:
			e.AESDEC(k, x)
		case w.sse:
			e.AESENC(k, x)
		case decrypt:
			e.VAESDEC(k, x, x)
		default:
			e.VAESENC(k, x, x)
		}
	}
}

// rounds does all rounds but the last on each of x, to which the first round key
// has been added.
func (e *emitter) rounds(w width, decrypt bool, keys reg.Register, x []reg.VecPhysical) {
	e.roundsAnd(w, decrypt, keys, x, func(int) {})
}

// commonRounds is the number of rounds, the last one aside, that every key size
// has.
const commonRounds = 9

// roundsAnd puts other work between the rounds: beside(i) behind the common round
// i, from 0 on.
func (e *emitter) roundsAnd(w width, decrypt bool, keys reg.Register, x []reg.VecPhysical, beside func(i int)) {
	aes192, aes128 := e.label("aes192"), e.label("aes128")
	e.CMPQ(roundsReg, operand.I32(12))
	e.JB(ref(aes128))
	e.JE(ref(aes192))
	for i := 1; i < lastSlot; i++ {
		switch i {
		case 3:
			e.Label(aes192)
		case 5:
			e.Label(aes128)
		}
		e.round(w, decrypt, keys, i, x)
		if i >= lastSlot-commonRounds {
			beside(i - (lastSlot - commonRounds))
		}
	}
}

// lastRound does the last round. key is what it adds: the last round key and
// what else the mode adds to the result.
func (e *emitter) lastRound(w width, decrypt bool, key operand.Op, x reg.VecPhysical) {
	switch {
	case w.sse && decrypt:
		e.AESDECLAST(key, x)
	case w.sse:
		e.AESENCLAST(key, x)
	case decrypt:
		e.VAESDECLAST(key, x, x)
	default:
		e.VAESENCLAST(key, x, x)
	}
}
