package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// CBC encryption has one block in flight, so the length of the chain of
// dependent instructions is all that counts. The chain is made of AES rounds
// alone: the last round of a block adds, in place of the last round key, the
// sum of that key, the next plaintext block and the first round key, which
// gives the state with which the next block begins. The ciphertext comes from
// the last round a second time, with the last round key, beside the chain.
const (
	stateVec = 0
	outVec   = 1 // ciphertext
	nextVec  = 2 // what the chain's last round adds
	edgeVec  = 3 // first and last round key
	stolenA  = 4
	stolenB  = 5
)

// cbcChain encrypts the blocks from src on up to the length in leftReg, at least
// one block, and leaves the state before the last round of the last one. It
// writes all but the last one. dstReg then stands at it, srcReg behind it.
func (e *emitter) cbcChain() {
	s, c, p := xregs[stateVec], xregs[outVec], xregs[nextVec]
	loop, last := e.label("block"), e.label("last")
	e.outerKeys(sse)
	sse.xor(e, xregs[firstVec], xregs[lastVec], xregs[edgeVec])
	e.PXOR(xregs[firstVec], s)
	e.MOVOU(at(srcReg, 0), p)
	e.PXOR(p, s)
	e.Label(loop)
	e.rounds(sse, false, rkReg, []reg.VecPhysical{s})
	e.ADDQ(operand.I32(16), srcReg)
	e.SUBQ(operand.I32(16), leftReg)
	e.JE(ref(last))
	e.MOVOU(at(srcReg, 0), p)
	e.PXOR(xregs[edgeVec], p)
	e.MOVOA(s, c)
	e.AESENCLAST(xregs[lastVec], c)
	e.AESENCLAST(p, s)
	e.MOVOU(c, at(dstReg, 0))
	e.ADDQ(operand.I32(16), dstReg)
	e.JMP(ref(loop))
	e.Label(last)
}

const serialComment = "X0 state   X1 ciphertext   X2 what the chain adds   X3 sum of the first and the last round key   X8 to X10 round keys"

func (e *emitter) cbcEncrypt() {
	e.begin("CBCEncAESNI", "func(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)", cbcEncDoc(e.tier))
	e.Comment(
		"AX round keys   BX rounds   CX bytes left   SI src   DI dst   R8 offset of the first round key   R11 iv",
		serialComment)
	e.load("dst", dstReg, "src", srcReg, "blocks", leftReg, "iv", ivReg)
	ret := e.label("ret")
	e.SHLQ(operand.U8(4), leftReg)
	e.JE(ref(ret))
	s := xregs[stateVec]
	e.MOVOU(at(ivReg, 0), s)
	e.cbcChain()
	e.AESENCLAST(xregs[lastVec], s)
	e.MOVOU(s, at(dstReg, 0))
	e.MOVOU(s, at(ivReg, 0))
	e.Label(ret)
	e.RET()
}

const ctsSignature = "func(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)"

// split makes leftReg the length of the last part, 1 to 16 bytes.
func (e *emitter) split() {
	e.LEAQ(at(lenReg, -1), leftReg)
	e.ANDQ(operand.I32(15), leftReg)
	e.INCQ(leftReg)
}

// row loads into x 16 bytes of a row of the pool from offset tempReg on.
func (e *emitter) row(w width, row operand.Mem, x reg.VecPhysical) {
	e.LEAQ(row, ivReg)
	w.load(e, index(ivReg, tempReg, 0), x)
}

// ctsEncrypt emits CBC with ciphertext stealing, encryption. Two blocks end the
// message: the last part, filled up with zeros, is one more block of the chain,
// and the ciphertext block before it is cut to the last part's length. They are
// written the other way round, the cut block first and right-aligned, so that
// the whole block covers what does not belong to it.
func (e *emitter) ctsEncrypt() {
	e.begin("CTSEncAESNI", ctsSignature, ctsDoc(e.tier, false))
	e.Comment(
		"AX round keys   BX rounds   CX bytes left   SI src   DI dst   R8 offset of the first round key   R9 n   R10 length of the last part   R11 iv, address of a row",
		serialComment,
		"X4 last part   X5 shuffle")
	e.load("dst", dstReg, "src", srcReg, "n", lenReg, "iv", ivReg)
	s, c, part, row := xregs[stateVec], xregs[outVec], xregs[stolenA], xregs[stolenB]
	e.MOVOU(at(ivReg, 0), s)
	e.split()
	e.Comment("The last part, moved down to the front, before dst is written to.")
	e.MOVQ(operand.I32(32), tempReg)
	e.SUBQ(leftReg, tempReg)
	e.row(sse, e.pool.moves(), row)
	e.MOVOU(index(srcReg, lenReg, -16), part)
	e.PSHUFB(row, part)
	e.MOVQ(leftReg, tempReg)
	e.SUBQ(lenReg, leftReg)
	e.NEGQ(leftReg)
	e.row(sse, e.pool.moves(), row)
	e.cbcChain()

	e.PXOR(xregs[edgeVec], part)
	e.MOVOA(s, c)
	e.AESENCLAST(xregs[lastVec], c)
	e.AESENCLAST(part, s)
	e.Comment("The cut block.")
	e.PSHUFB(row, c)
	e.MOVOU(c, index(dstReg, tempReg, 0))
	e.rounds(sse, false, rkReg, []reg.VecPhysical{s})
	e.AESENCLAST(xregs[lastVec], s)
	e.MOVOU(s, at(dstReg, 0))
	e.RET()
}

// ctsDecrypt emits the inverse. The whole block of the two is decrypted first:
// it gives the last plaintext part plus the cut block, and behind that what was
// cut off. If nothing was cut off the two do not depend on each other. Both
// blocks are finished before the others, which may use all registers; the chain
// of the two is long, and the processor works on the others beside it. Of a message
// of whole blocks that is long enough they are the end of a batch like any other.
func (e *emitter) ctsDecrypt() {
	w, n := e.tier.wide, e.tier.narrow
	e.begin("CTSDec"+e.tier.suffix, ctsSignature, ctsDoc(e.tier, true))
	e.Comment(
		"AX round keys   BX rounds   CX bytes left   SI src   DI dst   R8 offset of the first round key   R9 n   R10 offset in a row   R11 iv, address of a row   R12 length of the last part",
		"Register 0 state   1 result   2 block before   3 mask   4 last part   5 shuffle",
		"For the blocks before: 0 to 7 blocks, 8 the round key, 9 the first one, 10 the last, 11 the ciphertext block before, 12 that of the next batch, 13 scratch.")
	e.load("dst", dstReg, "src", srcReg, "n", lenReg, "iv", ivReg)
	e.outerKeys(w)
	w.broadcast(e, at(ivReg, 0), w.reg(previousVec))
	s, c, before, mask, part, row := n.reg(0), n.reg(1), n.reg(2), n.reg(3), n.reg(stolenA), n.reg(stolenB)

	partial, others := e.label("partial"), e.label("others")
	e.split()
	e.MOVQ(leftReg, batchReg)
	short := e.label("short")
	batch := e.tier.batches[0]
	e.CMPQ(lenReg, operand.I32(batch*w.bytes))
	e.JB(ref(short))
	e.CMPQ(batchReg, operand.I32(16))
	e.JNE(ref(short))
	e.Comment("A batch that ends with the two blocks. CX is its offset.")
	e.LEAQ(at(lenReg, -batch*w.bytes), leftReg)
	e.ADDQ(leftReg, srcReg)
	e.ADDQ(leftReg, dstReg)
	e.TESTQ(leftReg, leftReg)
	front := e.label("front")
	e.JE(ref(front))
	w.broadcast(e, at(srcReg, -16), w.reg(previousVec))
	e.Label(front)
	e.batch(mode{decrypt: true, chained: true, swapped: true}, w, batch)
	e.SUBQ(leftReg, srcReg)
	e.SUBQ(leftReg, dstReg)
	w.broadcast(e, at(ivReg, 0), w.reg(previousVec))
	e.JMP(ref(others))

	e.Label(short)
	e.Comment("CX is the offset of the two blocks.")
	e.SUBQ(lenReg, leftReg)
	e.NEGQ(leftReg)
	e.SUBQ(operand.I32(16), leftReg)
	first, last := n.reg(firstVec), n.reg(lastVec)
	n.load(e, index(srcReg, leftReg, 0), s)
	n.xor(e, first, s, s)
	alone := e.label("alone")
	n.move(e, n.reg(previousVec), before)
	e.TESTQ(leftReg, leftReg)
	e.JE(ref(alone))
	n.load(e, index(srcReg, leftReg, -16), before)
	e.Label(alone)
	n.load(e, index(srcReg, lenReg, -16), part)
	e.CMPQ(batchReg, operand.I32(16))
	e.JNE(ref(partial))
	e.Comment("Nothing was cut: neither block waits for the other.")
	n.move(e, part, c)
	n.xor(e, first, c, c)
	n.xor(e, last, before, before)
	e.rounds(n, true, rkReg, []reg.VecPhysical{s, c})
	n.xor(e, last, part, part)
	e.lastRound(n, true, part, s)
	e.lastRound(n, true, before, c)
	n.store(e, s, index(dstReg, lenReg, -16))
	n.store(e, c, index(dstReg, leftReg, 0))
	e.JMP(ref(others))

	e.Label(partial)
	e.MOVQ(operand.I32(32), tempReg)
	e.SUBQ(batchReg, tempReg)
	e.row(n, e.pool.moves(), row)
	n.shuffle(e, row, part)
	e.SUBQ(operand.I32(16), tempReg)
	e.row(n, e.pool.upper(), mask)
	e.MOVQ(batchReg, tempReg)
	e.row(n, e.pool.moves(), row)

	e.rounds(n, true, rkReg, []reg.VecPhysical{s})
	e.lastRound(n, true, last, s)
	n.move(e, s, c)
	n.xor(e, part, c, c)
	e.Comment("The cut block with its end, and the last round key with the block before.")
	n.and(e, mask, s)
	n.xor(e, part, s, s)
	n.xor(e, first, s, s)
	n.xor(e, last, before, before)
	e.Comment("The last plaintext part, right-aligned; the other block covers what does not belong to it.")
	n.shuffle(e, row, c)
	n.store(e, c, index(dstReg, lenReg, -16))
	e.rounds(n, true, rkReg, []reg.VecPhysical{s})
	e.lastRound(n, true, before, s)
	n.store(e, s, index(dstReg, leftReg, 0))

	e.Label(others)
	done := e.label("done")
	e.TESTQ(leftReg, leftReg)
	e.JE(ref(done))
	e.blocks(mode{decrypt: true, chained: true})
	e.Label(done)
	e.end()
}
