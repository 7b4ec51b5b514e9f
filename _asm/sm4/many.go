package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// many emits CBC encryption of several messages at once, one block of each in
// every turn: a batch in which each block has its own place.
func (e *emitter) many(t tier, b batch) {
	n := b.blocks()
	name := fmt.Sprintf("CBCEncMany%d%s", n, t.suffix)
	e.begin(name, fmt.Sprintf("func(rk *[32]uint32, lanes *[%d]*byte, blocks int)", 3*n), 0,
		wrap(
			fmt.Sprintf("%s encrypts %d messages in CBC mode, blocks blocks of each, at least one. rk is the encryption schedule.", name, n),
			"lanes has three pointers for each message: dst, src, and the iv, which is left as it was. "+
				"dst is src exactly or does not overlap it, nor anything else of any message; but "+
				"messages may be the same in all three. Any alignment will do, and no byte outside "+
				"of the blocks is read or written. The caller bounds the work of a call, to 1024 blocks "+
				"of each message.",
			"It equals refCBCEnc of this package's tests. Constant time. Needs "+t.features+".",
			algorithm),
		"AX round keys   BX current round key, or pointer   DX end of the round keys",
		"CX blocks left   R8 lanes   R9 frame   R10 offset of the block",
		"Vector registers as in the other modes")
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("lanes"), ivReg)
	e.Load(e.Param("blocks"), nReg)
	chainSize := 16 * n
	f := e.frame(t, mode{}, chainSize)
	b.box, b.frame = t.box, f.words
	s := b.scratch()
	off := reg.R10

	// block is where lane l of register i of group g has its pointer k.
	lane := func(g, i, l, k int) operand.Mem {
		return operand.Mem{Base: ivReg, Disp: 24*(b.groupBlocks()*g+b.w.blocks()*i+l) + 8*k}
	}
	chain := func(g, i int) operand.Mem { return f.extra.Offset(int(b.w) * (4*g + i)) }
	gather := func(g, i, k int, x reg.VecPhysical, offset bool) {
		for l := range b.w.blocks() {
			e.MOVQ(lane(g, i, l, k), keyReg)
			at := operand.Mem{Base: keyReg}
			if offset {
				at.Index, at.Scale = off, 1
			}
			switch {
			case l == 0:
				e.mov(at, low(x))
			case b.w == zmm:
				e.VINSERTI64X2(operand.U8(l), at, x, x)
			default:
				e.VINSERTI128(operand.U8(l), at, x, x)
			}
		}
	}

	t.box.constants(e, b.w)
	e.XORL(off.As32(), off.As32())
	for g := range b.groups {
		for i := range 4 {
			gather(g, i, 2, s[0], false)
			e.mov(s[0], chain(g, i))
		}
	}
	loop := e.label("block")
	e.Label(loop)
	for g := range b.groups {
		x := b.registers(g)
		for i := range 4 {
			gather(g, i, 1, x[i], true)
			e.xor(chain(g, i), x[i], x[i])
		}
		e.enter(t.box, x, s[0], s[1])
		b.put(e, g)
	}
	b.rounds(e)
	for g := range b.groups {
		x := b.registers(g)
		b.get(e, g)
		e.leave(t.box, x, s[0], s[1])
		for i := range 4 {
			y := x[3-i]
			e.mov(y, chain(g, i))
			for l := range b.w.blocks() {
				e.MOVQ(lane(g, i, l, 0), keyReg)
				to := operand.Mem{Base: keyReg, Index: off, Scale: 1}
				switch {
				case l == 0:
					e.mov(low(y), to)
				case b.w == zmm:
					e.VEXTRACTI64X2(operand.U8(l), y, to)
				default:
					e.VEXTRACTI128(operand.U8(l), y, to)
				}
			}
		}
	}
	e.ADDQ(operand.I32(16), off)
	e.DECQ(nReg)
	e.JNE(ref(loop))
	e.finish(t)
}
