package main

import (
	"encoding/binary"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file holds what only the tier with AVX-512 has: masks for groups that are
// not full, and the byte-sliced form.

// The mask of register i of a group, two quad words a block, is K(1+i).
var groupMasks = [4]reg.OpmaskPhysical{reg.K1, reg.K2, reg.K3, reg.K4}

// masks makes the masks of a batch whose last group ends with block limitReg.
func (e *emitter) masks(b batch) {
	var table []byte
	for n := range b.groupBlocks() {
		table = binary.LittleEndian.AppendUint32(table, uint32(1<<(2*n+2)-1))
	}
	e.LEAQ(e.pool.array("masks", table), keyReg)
	e.MOVL(operand.Mem{Base: keyReg, Index: limitReg, Scale: 4}, keyReg.As32())
	for i, k := range groupMasks {
		if i > 0 {
			e.SHRL(operand.U8(8), keyReg.As32())
		}
		e.KMOVD(keyReg.As32(), k)
	}
}

func at(base reg.GPPhysical, seq blocksOf, g, i int) operand.Mem {
	m := operand.Mem{Base: base, Disp: 256*g + 64*i}
	if seq == previous {
		m.Disp -= 16
	}
	return m
}

func (e *emitter) loadMasked(seq blocksOf, g, i int, full bool, x reg.VecPhysical) {
	first := seq == previous && g == 0 && i == 0
	if first {
		seq = source
	}
	from := at(seq.in(), seq, g, i)
	if full || seq == tweaks {
		e.VMOVDQU64(from, x)
	} else {
		e.VMOVDQU64_Z(from, groupMasks[i], x)
	}
	if first {
		// iv and the first three blocks. The block before src is not there to be
		// read; under a mask it can be, but a page that is not there costs much.
		e.VBROADCASTI32X4(operand.Mem{Base: ivReg}, reg.Z26)
		e.VALIGNQ(operand.U8(6), reg.Z26, x, x)
	}
}

func (e *emitter) addMasked(seq blocksOf, g, i int, full bool, x reg.VecPhysical) {
	from := at(seq.in(), seq, g, i)
	switch {
	case seq == previous && g == 0 && i == 0:
		e.loadMasked(seq, g, i, full, reg.Z25)
		e.VPXORQ(reg.Z25, x, x)
	case full || seq == tweaks:
		e.VPXORQ(from, x, x)
	default:
		e.VPXORQ(from, x, groupMasks[i], x)
	}
}

func (e *emitter) storeMasked(g, i int, full bool, x reg.VecPhysical) {
	to := at(dstReg, source, g, i)
	if full {
		e.VMOVDQU64(x, to)
	} else {
		e.VMOVDQU64(x, groupMasks[i], to)
	}
}

// The byte-sliced form holds byte j of the same word of 64 blocks in a register,
// plane j. Rotating a word by whole bytes is renaming its planes, so that a round
// of 64 blocks is
//
//	t_j = x1_j ^ x2_j ^ x3_j ^ rk_j
//	x0_j ^= t0(t_j) ^ t1(t_j+1) ^ t1(t_j+2) ^ t3(t_j+3)
//
// with all indices mod 4: 12 GF2P8AFFINEINVQB and 14 XORs, no shuffle. Two
// streams of 64 blocks alternate, since one alone waits for itself.
//
// The words lie in the frame. Four planes of each stream's two latest words, or
// their XOR, are in registers:
//
//	a = x2 ^ x3 serves an even round, t = x1 ^ a ^ rk, whose new word goes into b
//	and the odd round after it,       t = a ^ b ^ rk,  whose new word goes into a
//
// and then a ^= b again, as the new word b is x2 and a is x3.
//
// The 16 bytes of a block become 16 planes by a transposition, in each 128-bit
// lane, of 16 registers of 16 bytes: four times, register i and register i+8 are
// interleaved by bytes into registers 2i and 2i+1. That rotates the 8 bits of
// a byte's address (4 of the register, 4 within the lane) by one, so four of it
// swap register and place.
const (
	slicedBlocks = 128
	slicedWords  = 2 * 16 * 64
	slicedKeys   = 32 * 16
)

// slicedWord is the place of plane j of word i (mod 4) of stream s.
func slicedWord(f frame, s, i, j int) operand.Mem {
	return f.words.Offset(1024*s + 256*(i&3) + 64*j)
}

// slicedKeys widens the round keys: each byte fills a word.
func (e *emitter) slicedKeys(box gfni, f frame) {
	var bytes []byte
	for i := range 4 {
		row := spreadBytes(i)
		bytes = append(bytes, row[:]...)
	}
	spread, x := reg.Z16, reg.Z17
	skip := e.label("few")
	e.CMPQ(nReg, operand.I32(slicedBlocks))
	e.JCS(ref(skip))
	e.VMOVDQU64(e.pool.array("spread all", bytes), spread)
	for i := range 8 {
		e.VBROADCASTI32X4(operand.Mem{Base: rkReg, Disp: 16 * i}, x)
		e.VPSHUFB(spread, x, x)
		e.VMOVDQU64(x, f.keys.Offset(64*i))
	}
	e.Label(skip)
}

// transposeBytes transposes 16 registers, Z0 to Z15, in each lane, and leaves the
// result in 16 of Z0 to Z16: see plane.
func (e *emitter) transposeBytes() {
	x := [16]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	free := 16
	for range 4 {
		var y [16]int
		for i := range 8 {
			lo, hi := zmm.reg(x[i]), zmm.reg(x[i+8])
			e.VPUNPCKLBW(hi, lo, zmm.reg(free))
			e.VPUNPCKHBW(hi, lo, hi)
			y[2*i], y[2*i+1] = free, x[i+8]
			free = x[i]
		}
		x = y
	}
	e.order = x
}

// plane is the register that holds plane i behind transposeBytes.
func (e *emitter) plane(i int) reg.VecPhysical { return zmm.reg(e.order[i]) }

func (e *emitter) slicedBatch(m mode, box gfni, f frame) {
	for s := range 2 {
		if m.input == counters {
			e.slicedCounters(box, f, s)
			continue
		}
		for i := range 16 {
			x := zmm.reg(i)
			e.loadMasked(m.input, 4*s+i/4, i%4, true, x)
			if m.whiten {
				e.addMasked(m.add, 4*s+i/4, i%4, true, x)
			}
		}
		e.transposeBytes()
		for i := range 16 {
			x := e.plane(i)
			box.mapBytes(e, "in", e.fold.in, x, nil, nil)
			e.VMOVDQU64(x, slicedWord(f, s, i/4, i%4))
		}
	}
	e.slicedRounds(box, f, m.input == counters)
	if m.chained() {
		end := operand.Mem{Base: srcReg, Disp: 16 * (slicedBlocks - 1)}
		e.MOVQ(end, chain0)
		e.MOVQ(end.Offset(8), chain1)
	}
	for s := 1; s >= 0; s-- {
		for i := range 16 {
			x := zmm.reg(i)
			row, c := e.matrixRow("out", e.fold.out)
			e.VMOVDQU64(slicedWord(f, s, 3-i/4, i%4), x)
			e.VGF2P8AFFINEQB(c, row, x, x)
		}
		e.transposeBytes()
		if m.add != nothing {
			for i := range 16 {
				e.addMasked(m.add, 4*s+i/4, i%4, true, e.plane(i))
			}
		}
		for i := range 16 {
			e.storeMasked(4*s+i/4, i%4, true, e.plane(i))
		}
	}
	if m.chained() {
		e.MOVQ(chain0, operand.Mem{Base: ivReg})
		e.MOVQ(chain1, operand.Mem{Base: ivReg, Disp: 8})
	}
}

// slicedCounters makes the counter blocks of stream s. The planes of words 0 to
// 2 are the same in both streams.
func (e *emitter) slicedCounters(box gfni, f frame, s int) {
	if s == 0 {
		for i := range 12 {
			e.VPBROADCASTB(f.upper.Offset(i), reg.Z0)
			for s := range 2 {
				e.VMOVDQU64(reg.Z0, slicedWord(f, s, i/4, i%4))
			}
		}
	}
	e.broadcastCounter(zmm, reg.Z16)
	for q := range 4 {
		x := zmm.reg(q)
		e.VPADDD(e.steps(zmm, 4*s+q), reg.Z16, x)
		e.VPSHUFB(e.pool.row("byte swap", byteSwap()), x, x)
		box.layout(e, x)
	}
	e.transpose(reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z16, reg.Z17)
	for j := range 4 {
		x := zmm.reg(j)
		box.mapBytes(e, "in", e.fold.in, x, nil, nil)
		e.VMOVDQU64(x, slicedWord(f, s, 3, j))
	}
}

// slicedRounds does the rounds. With ahead, which is for modes that read src
// only behind them, it asks for the memory of the batch meanwhile.
func (e *emitter) slicedRounds(box gfni, f frame, ahead bool) {
	c := box.registers(zmm)
	state := func(s, odd, j int) reg.VecPhysical { return zmm.reg(8*s + 4*odd + j) }
	key := [4]reg.VecPhysical{reg.Z24, reg.Z25, reg.Z26, c.key}
	loop := e.label("sliced")
	e.LEAQ(f.keys, keyReg)
	e.LEAQ(f.keys.Offset(slicedKeys), rkEndReg)
	for s := range 2 {
		for j := range 4 {
			e.VMOVDQU64(slicedWord(f, s, 2, j), state(s, 0, j))
			e.VMOVDQU64(slicedWord(f, s, 3, j), state(s, 1, j))
		}
	}
	src, dst := chain0, chain1
	if ahead {
		e.MOVQ(srcReg, src)
		e.MOVQ(dstReg, dst)
	}
	e.Label(loop)
	for i := range 4 {
		if ahead {
			e.PREFETCHT0(operand.Mem{Base: src, Disp: 64 * i})
			e.PREFETCHT0(operand.Mem{Base: dst, Disp: 64 * i})
		}
		for j := range 4 {
			e.VPBROADCASTD(operand.Mem{Base: keyReg, Disp: 16*i + 4*j}, key[j])
		}
		for s := range 2 {
			e.slicedRound(box, c, f, s, i, key, state)
		}
	}
	if ahead {
		e.ADDQ(operand.I32(256), src)
		e.ADDQ(operand.I32(256), dst)
	}
	e.ADDQ(operand.I32(64), keyReg)
	e.CMPQ(keyReg, rkEndReg)
	e.JNE(ref(loop))
}

// slicedRound does round i (mod 4) of stream s. The order is that in which
// results are ready; the new word's plane j is made in the register of its
// summand that comes last.
func (e *emitter) slicedRound(box gfni, c gfniConstants, f frame, s, i int, key [4]reg.VecPhysical, state func(s, odd, j int) reg.VecPhysical) {
	scratch := [8]reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23}
	even := i&1 == 0
	var x, n [4]reg.VecPhysical // operands of the S-box; the new word
	for j := range 4 {
		x[j], n[j] = state(s, 0, j), state(s, 0, j)
		if even {
			x[j], n[j] = [4]reg.VecPhysical{scratch[0], scratch[6], scratch[5], scratch[1]}[j], state(s, 1, j)
			e.VPXORQ(state(s, 1, j), state(s, 0, j), state(s, 0, j))
		}
	}
	operandOf := func(j int) {
		if even {
			e.VMOVDQU64(slicedWord(f, s, i+1, j), x[j])
			e.xor3(state(s, 0, j), key[j], x[j])
		} else {
			e.xor3(state(s, 1, j), key[j], x[j])
		}
	}
	word := func(j int) operand.Mem { return slicedWord(f, s, i, j) }
	inverse := func(t byteMap, m reg.VecPhysical, j int, to reg.VecPhysical) reg.VecPhysical {
		e.VGF2P8AFFINEINVQB(boxConstant(t), m, x[j], to)
		return to
	}
	t0 := func(j int, to reg.VecPhysical) reg.VecPhysical { return inverse(e.fold.t0, c.t0, j, to) }
	t1 := func(j int, to reg.VecPhysical) reg.VecPhysical { return inverse(e.fold.t1, c.t1, j, to) }
	t3 := func(j int, to reg.VecPhysical) reg.VecPhysical { return inverse(e.fold.t3, c.t3, j, to) }
	store := func(j int) { e.VMOVDQU64(n[j], word(j)) }

	operandOf(0)
	operandOf(3)
	sum1 := t3(0, scratch[2])
	t10 := t1(0, scratch[3])
	t00 := t0(0, scratch[0])
	t13 := t1(3, scratch[4])
	t3(3, n[0])
	sum3 := t0(3, scratch[1])
	operandOf(2)
	operandOf(1)
	sum2 := scratch[7]
	e.VMOVDQU64(word(2), sum2)
	e.xor3(word(0), t00, n[0])
	e.xor3(t10, t13, sum2)
	e.xor3(word(1), t13, sum1)
	e.xor3(word(3), t10, sum3)
	t12 := t1(2, scratch[0])
	t11 := t1(1, scratch[3])
	t3(2, n[3])
	e.xor3(t12, t11, n[0])
	store(0)
	t02 := t0(2, scratch[4])
	t3(1, n[2])
	e.xor3(sum3, t11, n[3])
	store(3)
	t0(1, n[1])
	e.xor3(sum2, t02, n[2])
	store(2)
	e.xor3(sum1, t12, n[1])
	store(1)
}
