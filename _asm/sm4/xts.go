package main

import (
	"encoding/binary"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// XTS adds a tweak to each block before and after its encryption. The tweak of a
// data unit's block j is T*x^j in GF(2^128) with the polynomial x^128 + x^7 + x^2
// + x + 1, T being the unit's number, encrypted.
//
// IEEE Std 1619 reads a block as a little-endian number whose bit i is the
// coefficient of x^i: a shift to the left by k bits multiplies by x^k, and the
// bits c that it shifts out come back as c*(x^7 + x^2 + x + 1), or c*0x87. GB/T
// 17964-2021 has the bits of each byte the other way round. So its tweaks are
// IEEE's with the bits of each byte reversed, and are computed like that.
//
// In a register with the quad words l and h, the step by x^k, k < 57, is
//
//	(l<<k, h<<k) ^ (0, l>>(64-k)) ^ (h>>(64-k))*0x87
//
// with a carry-less product, for any number of blocks in parallel. The tiers
// without one double block by block.
//
// Before a batch, its tweaks are written to the frame, from however many data
// units they come.

// tweakOverrun is the number of tweaks that may be written behind the last one.
const tweakOverrun = 32

var xtsMode = mode{name: "XTS", input: source, add: tweaks, whiten: true}

const xtsSignature = "func(rk, tk *[32]uint32, dst, src *byte, n, size int, tweaks *byte, flags int)"

// The flags of an XTS routine.
const (
	flagDecrypt = 1
	flagGB      = 2
)

// Registers of the XTS routines besides those of the modes.
var (
	tweaksReg = reg.R8  // next tweak argument
	leftReg   = reg.R10 // blocks left that the current one is good for
	restReg   = reg.R11 // bytes behind the current run
)

// most is the number of blocks of the tier's largest batch.
func (t tier) most() int {
	if t.sliced {
		return slicedBlocks
	}
	return t.batches[0].blocks()
}

// xts emits the routine. A run is a sequence of blocks without stealing: all
// data units if they have whole blocks only, else one. Then the stealing follows,
// if the last block of the run's last unit is partial.
func (e *emitter) xts(t tier) {
	e.begin("XTS"+t.suffix, xtsSignature, 0, xtsDoc(t), append([]string{
		"R8 tweaks   R10 blocks left in the unit   R11 bytes behind the run   R12 bytes of the partial block",
		"R14 tweaks of the batch; others:",
	}, modeRegisters...)...)
	e.Load(e.Param("dst"), dstReg)
	e.Load(e.Param("src"), srcReg)
	e.Load(e.Param("n"), restReg)
	e.Load(e.Param("tweaks"), tweaksReg)
	f := e.frame(t, xtsMode, 5*16)
	current, second, partial := f.extra, f.extra.Offset(16), f.extra.Offset(32)
	srcEnd, dstEnd := f.extra.Offset(48), f.extra.Offset(56)
	x := serialLow

	unit, whole, ready, steal, end, given := e.label("unit"), e.label("whole"), e.label("ready"), e.label("steal"), e.label("end"), e.label("given")
	e.XORL(leftReg.As32(), leftReg.As32())
	e.Load(e.Param("tk"), rkReg)
	e.TESTQ(rkReg, rkReg)
	e.JE(ref(given))
	several, out := e.label("several"), e.label("out")
	e.CMPQ(restReg, operand.I32(16))
	e.JNE(ref(several))
	e.xtsBlock(t.box, current)
	e.JMP(ref(out))
	e.Label(several)
	e.Comment("The tweak of the only unit.")
	e.VMOVDQU(operand.Mem{Base: tweaksReg}, x)
	e.oneBlock(t.box)
	e.VMOVDQU(x, current)
	e.MOVQ(operand.I32(1<<30), leftReg)
	e.Label(given)
	e.Load(e.Param("rk"), rkReg)

	e.Label(unit)
	e.Comment("CX is the length of the run.")
	e.MOVQ(restReg, nReg)
	e.Load(e.Param("size"), reg.RBX)
	e.TESTQ(operand.I32(15), reg.RBX)
	e.JE(ref(whole))
	e.CMPQ(reg.RBX, nReg)
	e.CMOVQLT(reg.RBX, nReg)
	e.Label(whole)
	e.SUBQ(nReg, restReg)
	e.MOVQ(nReg, tailReg)
	e.SHRQ(operand.U8(4), nReg)
	e.ANDQ(operand.I32(15), tailReg)
	e.JE(ref(ready))
	e.Comment("Decryption steals from the last whole block.")
	e.Load(e.Param("flags"), reg.RBX)
	e.ANDQ(operand.I32(flagDecrypt), reg.RBX)
	e.SUBQ(reg.RBX, nReg)
	e.Label(ready)
	e.TESTQ(nReg, nReg)
	e.JE(ref(steal))

	e.MOVQ(nReg, reg.RBX)
	e.SHLQ(operand.U8(4), reg.RBX)
	e.LEAQ(operand.Mem{Base: srcReg, Index: reg.RBX, Scale: 1}, reg.RDX)
	e.MOVQ(reg.RDX, srcEnd)
	e.LEAQ(operand.Mem{Base: dstReg, Index: reg.RBX, Scale: 1}, reg.RDX)
	e.MOVQ(reg.RDX, dstEnd)
	e.xtsRun(t, f, current)
	e.MOVQ(srcEnd, srcReg)
	e.MOVQ(dstEnd, dstReg)

	e.Label(steal)
	e.TESTQ(tailReg, tailReg)
	e.JE(ref(end))
	e.nextTweak(current)
	forward, join := e.label("encrypt"), e.label("join")
	e.Load(e.Param("flags"), reg.RBX)
	e.TESTQ(operand.I32(flagDecrypt), reg.RBX)
	e.JE(ref(forward))
	e.Comment("The last whole block has the tweak behind its own.")
	e.VMOVDQU(current, x)
	e.double(t.box, x, serialB, serialD)
	e.VMOVDQU(x, second)
	e.VPXOR(operand.Mem{Base: srcReg}, x, x)
	e.oneBlock(t.box)
	e.VPXOR(second, x, x)
	e.VMOVDQU(x, partial)
	e.ADDQ(operand.I32(16), srcReg)
	e.ADDQ(operand.I32(16), dstReg)
	e.JMP(ref(join))
	e.Label(forward)
	e.VMOVDQU(operand.Mem{Base: dstReg, Disp: -16}, x)
	e.VMOVDQU(x, partial)
	e.Label(join)

	e.Comment("The partial block is filled up with the end of the block before it, whose",
		"beginning goes to the end of the unit.")
	head, moved := serialB, serialD
	e.window(limitReg)
	e.VMOVDQU(partial, x)
	e.VMOVDQU(operand.Mem{Base: srcReg, Index: tailReg, Scale: 1, Disp: -16}, moved)
	e.toEnd(x, head)
	e.VMOVDQU(head, operand.Mem{Base: dstReg, Index: tailReg, Scale: 1, Disp: -16})
	e.toFront(head, head)
	e.toFront(moved, moved)
	e.VPXOR(head, x, x)
	e.VPXOR(moved, x, x)
	e.VPXOR(current, x, x)
	e.oneBlock(t.box)
	e.VPXOR(current, x, x)
	e.VMOVDQU(x, operand.Mem{Base: dstReg, Disp: -16})
	e.ADDQ(tailReg, srcReg)
	e.ADDQ(tailReg, dstReg)

	e.Label(end)
	e.XORL(leftReg.As32(), leftReg.As32())
	e.TESTQ(restReg, restReg)
	e.JNE(ref(unit))
	e.Comment("The tweak with which a next call can go on.")
	e.Load(e.Param("tk"), reg.RBX)
	e.TESTQ(reg.RBX, reg.RBX)
	e.JNE(ref(out))
	e.VMOVDQU(current, x)
	e.VMOVDQU(x, operand.Mem{Base: tweaksReg, Disp: -16})
	e.Label(out)
	e.finish(t)
}

// xtsBlock does a data unit of one block, its tweak included. The two blocks are
// a chain as in CBC, so the tweak is added without leaving the basis.
func (e *emitter) xtsBlock(box box, tweak operand.Mem) {
	x := serialLow
	finish := func() {
		box.gather(e, reversed(serialWord), x, serialB)
		box.mapBytes(e, "out", e.fold.out, x, serialB, serialD)
	}
	e.Comment("The only block of the only unit, whose tweak comes first.")
	box.serialConstants(e)
	e.VMOVDQU(operand.Mem{Base: tweaksReg}, x)
	box.mapBytes(e, "in", e.fold.in, x, serialB, serialD)
	for i, w := range serialWord {
		box.spread(e, i, x, w)
	}
	e.serialStart(box)
	e.serialRounds(box)
	finish()
	e.VMOVDQU(x, tweak)
	e.Load(e.Param("rk"), rkReg)
	e.VMOVDQU(operand.Mem{Base: srcReg}, x)
	e.absorb(box)
	e.serialRounds(box)
	finish()
	e.VPXOR(tweak, x, x)
	e.VMOVDQU(x, operand.Mem{Base: dstReg})
}

// nextTweak makes the next of the tweak arguments the current one, if the unit
// is at its end. A partial block counts, so that its unit does not end before it.
func (e *emitter) nextTweak(current operand.Mem) {
	have := e.label("have")
	e.TESTQ(leftReg, leftReg)
	e.JNE(ref(have))
	e.VMOVDQU(operand.Mem{Base: tweaksReg}, reg.X0)
	e.VMOVDQU(reg.X0, current)
	e.ADDQ(operand.I32(16), tweaksReg)
	e.Load(e.Param("size"), leftReg)
	e.ADDQ(operand.I32(15), leftReg)
	e.SHRQ(operand.U8(4), leftReg)
	e.Label(have)
}

// xtsRun emits a run's work. A single block takes the current tweak as it is.
func (e *emitter) xtsRun(t tier, f frame, current operand.Mem) {
	many, done := e.label("many"), e.label("run_done")
	e.nextTweak(current)
	e.LEAQ(f.tweaks, tweakReg)
	e.CMPQ(nReg, operand.I32(1))
	e.JNE(ref(many))
	e.LEAQ(current, tweakReg)
	e.Label(many)
	e.run(xtsMode, t, f, func() { e.fillTweaks(t, current) })
	e.Comment("A single block leaves the step to the next tweak to be done.")
	e.LEAQ(f.tweaks, reg.RBX)
	e.CMPQ(tweakReg, reg.RBX)
	e.JE(ref(done))
	e.DECQ(leftReg)
	e.VMOVDQU(current, serialLow)
	e.double(t.box, serialLow, serialB, serialD)
	e.VMOVDQU(serialLow, current)
	e.Label(done)
}

// double makes x = x*T, in the flavour that the flags say; s and u are scratch.
func (e *emitter) double(box box, x, s, u reg.VecPhysical) {
	ieee, done := e.label("ieee"), e.label("doubled")
	e.Load(e.Param("flags"), reg.RBX)
	e.TESTQ(operand.I32(flagGB), reg.RBX)
	e.JE(ref(ieee))
	e.reverseBits(box, x, s, u)
	e.doubleIEEE(x, s)
	e.reverseBits(box, x, s, u)
	e.JMP(ref(done))
	e.Label(ieee)
	e.doubleIEEE(x, s)
	e.Label(done)
}

func (e *emitter) reverseBits(box box, x, s, u reg.VecPhysical) {
	box.mapBytes(e, "reverse", func(b byte) byte { return bits.Reverse8(b) }, x, s, u)
}

// doubleIEEE makes x = x*T. s becomes the sign of the double word before, that
// is, the bit that is shifted out of it.
func (e *emitter) doubleIEEE(x, s reg.VecPhysical) {
	e.VPSRAD(operand.U8(31), x, s)
	e.VPADDQ(x, x, x)
	e.VPSHUFD(operand.U8(0x13), s, s)
	e.VPAND(e.pool.row("carry", quads(0x87, 1)), s, s)
	e.VPXOR(s, x, x)
}

func quads(l, h uint64) (row [16]byte) {
	binary.LittleEndian.PutUint64(row[:], l)
	binary.LittleEndian.PutUint64(row[8:], h)
	return row
}

// fillTweaks writes the tweaks of the next batch to tweakReg, and leaves the one
// behind them in current.
func (e *emitter) fillTweaks(t tier, current operand.Mem) {
	need, place, count := rkEndReg, limitReg, keyReg
	segment, written := e.label("segment"), e.label("written")
	most := t.batches[0].blocks()
	e.MOVL(operand.U32(most), need.As32())
	e.CMPQ(nReg, need)
	e.CMOVQLT(nReg, need)
	if t.sliced {
		e.MOVL(operand.U32(slicedBlocks), count.As32())
		e.CMPQ(nReg, count)
		e.CMOVQGE(count, need)
	}
	e.MOVQ(tweakReg, place)

	e.Label(segment)
	e.nextTweak(current)
	e.MOVQ(need, count)
	e.CMPQ(leftReg, count)
	e.CMOVQLT(leftReg, count)
	e.SUBQ(count, need)
	e.SUBQ(count, leftReg)
	e.SHLQ(operand.U8(4), count)
	gb := e.label("gb")
	e.CMPQ(e.flags(), operand.I32(flagGB))
	e.JAE(ref(gb))
	e.series(t, current, count, place, false)
	e.JMP(ref(written))
	e.Label(gb)
	e.series(t, current, count, place, true)
	e.Label(written)
	e.TESTQ(need, need)
	e.JNE(ref(segment))
}

// flags is the argument in memory.
func (e *emitter) flags() operand.Mem {
	c, err := e.Param("flags").Resolve()
	if err != nil {
		panic(err)
	}
	return c.Addr
}

// series writes current*x^j, j = 0, 1, ..., to place, of which count bytes are
// needed, and makes current the one behind these. place ends behind them too.
func (e *emitter) series(t tier, current operand.Mem, count, place reg.GPPhysical, gb bool) {
	to := operand.Mem{Base: place}
	loop := e.label("tweaks")
	if !t.clmul {
		x, s, u, r := reg.X0, reg.X1, reg.X2, reg.X3
		e.VMOVDQU(current, x)
		if gb {
			e.reverseBits(t.box, x, s, u)
		}
		out := func(to operand.Mem) {
			r := r
			if gb {
				e.VMOVDQA(x, r)
				e.reverseBits(t.box, r, s, u)
			} else {
				r = x
			}
			e.VMOVDQU(r, to)
		}
		e.Label(loop)
		out(to)
		e.doubleIEEE(x, s)
		e.ADDQ(operand.I32(16), place)
		e.SUBQ(operand.I32(16), count)
		e.JNE(ref(loop))
		out(current)
		return
	}

	w := t.width
	n := w.blocks()
	x := [4]reg.VecPhysical{w.reg(0), w.reg(1), w.reg(2), w.reg(3)}
	s, u, r := w.reg(4), w.reg(5), w.reg(6)
	poly := e.pool.row("polynomial", quads(0x87, 0))
	fold := func(x reg.VecPhysical) {
		// s is what was shifted out.
		e.VPCLMULQDQ(operand.U8(0x01), poly, s, u)
		e.VPSLLDQ(operand.U8(8), s, s)
		if w == zmm {
			e.xor3(s, u, x)
		} else {
			e.VPXOR(s, x, x)
			e.VPXOR(u, x, x)
		}
	}
	step := func(k int, x, y reg.VecPhysical) {
		e.VPSRLQ(operand.U8(64-k), x, s)
		e.VPSLLQ(operand.U8(k), x, y)
		fold(y)
	}
	var left, right []byte
	for lane := range n {
		for range 2 {
			left = binary.LittleEndian.AppendUint64(left, uint64(lane))
			right = binary.LittleEndian.AppendUint64(right, uint64(64-lane))
		}
	}
	if w == zmm {
		e.VBROADCASTI32X4(current, x[0])
	} else {
		e.VBROADCASTI128(current, x[0])
	}
	if gb {
		e.reverseBits(t.box, x[0], s, u)
	}
	e.VPSRLVQ(e.pool.array("right", right), x[0], s)
	e.VPSLLVQ(e.pool.array("left", left), x[0], x[0])
	fold(x[0])
	for i := 1; i < 4; i++ {
		step(i*n, x[0], x[i])
	}
	out := func(x reg.VecPhysical, to operand.Mem) {
		if gb {
			e.mov(x, r)
			e.reverseBits(t.box, r, s, u)
			x = r
		}
		e.mov(x, to)
	}
	e.Label(loop)
	for i := range 4 {
		out(x[i], to.Offset(int(w)*i))
	}
	for i := range 4 {
		step(4*n, x[i], x[i])
	}
	e.ADDQ(operand.I32(4*int(w)), place)
	e.SUBQ(operand.I32(4*int(w)), count)
	e.JHI(ref(loop))
	out(x[0], to)
	e.ADDQ(count, place)
	e.VMOVDQU(to, reg.X0)
	e.VMOVDQU(reg.X0, current)
}

func xtsDoc(t tier) []string {
	return wrap(
		"XTS"+t.suffix+" encrypts data units in XTS mode, or decrypts them if flags has bit 0. With bit "+
			"1 of flags it is GB/T 17964-2021's XTS, else IEEE Std 1619-2018's.",
		"n is the number of bytes in all and size that of a data unit, each at least 16; the last unit "+
			"may be shorter, down to 16. With tk, the encryption schedule of the tweak key, there is one "+
			"unit, and tweaks is its tweak before encryption; without, tweaks has one for each unit, "+
			"encrypted, of which the last is replaced by the tweak behind that unit's last block, "+
			"unless it is partial. rk is the encryption schedule, or with bit 0 of flags the decryption schedule.",
		"dst is src exactly or does not overlap it; the others overlap neither. Any alignment will do, "+
			"and no byte outside of the units is read or written. The caller bounds the work of a call, "+
			"to 4097 blocks.",
		"It equals refXTS of this package's tests. Constant time in all but n, size and flags. Needs "+
			t.features+".",
		algorithm)
}
