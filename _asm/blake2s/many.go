package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Many messages: vector i holds word i of the state of every message, a message
// in each lane. Nothing has to be shuffled but the message blocks, which come
// row by row and are needed word by word.

// The arguments have room for sixteen messages with both routines.
const manySignature = "func(h *[8][16]uint32, counter *[2][16]uint32, last *[16]uint32, p *[16]*byte, n int)"

func manyDoc(name string, lanes int) []string {
	return []string{
		fmt.Sprintf("%s takes n blocks of 64 bytes of each of %d messages, message i from p[i] on, into their chaining values: word j", name, lanes),
		"of message i is h[j][i]. It equals compressGeneric on each message. counter holds the lower and the upper halves of",
		"the numbers of bytes before the blocks, to which 64 is added for each block; last holds the finalisation words. n",
		"is from 1 to 64. The pointers may be equal and have any alignment; nothing outside the blocks is read.",
	}
}

// General registers of both routines.
var (
	hReg       = reg.RDI
	counterReg = reg.RAX
	lastReg    = reg.RBX
	pReg       = reg.RSI
	leftReg    = reg.RCX
	offsetReg  = reg.RDX
	tempReg    = reg.R8
	temp2Reg   = reg.R9
)

func (e *emitter) loadMany() {
	e.Load(e.Param("h"), hReg)
	e.Load(e.Param("counter"), counterReg)
	e.Load(e.Param("last"), lastReg)
	e.Load(e.Param("p"), pReg)
	e.Load(e.Param("n"), leftReg)
	e.XORL(reg.EDX, reg.EDX)
}

func (e *emitter) nextMany() {
	e.ADDQ(operand.I32(64), offsetReg)
	e.DECQ(leftReg)
	e.JNZ(ref("block"))
	e.VZEROUPPER()
	e.RET()
}

// transpose makes of four registers with four words of a message in each 128
// bits four with the same word of the messages, in out. It returns the steps.
func (e *emitter) transpose(in, temp, out []reg.VecPhysical) []func() {
	return []func(){
		func() { e.VPUNPCKLDQ(in[1], in[0], temp[0]) },
		func() { e.VPUNPCKHDQ(in[1], in[0], temp[1]) },
		func() { e.VPUNPCKLDQ(in[3], in[2], temp[2]) },
		func() { e.VPUNPCKHDQ(in[3], in[2], temp[3]) },
		func() { e.VPUNPCKLQDQ(temp[2], temp[0], out[0]) },
		func() { e.VPUNPCKHQDQ(temp[2], temp[0], out[1]) },
		func() { e.VPUNPCKLQDQ(temp[3], temp[1], out[2]) },
		func() { e.VPUNPCKHQDQ(temp[3], temp[1], out[3]) },
	}
}

func run(steps []func()) {
	for _, step := range steps {
		step()
	}
}

// lanes8 is eight messages in ymm registers.
type lanes8 struct {
	*emitter
	message operand.Mem
}

func (l lanes8) add(a, dst cell)           { l.VPADDD(a, dst, dst) }
func (l lanes8) addWord(i int, dst cell)   { l.VPADDD(l.message.Offset(32*i), dst, dst) }
func (l lanes8) xor(a, dst cell)           { l.VPXOR(a, dst, dst) }
func (l lanes8) get(m operand.Mem, x cell) { l.VMOVDQU(m, x) }
func (l lanes8) put(x cell, m operand.Mem) { l.VMOVDQU(x, m) }

func (l lanes8) ror(n int, x, temp cell) {
	if n%8 == 0 {
		l.VPSHUFB(l.pool.rotation(n, 32), x, x)
		return
	}
	l.VPSLLD(operand.U8(32-n), x, temp)
	l.VPSRLD(operand.U8(n), x, x)
	l.VPXOR(temp, x, x)
}

// many8 is the compression function for eight messages.
func (e *emitter) many8() {
	e.begin("Many8AVX2", manySignature, append(manyDoc("Many8AVX2", 8),
		"The message words and two words of the state are in the frame, since there are only sixteen registers."))
	const words, third = 32 * 16, 32 * 4
	frame := e.aligned(words + third)
	slot := func(i int) operand.Mem { return frame.Offset(words + 32*i) }
	s := &split{
		c01: [2]operand.Mem{slot(0), slot(1)},
		c23: [2]operand.Mem{slot(2), slot(3)},
	}
	for i := range 4 {
		s.a[i], s.b[i], s.d[i] = yregs[i], yregs[4+i], yregs[8+i]
	}
	for i := range 2 {
		s.c[i], s.temp[i] = yregs[12+i], yregs[14+i]
	}
	m := lanes8{e, frame}

	e.Comment("Y0 to Y7: words 0 to 7; Y8 to Y11: words 12 to 15; Y12 Y13: words 8 and 9, or 10 and 11")
	e.loadMany()
	e.Label("block")
	for chunk := range 4 {
		e.Comment(fmt.Sprintf("Words %d to %d", 4*chunk, 4*chunk+3))
		for i := range 4 {
			e.MOVQ(at(pReg, 8*i), tempReg)
			e.MOVQ(at(pReg, 8*(i+4)), temp2Reg)
			e.VMOVDQU(index(tempReg, offsetReg, 16*chunk), xregs[i])
			e.VINSERTI128(operand.U8(1), index(temp2Reg, offsetReg, 16*chunk), yregs[i], yregs[i])
		}
		run(e.transpose(yregs[:4], yregs[4:8], yregs[:4]))
		for i := range 4 {
			m.put(yregs[i], frame.Offset(32*(4*chunk+i)))
		}
	}
	e.Comment("The counter: a carry is where the sum is less than 64, which makes the comparison -1")
	lo, hi := yregs[8], yregs[9]
	e.VPBROADCASTD(e.pool.words(64), yregs[12])
	e.VPBROADCASTD(e.pool.words(63), yregs[13])
	e.VPADDD(at(counterReg, 0), yregs[12], lo)
	e.VMOVDQU(lo, at(counterReg, 0))
	e.VPMINUD(yregs[13], lo, yregs[13])
	e.VPCMPEQD(yregs[13], lo, yregs[13])
	e.VMOVDQU(at(counterReg, 64), hi)
	e.VPSUBD(yregs[13], hi, hi)
	e.VMOVDQU(hi, at(counterReg, 64))
	for i := range 4 {
		e.VMOVDQU(at(hReg, 64*i), s.a[i])
		e.VMOVDQU(at(hReg, 256+64*i), s.b[i])
	}
	for i := range 2 {
		e.VPBROADCASTD(e.pool.words(iv[2+i]), s.c[i])
		e.VMOVDQU(s.c[i], s.c23[i])
		e.VPBROADCASTD(e.pool.words(iv[4+i]), s.temp[i])
		e.VPXOR(s.temp[i], s.d[i], s.d[i])
		e.VPBROADCASTD(e.pool.words(iv[i]), s.c[i])
		e.VPBROADCASTD(e.pool.words(iv[6+i]), s.d[2+i])
	}
	e.VPXOR(at(lastReg, 0), s.d[2], s.d[2])

	s.rounds(m)

	for i := range 2 {
		e.VPXOR(s.c[i], s.a[i], s.a[i])
		e.VPXOR(s.c23[i], s.a[2+i], s.a[2+i])
	}
	for i := range 4 {
		e.VPXOR(s.d[i], s.b[i], s.b[i])
	}
	for i := range 8 {
		e.VPXOR(at(hReg, 64*i), yregs[i], yregs[i])
		e.VMOVDQU(yregs[i], at(hReg, 64*i))
	}
	e.nextMany()
}

// aligned allocates a part of the frame that is aligned to 64 bytes, with its
// address in R10.
func (e *emitter) aligned(bytes int) operand.Mem {
	e.LEAQ(e.AllocLocal(bytes+64), reg.R10)
	e.ADDQ(operand.I32(63), reg.R10)
	e.ANDQ(operand.I32(-64), reg.R10)
	return at(reg.R10, 0)
}

// lanesEVEX is eight messages in ymm or sixteen in zmm registers of AVX-512, of
// which there are 32. The state is in the first sixteen; with the others the words
// of the next block are got ready, in steps strewn among the rounds of this one:
// in a row they would keep the one unit busy that shuffles, and no other.
type lanesEVEX struct {
	*emitter
	lanes     int
	regs      []reg.VecPhysical
	words     operand.Mem // of this block
	strewn    []func()    // steps to come
	rotations int
}

func (l *lanesEVEX) size() int                 { return 4 * l.lanes }
func (l *lanesEVEX) add(a, dst cell)           { l.VPADDD(a, dst, dst) }
func (l *lanesEVEX) addWord(i int, dst cell)   { l.VPADDD(l.words.Offset(l.size()*i), dst, dst) }
func (l *lanesEVEX) xor(a, dst cell)           { l.VPXORD(a, dst, dst) }
func (l *lanesEVEX) get(m operand.Mem, x cell) { l.VMOVDQU32(m, x) }
func (l *lanesEVEX) put(x cell, m operand.Mem) { l.VMOVDQU32(x, m) }

func (l *lanesEVEX) ror(n int, x, _ cell) {
	l.VPRORD(operand.U8(n), x, x)
	// A step behind every second of the 320 rotations leaves none for the end.
	if l.rotations++; l.rotations%2 == 0 && len(l.strewn) > 0 {
		l.strewn[0]()
		l.strewn = l.strewn[1:]
	}
}

// transposition returns the steps that put the words of the block at the offset to
// out.
func (l *lanesEVEX) transposition(out operand.Mem) (steps []func()) {
	do := func(step func()) { steps = append(steps, step) }
	put := func(first int, words []reg.VecPhysical) {
		for i, x := range words {
			do(func() { l.put(x, out.Offset(l.size()*(first+i))) })
		}
	}
	if l.lanes == 8 {
		for chunk := range 4 {
			rows, temp := l.regs[16+8*(chunk%2):][:4], l.regs[20+8*(chunk%2):][:4]
			for i, r := range rows {
				do(func() { l.MOVQ(at(pReg, 8*i), tempReg) })
				do(func() { l.MOVQ(at(pReg, 8*(i+4)), temp2Reg) })
				do(func() { l.VMOVDQU32(index(tempReg, offsetReg, 16*chunk), r.AsX()) })
				do(func() { l.VINSERTI32X4(operand.U8(1), index(temp2Reg, offsetReg, 16*chunk), r, r) })
			}
			steps = append(steps, l.transpose(rows, temp, rows)...)
			put(4*chunk, rows)
		}
		return steps
	}
	// Halves of two rows in a register, then quarters of four.
	for half := range 2 {
		rows, chunks := l.regs[16:24], l.regs[24:32]
		for i, r := range rows {
			first := i%4 + 8*(i/4)
			do(func() { l.MOVQ(at(pReg, 8*first), tempReg) })
			do(func() { l.MOVQ(at(pReg, 8*(first+4)), temp2Reg) })
			do(func() { l.VMOVDQU32(index(tempReg, offsetReg, 32*half), r.AsY()) })
			do(func() { l.VINSERTI64X4(operand.U8(1), index(temp2Reg, offsetReg, 32*half), r, r) })
		}
		for i := range 4 {
			do(func() { l.VSHUFI32X4(operand.U8(0x88), rows[4+i], rows[i], chunks[i]) })
			do(func() { l.VSHUFI32X4(operand.U8(0xdd), rows[4+i], rows[i], chunks[4+i]) })
		}
		for i := range 2 {
			steps = append(steps, l.transpose(chunks[4*i:][:4], rows[:4], chunks[4*i:][:4])...)
			put(8*half+4*i, chunks[4*i:][:4])
		}
	}
	return steps
}

// manyEVEX is the compression function for eight or sixteen messages.
func (e *emitter) manyEVEX(lanes int) {
	name := fmt.Sprintf("Many%dAVX512", lanes)
	m := &lanesEVEX{emitter: e, lanes: lanes, regs: map[int][]reg.VecPhysical{8: yregs, 16: zregs}[lanes]}
	v := m.regs
	e.begin(name, manySignature, append(manyDoc(name, lanes),
		fmt.Sprintf("%s0 to %[1]s15 are the words of the state, %[1]s16 to %[1]s31 temporaries. The frame has room for the message words", map[int]string{8: "Y", 16: "Z"}[lanes]),
		"of two blocks, at R10 those of this one and at R11 those of the next."))
	e.Attributes(0) // so large a frame must be checked for
	block := 16 * m.size()
	m.words = e.aligned(2 * block)
	next := at(reg.R11, 0)
	e.LEAQ(m.words.Offset(block), reg.R11)
	e.loadMany()
	run(m.transposition(m.words))
	for i := range 8 {
		m.get(at(hReg, 64*i), v[i])
	}
	e.Label("block")
	e.Comment("The block that is next, or the last one once more, since nothing behind it may be read")
	e.LEAQ(at(offsetReg, 64), tempReg)
	e.CMPQ(leftReg, operand.I8(1))
	e.CMOVQNE(tempReg, offsetReg)
	for i := range 4 {
		e.VPBROADCASTD(e.pool.words(iv[i]), v[8+i])
	}
	lo, hi, sixtyFour := v[12], v[13], v[14]
	e.VPBROADCASTD(e.pool.words(64), sixtyFour)
	e.VPADDD(at(counterReg, 0), sixtyFour, lo)
	m.get(at(counterReg, 64), hi)
	e.Comment("A carry is where the sum is less than 64")
	e.VPCMPUD(operand.U8(1), sixtyFour, lo, reg.K1)
	e.VPTERNLOGD(operand.U8(0xff), sixtyFour, sixtyFour, sixtyFour)
	e.VPSUBD(sixtyFour, hi, reg.K1, hi)
	m.put(lo, at(counterReg, 0))
	m.put(hi, at(counterReg, 64))
	e.VPXORD_BCST(e.pool.words(iv[4]), lo, lo)
	e.VPXORD_BCST(e.pool.words(iv[5]), hi, hi)
	e.VPBROADCASTD(e.pool.words(iv[6]), v[14])
	e.VPXORD(at(lastReg, 0), v[14], v[14])
	e.VPBROADCASTD(e.pool.words(iv[7]), v[15])

	m.strewn = m.transposition(next)
	for _, words := range sigma {
		for shift := range 2 {
			var q [4]quad
			for i := range q {
				q[i] = quad{
					a: v[i], b: v[4+(i+shift)%4], c: v[8+(i+2*shift)%4], d: v[12+(i+3*shift)%4],
					x: words[8*shift+2*i], y: words[8*shift+2*i+1],
				}
			}
			mix(m, q[:]...)
		}
	}
	if len(m.strewn) > 0 {
		panic("the rounds are too short for the transposition")
	}
	for i := range 8 {
		e.VPTERNLOGD(operand.U8(0x96), at(hReg, 64*i), v[8+i], v[i])
		m.put(v[i], at(hReg, 64*i))
	}
	e.XCHGQ(reg.R10, reg.R11)
	e.DECQ(leftReg)
	e.JNZ(ref("block"))
	e.VZEROUPPER()
	e.RET()
}
