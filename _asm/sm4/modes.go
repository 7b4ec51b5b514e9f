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
	frameReg = reg.R9  // frame space, aligned to the registers' width
	ctrReg   = reg.R10 // low 32 bits of the counter
	chain0   = reg.R11 // last ciphertext block of a batch
	chain1   = reg.R12
	limitReg = reg.R13 // offset of the last block within the last group
	tweakReg = reg.R14 // tweaks of XTS
)

// blocksOf is a sequence of blocks that a mode puts into the cipher or adds to
// its result.
type blocksOf int

const (
	nothing  blocksOf = iota
	source            // src
	previous          // the block before it: iv, then src
	counters          // iv, iv+1, ...
	tweaks            // the tweaks of XTS, from tweakReg on
)

// mode is a mode in which the blocks do not wait for each other.
type mode struct {
	name  string
	input blocksOf // what is encrypted
	add   blocksOf // what is added to it

	whiten bool // add is added before the encryption too
}

var modes = []mode{
	{name: "ECB", input: source},
	{name: "CBCDec", input: source, add: previous},
	{name: "CFBDec", input: previous, add: source},
	{name: "CTR", input: counters, add: source},
}

func (m mode) chained() bool { return m.input == previous || m.add == previous }
func (m mode) hasIV() bool   { return m.input != source || m.add != nothing }

var modeRegisters = []string{
	"AX round keys   BX current round key, or offset   DX end of the round keys, or offset",
	"CX blocks left   SI src   DI dst   R8 iv   R9 frame   R10 counter",
	"R11, R12 last ciphertext block   R13 offset of the last block in the last group",
	"X or Y 0 to 3 words   4 to 6 scratch   7 to 15 constants",
	"Z 0 to 15 words   16 to 26 scratch   27 to 31 constants",
}

// frame is a routine's own memory.
type frame struct {
	words  operand.Mem // of a batch
	keys   operand.Mem // round keys of the byte-sliced form
	upper  operand.Mem // the upper three words of the counter
	tweaks operand.Mem // of XTS
	extra  operand.Mem // what the routine asked for
}

// frame allocates a mode's memory, with extra bytes for the routine itself.
func (e *emitter) frame(t tier, m mode, extra int) (f frame) {
	align := int(t.width)
	size := 0
	place := func(n int) operand.Mem {
		at := operand.Mem{Base: frameReg, Disp: size}
		size += (n + align - 1) / align * align
		return at
	}
	if t.sliced {
		f.words, f.keys = place(slicedWords), place(slicedKeys)
	} else {
		f.words = place(wordsSize)
	}
	f.upper = place(16)
	if m.whiten {
		f.tweaks = place(16 * (t.most() + tweakOverrun))
	}
	f.extra = place(extra)
	local := e.AllocLocal(size + align)
	e.LEAQ(local.Offset(align-1), frameReg)
	e.ANDQ(operand.I32(-align), frameReg)
	return f
}

// routine emits a mode.
func (e *emitter) routine(m mode, t tier) {
	e.begin(m.name+t.suffix, signature(m.hasIV()), 0, routineDoc(m.name, t, m.hasIV(), false), modeRegisters...)
	e.args(m.hasIV())
	ret := e.label("ret")
	e.TESTQ(nReg, nReg)
	e.JE(ref(ret))
	f := e.frame(t, m, 0)
	if m.input == counters {
		e.MOVL(operand.Mem{Base: ivReg, Disp: 12}, ctrReg.As32())
		e.BSWAPL(ctrReg.As32())
	}
	e.run(m, t, f, nil)
	if m.input == counters {
		e.Comment("CX is what the main loop took too much, or the rest behind it.")
		e.ADDL(nReg.As32(), ctrReg.As32())
		e.BSWAPL(ctrReg.As32())
		e.MOVL(ctrReg.As32(), operand.Mem{Base: ivReg, Disp: 12})
	}
	if t.width > xmm {
		e.VZEROUPPER()
	}
	e.Label(ret)
	e.RET()
}

// finish ends a routine that has no other way out.
func (e *emitter) finish(t tier) {
	if t.width > xmm {
		e.VZEROUPPER()
	}
	e.RET()
}

// run emits a mode's work on nReg blocks, one or more. The batches are in
// falling order of size; the first is the main loop, and a rest of n blocks goes
// to the smallest that holds it. If the tier has it, the byte-sliced form comes
// before them. A single block goes through the rounds of the serial modes, which
// are faster for it.
//
// prepare, if there is one, emits what comes before each batch.
func (e *emitter) run(m mode, t tier, f frame, prepare func()) {
	next, one, done := e.label("next"), e.label("one"), e.label("done")
	e.CMPQ(nReg, operand.I32(1))
	e.JE(ref(one))
	if m.input == counters {
		e.Comment("The upper three words of the counter are the same for all blocks.")
		e.loadUpper(reg.X0)
		t.box.mapBytes(e, "in", e.fold.in, reg.X0, reg.X1, reg.X2)
		e.VMOVDQA(reg.X0, f.upper)
	}
	t.box.constants(e, t.width)
	if t.sliced {
		e.slicedKeys(t.box.(gfni), f)
	}
	e.Label(next)
	if prepare != nil {
		prepare()
	}
	sliced := e.label("sliced")
	if t.sliced {
		e.CMPQ(nReg, operand.I32(slicedBlocks))
		e.JAE(ref(sliced))
	}
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
	e.Label(one)
	e.Comment("One block.")
	e.one(m, t.box)
	e.JMP(ref(done))

	advance := func(blocks int) {
		e.ADDQ(operand.I32(16*blocks), srcReg)
		e.ADDQ(operand.I32(16*blocks), dstReg)
		if m.input == counters {
			e.ADDL(operand.I32(blocks), ctrReg.As32())
		}
		e.SUBQ(operand.I32(blocks), nReg)
		e.JHI(ref(next))
	}
	if t.sliced {
		e.Label(sliced)
		e.Commentf("%d blocks.", slicedBlocks)
		e.slicedBatch(m, t.box.(gfni), f)
		advance(slicedBlocks)
		e.JMP(ref(done))
	}
	// The main loop comes last and falls out into the end.
	for i, b := range slices.Backward(t.batches) {
		b.box, b.frame = t.box, f.words
		e.Label(labels[i])
		if i == 0 {
			e.Commentf("%d blocks, or %d and more if no others are left.", b.blocks(), least[i])
		} else {
			e.Commentf("%d to %d blocks.", least[i], b.blocks())
		}
		e.batch(m, b, i == 0, f)
		if i > 0 {
			e.JMP(ref(done))
		}
	}
	advance(t.batches[0].blocks())
	e.Label(done)
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
func (e *emitter) batch(m mode, b batch, main bool, f frame) {
	last := b.groups - 1
	gb := b.groupBlocks()
	e.LEAQ(operand.Mem{Base: nReg, Disp: -gb*last - 1}, limitReg)
	if main {
		e.MOVL(operand.U32(gb-1), keyReg.As32())
		e.CMPQ(limitReg, keyReg)
		e.CMOVQHI(keyReg, limitReg)
	}
	if b.w == zmm {
		e.masks(b)
	}
	e.SHLQ(operand.U8(4), limitReg)

	s := b.scratch()
	if m.input == counters {
		e.enterCounters(b, f.upper)
	} else {
		for g := range b.groups {
			x := b.registers(g)
			e.fullOrNot(b, g, func(full bool) {
				for i := range 4 {
					e.load(b, m.input, g, i, full, x[i])
					if m.whiten {
						e.add(b, m.add, g, i, full, x[i], s[0])
					}
				}
			})
			e.enter(b.box, x, s[0], s[1])
			b.put(e, g)
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
		x := b.registers(g)
		block := func(i int) reg.VecPhysical { return x[3-i] }
		b.get(e, g)
		e.leave(b.box, x, s[0], s[1])
		e.fullOrNot(b, g, func(full bool) {
			for i := range 4 {
				if m.add != nothing {
					e.add(b, m.add, g, i, full, block(i), s[0])
				}
			}
			for i := 3; i >= 0; i-- {
				e.store(b, g, i, full, block(i))
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
	s := b.scratch()
	count := s[2]
	e.broadcastCounter(b.w, count)
	for i := range 3 {
		x := b.registers(0)[i]
		b.box.broadcast(e, b.w, upper.Offset(4*i), x)
		for g := range b.groups {
			if !b.resident() {
				e.mov(x, b.word(g, i))
			} else if g > 0 {
				e.mov(x, b.registers(g)[i])
			}
		}
	}
	for g := range b.groups {
		x := b.registers(g)[3]
		e.VPADDD(e.steps(b.w, g), count, x)
		e.VPSHUFB(e.pool.row("byte swap", byteSwap()), x, x)
		e.intoBasis(b.box, x, s[0], s[1])
		if !b.resident() {
			e.mov(x, b.word(g, 3))
		}
	}
}

// loadUpper loads the upper three words of iv. A load of all of it would wait
// for the store of the lowest word by the call before.
func (e *emitter) loadUpper(x reg.VecPhysical) {
	e.VMOVQ(operand.Mem{Base: ivReg}, x)
	e.VPINSRD(operand.U8(2), operand.Mem{Base: ivReg, Disp: 8}, x, x)
}

// broadcastCounter fills x with the low word of the counter.
func (e *emitter) broadcastCounter(w width, x reg.VecPhysical) {
	e.VMOVD(ctrReg.As32(), low(x))
	if w == xmm {
		e.VPSHUFD(operand.U8(0), x, x)
	} else {
		e.VPBROADCASTD(low(x), x)
	}
}

// steps is what group g adds to the counter. The lanes of a register hold
// neighbouring blocks, as load and store have them.
func (e *emitter) steps(w width, g int) operand.Mem {
	n := w.blocks()
	var bytes []byte
	for lane := range n {
		for i := range 4 {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(n*(4*g+i)+lane))
		}
	}
	return e.pool.array(fmt.Sprintf("steps %d %d", w, g), bytes)
}

// fullOrNot emits f once for a full group g and, if it is the last of the
// batch, once more for one that is not. In zmm masks would do for both, but a
// masked store is slow on some processors.
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

// in is the register from which a sequence of blocks is read.
func (seq blocksOf) in() reg.GPPhysical {
	if seq == tweaks {
		return tweakReg
	}
	return srcReg
}

func (e *emitter) load(b batch, seq blocksOf, g, i int, full bool, x reg.VecPhysical) {
	if b.w == zmm {
		e.loadMasked(seq, g, i, full, x)
		return
	}
	at := e.place(b, seq, seq.in(), g, i, full)
	if len(at) == 1 {
		e.VMOVDQU(at[0], x)
		return
	}
	e.VMOVDQU(at[0], low(x))
	e.VINSERTI128(operand.U8(1), at[1], x, x)
}

func (e *emitter) add(b batch, seq blocksOf, g, i int, full bool, x, s reg.VecPhysical) {
	if b.w == zmm {
		e.addMasked(seq, g, i, full, x)
		return
	}
	if seq == tweaks {
		// What stands in for blocks that are missing is written over: any tweak
		// will do.
		full = true
	}
	if full && (seq != previous || g > 0 || i > 0) || b.w == xmm {
		e.VPXOR(e.place(b, seq, seq.in(), g, i, full)[0], x, x)
		return
	}
	e.load(b, seq, g, i, full, s)
	e.VPXOR(s, x, x)
}

func (e *emitter) store(b batch, g, i int, full bool, x reg.VecPhysical) {
	if b.w == zmm {
		e.storeMasked(g, i, full, x)
		return
	}
	at := e.place(b, source, dstReg, g, i, full)
	if len(at) == 1 {
		e.VMOVDQU(x, at[0])
		return
	}
	e.VEXTRACTI128(operand.U8(1), x, at[1])
	e.VMOVDQU(low(x), at[0])
}
