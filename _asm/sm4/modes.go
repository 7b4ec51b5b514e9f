package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// General registers, the same in every routine.
var (
	rkReg    = reg.RAX // first round key
	keyReg   = reg.RBX // current round key; outside of the rounds an offset
	nReg     = reg.RCX // blocks left
	rkEndReg = reg.RDX // end of the round keys; outside of the rounds an offset
	srcReg   = reg.RSI
	dstReg   = reg.RDI
	ivReg    = reg.R8
	frameReg = reg.R9  // frame space, aligned to 32 bytes
	ctrReg   = reg.R10 // low 32 bits of the counter
	chain0   = reg.R11 // last ciphertext block of a batch
	chain1   = reg.R12
	limitReg = reg.R13 // offset of the last block within the last group
)

// blocksOf is a sequence of blocks that a mode puts into the cipher or adds to
// its result.
type blocksOf int

const (
	nothing  blocksOf = iota
	source            // src
	previous          // the block before it: iv, then src
	counters          // iv, iv+1, ...
)

// mode is a mode in which the blocks do not wait for each other.
type mode struct {
	name  string
	input blocksOf // what is encrypted
	add   blocksOf // what is added to it
}

var modes = []mode{
	{"ECB", source, nothing},
	{"CBCDec", source, previous},
	{"CFBDec", previous, source},
	{"CTR", counters, source},
}

func (m mode) chained() bool { return m.input == previous || m.add == previous }
func (m mode) hasIV() bool   { return m.input != source || m.add != nothing }

// routine emits a mode. The batches are in falling order of size; the first is
// the main loop, and a rest of n blocks goes to the smallest that holds it. A
// single block goes through the rounds of the serial modes, which are faster
// for it.
func (e *emitter) routine(m mode, t tier) {
	e.begin(m.name+t.suffix, signature(m.hasIV()), 0, routineDoc(m.name, t, m.hasIV(), false),
		"AX round keys   BX current round key, or offset   DX end of the round keys, or offset",
		"CX blocks left   SI src   DI dst   R8 iv   R9 frame   R10 counter",
		"R11, R12 last ciphertext block   R13 offset of the last block in the last group",
		"X or Y 0 to 3 words   4 to 6 scratch   7 to 15 constants")
	e.args(m.hasIV())
	local := e.AllocLocal(frameSize + 32 + 32)
	e.LEAQ(local.Offset(31), frameReg)
	e.ANDQ(operand.I32(-32), frameReg)
	frame := operand.Mem{Base: frameReg}
	upper := frame.Offset(frameSize)

	next, done, ret := e.label("next"), e.label("done"), e.label("ret")
	e.TESTQ(nReg, nReg)
	e.JE(ref(ret))
	if m.input == counters {
		e.MOVL(operand.Mem{Base: ivReg, Disp: 12}, ctrReg.As32())
		e.BSWAPL(ctrReg.As32())
		e.Comment("The upper three words of the counter are the same for all blocks.")
		e.VMOVDQU(operand.Mem{Base: ivReg}, reg.X0)
		t.box.intoBasis(e, reg.X0, reg.X1, reg.X2)
		e.VMOVDQA(reg.X0, upper)
	}

	t.box.constants(e, t.width)
	e.Label(next)
	labels := make([]string, len(t.batches))
	least := make([]int, len(t.batches))
	for i, b := range t.batches {
		labels[i] = e.label("blocks" + strconv.Itoa(b.blocks()))
		least[i] = 2
		if i+1 < len(t.batches) {
			least[i] = t.batches[i+1].blocks() + 1
		}
		e.CMPQ(nReg, operand.I32(least[i]))
		e.JAE(ref(labels[i]))
	}
	e.Comment("One block.")
	e.one(m)
	e.JMP(ref(done))

	// The main loop comes last and falls out into the end.
	for i, b := range slices.Backward(t.batches) {
		b.box, b.frame = t.box, frame
		e.Label(labels[i])
		if i == 0 {
			e.Commentf("%d blocks, or %d and more if no others are left.", b.blocks(), least[i])
		} else {
			e.Commentf("%d to %d blocks.", least[i], b.blocks())
		}
		e.batch(m, b, i == 0, upper)
		if i > 0 {
			e.JMP(ref(done))
		}
	}
	b := t.batches[0]
	e.ADDQ(operand.I32(16*b.blocks()), srcReg)
	e.ADDQ(operand.I32(16*b.blocks()), dstReg)
	if m.input == counters {
		e.ADDL(operand.I32(b.blocks()), ctrReg.As32())
	}
	e.SUBQ(operand.I32(b.blocks()), nReg)
	e.JHI(ref(next))

	e.Label(done)
	if m.input == counters {
		e.Comment("CX is what the main loop took too much, or the rest behind it.")
		e.ADDL(nReg.As32(), ctrReg.As32())
		e.BSWAPL(ctrReg.As32())
		e.MOVL(ctrReg.As32(), operand.Mem{Base: ivReg, Disp: 12})
	}
	if t.width == ymm {
		e.VZEROUPPER()
	}
	e.Label(ret)
	e.RET()
}

// begin starts a routine, with its documentation in both files.
func (e *emitter) begin(name, signature string, attributes attr.Attribute, doc []string, registers ...string) {
	e.labels = 0
	e.Function(name)
	e.Attributes(attributes)
	e.Doc(doc...)
	e.Pragma("noescape")
	e.SignatureExpr(signature)
	e.Comment(append(append(slices.Clone(doc), "", "Registers:"), registers...)...)
}

func signature(iv bool) string {
	if iv {
		return "func(rk *[32]uint32, dst, src *byte, blocks int, iv *[16]byte)"
	}
	return "func(rk *[32]uint32, dst, src *byte, blocks int)"
}

func (e *emitter) args(iv bool) {
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("dst"), dstReg)
	e.Load(e.Param("src"), srcReg)
	e.Load(e.Param("blocks"), nReg)
	if iv {
		e.Load(e.Param("iv"), ivReg)
	}
}

// batch emits one batch: load, rounds, store. The main loop's may be given more
// blocks than it holds and takes as many as it can.
//
// All its groups are full but the last, which has at least one block. Where
// blocks are missing there, the last block is loaded and stored in their place.
// Stores run from the last block to the first, so that a block's own value is
// the last that reaches its place.
//
// In place, CBC decryption adds ciphertext that a store overwrites: so groups
// too are stored from the last to the first, each after all that is added to it
// was read.
func (e *emitter) batch(m mode, b batch, main bool, upper operand.Mem) {
	last := b.groups - 1
	gb := b.groupBlocks()
	e.LEAQ(operand.Mem{Base: nReg, Disp: -gb*last - 1}, limitReg)
	if main {
		e.MOVL(operand.U32(gb-1), keyReg.As32())
		e.CMPQ(limitReg, keyReg)
		e.CMOVQHI(keyReg, limitReg)
	}
	e.SHLQ(operand.U8(4), limitReg)

	x, s := b.registers(), b.scratch()
	if m.input == counters {
		e.enterCounters(b, upper)
	} else {
		for g := range b.groups {
			e.fullOrNot(b, g, func(full bool) {
				for i := range 4 {
					e.load(e.place(b, m.input, srcReg, g, i, full), x[i])
				}
			})
			b.box.enter(e, x, s[0], s[1])
			for i := range 4 {
				e.VMOVDQU(x[i], b.word(g, i))
			}
		}
	}

	b.rounds(e)

	if m.chained() {
		end := operand.Mem{Base: srcReg, Index: limitReg, Scale: 1, Disp: 16 * gb * last}
		e.MOVQ(end, chain0)
		e.MOVQ(end.Offset(8), chain1)
	}
	for g := last; g >= 0; g-- {
		// The words come out of the rounds in reverse order, and so do the blocks.
		block := func(i int) reg.VecPhysical { return x[3-i] }
		for i := range 4 {
			e.VMOVDQU(b.word(g, i), x[i])
		}
		b.box.leave(e, x, s[0], s[1])
		e.fullOrNot(b, g, func(full bool) {
			for i := range 4 {
				if m.add != nothing {
					e.add(e.place(b, m.add, srcReg, g, i, full), block(i), s[0])
				}
			}
			for i := 3; i >= 0; i-- {
				e.store(block(i), e.place(b, source, dstReg, g, i, full))
			}
		})
	}
	if m.chained() {
		e.MOVQ(chain0, operand.Mem{Base: ivReg})
		e.MOVQ(chain1, operand.Mem{Base: ivReg, Disp: 8})
	}
}

// enterCounters makes the counter blocks of a batch. They need no transposition:
// words 0 to 2 are the same in all blocks, word 3 counts.
func (e *emitter) enterCounters(b batch, upper operand.Mem) {
	x, s := b.registers(), b.scratch()
	count := s[2]
	e.VMOVD(ctrReg.As32(), count.AsX())
	if b.w == ymm {
		e.VPBROADCASTD(count.AsX(), count)
	} else {
		e.VPSHUFD(operand.U8(0), count, count)
	}
	for i := range 3 {
		e.VBROADCASTSS(upper.Offset(4*i), x[i])
		for g := range b.groups {
			e.VMOVDQU(x[i], b.word(g, i))
		}
	}
	for g := range b.groups {
		e.VPADDD(e.steps(b, g), count, x[3])
		e.VPSHUFB(e.pool.row("byte swap", byteSwap()), x[3], x[3])
		b.box.intoBasis(e, x[3], s[0], s[1])
		e.VMOVDQU(x[3], b.word(g, 3))
	}
}

// steps is what group g adds to the counter. The lanes of a ymm register hold
// the even and the odd blocks, as load and store have them.
func (e *emitter) steps(b batch, g int) operand.Mem {
	n := b.w.blocks()
	var bytes []byte
	for lane := range n {
		for i := range 4 {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(b.groupBlocks()*g+n*i+lane))
		}
	}
	return e.pool.array(fmt.Sprintf("steps %d %d", b.w, g), bytes)
}

// fullOrNot emits f once for a full group g and, if it is the last of the
// batch, once more for one that is not.
func (e *emitter) fullOrNot(b batch, g int, f func(full bool)) {
	if g != b.groups-1 {
		f(true)
		return
	}
	short, join := e.label("short"), e.label("join")
	e.CMPQ(limitReg, operand.I32(16*(b.groupBlocks()-1)))
	e.JNE(ref(short))
	f(true)
	e.JMP(ref(join))
	e.Label(short)
	f(false)
	e.Label(join)
}

// place returns where the blocks of register i of group g lie: one operand if
// they follow each other in memory, else one for each block. It may emit code
// for an address, which holds until place is called again.
//
// In a group that is not full, blocks behind the last one are the last one. So
// the block before block 1 and the following is never the one before src, if
// there are two blocks or more.
func (e *emitter) place(b batch, seq blocksOf, base reg.GPPhysical, g, i int, full bool) []operand.Mem {
	n := b.w.blocks()
	start := 16 * b.groupBlocks() * g
	if seq == previous {
		start -= 16
	}
	first := seq == previous && g == 0 && i == 0
	if full && !first {
		return []operand.Mem{{Base: base, Disp: start + 16*n*i}}
	}
	var at []operand.Mem
	for h := range n {
		j := n*i + h
		switch {
		case first && h == 0:
			at = append(at, operand.Mem{Base: ivReg})
		case full || j == 0:
			at = append(at, operand.Mem{Base: base, Disp: start + 16*j})
		default:
			off := []reg.GPPhysical{keyReg, rkEndReg}[h]
			e.MOVL(operand.U32(16*j), off.As32())
			e.CMPQ(limitReg, off)
			e.CMOVQLT(limitReg, off)
			at = append(at, operand.Mem{Base: base, Index: off, Scale: 1, Disp: start})
		}
	}
	return at
}

func (e *emitter) load(at []operand.Mem, x reg.VecPhysical) {
	if len(at) == 1 {
		e.VMOVDQU(at[0], x)
		return
	}
	e.VMOVDQU(at[0], x.AsX())
	e.VINSERTI128(operand.U8(1), at[1], x, x)
}

func (e *emitter) add(at []operand.Mem, x, s reg.VecPhysical) {
	if len(at) == 1 {
		e.VPXOR(at[0], x, x)
		return
	}
	e.load(at, s)
	e.VPXOR(s, x, x)
}

func (e *emitter) store(x reg.VecPhysical, at []operand.Mem) {
	if len(at) == 1 {
		e.VMOVDQU(x, at[0])
		return
	}
	e.VEXTRACTI128(operand.U8(1), x, at[1])
	e.VMOVDQU(x.AsX(), at[0])
}
