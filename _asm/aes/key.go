package main

import (
	"bytes"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// keyExpansion emits the key expansion (FIPS 197 section 5.2).
//
// SubWord is AESENCLAST on a register that holds the word four times over:
// ShiftRows then has no effect, and the round constant goes in as the round key.
// RotWord is part of the shuffle that spreads the word. AESKEYGENASSIST does the
// same but is slow on every processor.
func (e *emitter) keyExpansion() {
	e.begin("ExpandKeyAESNI", "func(key *byte, rounds int, enc, dec *[240]byte)", keyDoc(e.tier))
	e.Comment(
		"AX encryption's round keys   DI decryption's   SI key   BX rounds   R8 offset of the first round key   CX, R10 addresses",
		"X0, X1 words of the key   X2, X3 scratch   X4 round constant   X5, X6 shuffles   X7 zero")
	e.Load(e.Param("key"), srcReg)
	e.Load(e.Param("rounds"), roundsReg)
	e.Load(e.Param("enc"), rkReg)
	e.Load(e.Param("dec"), dstReg)
	e.MOVQ(operand.I32(14), firstReg)
	e.SUBQ(roundsReg, firstReg)
	e.SHLQ(operand.U8(4), firstReg)
	e.LEAQ(index(rkReg, firstReg, 0), leftReg)

	rotated := func(name string, word byte) operand.Mem { // RotWord of a word, in every word
		return e.pool.entry(name, bytes.Repeat([]byte{4*word + 1, 4*word + 2, 4*word + 3, 4 * word}, 4))
	}
	x0, x1, s, t, rcon, shuffle, zero := reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X6, reg.X7
	e.MOVOU(e.pool.doublewords("one", 1, 1, 1, 1), rcon)
	e.PXOR(zero, zero)
	e.MOVOU(at(srcReg, 0), x0)

	// nextRcon doubles the round constant in the AES field.
	nextRcon := func(i int) {
		if i == 8 {
			e.MOVOU(e.pool.doublewords("rcon 9", 0x1b, 0x1b, 0x1b, 0x1b), rcon)
		} else {
			e.PSLLL(operand.U8(1), rcon)
		}
	}
	// prefix replaces each word of x by the sum of it and those before it, and
	// adds t to all.
	prefix := func(x, t reg.VecPhysical) {
		for _, n := range []uint8{4, 8} {
			e.MOVOA(x, s)
			e.PSLLDQ(operand.U8(n), s)
			e.PXOR(s, x)
		}
		e.PXOR(t, x)
	}
	// subWord makes t the SubWord of a word of x, with key added.
	subWord := func(x, key reg.VecPhysical) {
		e.MOVOA(x, t)
		e.PSHUFB(shuffle, t)
		e.AESENCLAST(key, t)
	}

	aes192, aes256, inverse := e.label("aes192"), e.label("aes256"), e.label("inverse")
	e.CMPQ(roundsReg, operand.I32(12))
	e.JE(ref(aes192))
	e.JA(ref(aes256))

	e.MOVOU(rotated("rotated 3", 3), shuffle)
	e.MOVOU(x0, at(leftReg, 0))
	for i := 1; i <= 10; i++ {
		subWord(x0, rcon)
		prefix(x0, t)
		e.MOVOU(x0, at(leftReg, 16*i))
		if i < 10 {
			nextRcon(i)
		}
	}
	e.JMP(ref(inverse))

	// Six words a step: four in x0, two in the lower half of x1.
	e.Label(aes192)
	e.MOVOU(rotated("rotated 1", 1), shuffle)
	e.MOVQ(at(srcReg, 16), x1)
	e.MOVOU(x0, at(leftReg, 0))
	e.MOVQ(x1, at(leftReg, 16))
	for i := 1; i <= 8; i++ {
		subWord(x1, rcon)
		prefix(x0, t)
		e.MOVOU(x0, at(leftReg, 24*i))
		if i == 8 {
			break
		}
		e.MOVOA(x1, s)
		e.PSLLDQ(operand.U8(4), s)
		e.PXOR(s, x1)
		e.PSHUFD(operand.U8(0xff), x0, s)
		e.PXOR(s, x1)
		e.MOVQ(x1, at(leftReg, 24*i+16))
		nextRcon(i)
	}
	e.JMP(ref(inverse))

	// Four words a step, by turns with RotWord and a round constant, and without.
	e.Label(aes256)
	e.MOVOU(rotated("rotated 3", 3), shuffle)
	e.MOVOU(at(srcReg, 16), x1)
	e.MOVOU(x0, at(leftReg, 0))
	e.MOVOU(x1, at(leftReg, 16))
	for i := 1; i <= 7; i++ {
		subWord(x1, rcon)
		prefix(x0, t)
		e.MOVOU(x0, at(leftReg, 32*i))
		if i == 7 {
			break
		}
		e.PSHUFD(operand.U8(0xff), x0, t)
		e.AESENCLAST(zero, t)
		prefix(x1, t)
		e.MOVOU(x1, at(leftReg, 32*i+16))
		nextRcon(i)
	}

	// The equivalent inverse cipher (section 5.3.5) takes the round keys in
	// reverse, all but the first and the last through InvMixColumns.
	e.Label(inverse)
	e.LEAQ(index(dstReg, firstReg, 0), leftReg)
	e.LEAQ(slot(rkReg, lastSlot), tempReg)
	e.MOVOU(at(tempReg, 0), x0)
	e.MOVOU(x0, at(leftReg, 0))
	e.DECQ(roundsReg)
	loop := e.label("middle")
	e.Label(loop)
	e.SUBQ(operand.I32(16), tempReg)
	e.ADDQ(operand.I32(16), leftReg)
	e.MOVOU(at(tempReg, 0), x0)
	e.AESIMC(x0, x0)
	e.MOVOU(x0, at(leftReg, 0))
	e.DECQ(roundsReg)
	e.JNE(ref(loop))
	e.MOVOU(at(tempReg, -16), x0)
	e.MOVOU(x0, at(leftReg, 16))
	e.RET()
}
