package main

import (
	"encoding/binary"
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// keyExpansion emits the key expansion. Each word fills a register four times
// over, so that AES's ShiftRows has no effect. The words carry the constant of the folded
// round keys from the start: three of them add up to it again, which is what
// the field inverse wants, and so the words are the folded round keys.
func (e *emitter) keyExpansion(t tier) {
	e.begin("ExpandKey"+t.key, "func(key *[16]byte, enc, dec *[32]uint32)", attr.NOSPLIT, keyDoc(t),
		"AX key   DI enc   SI dec   BX CK   CX end of CK",
		"X0 to X3 words   X4 to X11 tables or matrices   X12 to X15 scratch")
	e.Load(e.Param("key"), reg.RAX)
	e.Load(e.Param("enc"), reg.RDI)
	e.Load(e.Param("dec"), reg.RSI)

	x := vectors[:4]
	in, lo, y, s := reg.X12, reg.X13, reg.X14, reg.X15

	var constants []byte // CK in the basis
	for i := range 32 {
		for _, b := range ck(i) {
			constants = append(constants, e.fold.in(b))
		}
	}
	table := e.pool.array("CK", constants)
	e.LEAQ(table, reg.RBX)
	e.LEAQ(operand.Mem{Base: reg.RBX, Disp: len(constants)}, reg.RCX)

	var first [16]byte // FK in the basis, with the constant
	for i, w := range fk {
		binary.BigEndian.PutUint32(first[4*i:], w)
	}
	for i, b := range first {
		first[i] = e.fold.in(b) ^ intoFieldConst
	}
	e.VMOVDQU(operand.Mem{Base: reg.RAX}, in)
	t.box.mapBytes(e, "in", e.fold.in, in, lo, y)
	e.VPXOR(e.pool.row("FK", first), in, in)
	for i := range 4 {
		e.VPSHUFD(operand.U8(0x55*i), in, x[i])
	}
	t.box.keyConstants(e)

	e.ADDQ(operand.I32(128-16), reg.RSI)
	loop := e.label("rounds")
	e.Label(loop)
	for i := range 4 {
		w := func(j int) reg.VecPhysical { return x[(i+j)&3] }
		e.VBROADCASTSS(operand.Mem{Base: reg.RBX, Disp: 4 * i}, in)
		e.VPXOR(w(1), in, in)
		e.VPXOR(w(2), in, in)
		e.VPXOR(w(3), in, in)
		t.box.keySubstitute(e, in, lo)
		for k := 3; k >= 0; k-- {
			t.box.keyMap(e, k, in, lo, y, s)
			if k > 0 {
				e.VPSHUFB(e.pool.row(fmt.Sprintf("rol%d", 8*k), rotate(k)), y, y)
			}
			e.VPXOR(y, w(0), w(0))
		}
		e.VMOVD(w(0), operand.Mem{Base: reg.RDI, Disp: 4 * i})
		e.VMOVD(w(0), operand.Mem{Base: reg.RSI, Disp: 4 * (3 - i)})
	}
	e.ADDQ(operand.I32(16), reg.RDI)
	e.SUBQ(operand.I32(16), reg.RSI)
	e.ADDQ(operand.I32(16), reg.RBX)
	e.CMPQ(reg.RBX, reg.RCX)
	e.JNE(ref(loop))
	e.RET()
}

// rotate rotates each word by 8k bits to the left.
func rotate(k int) (row [16]byte) {
	for c := range 4 {
		for r := range 4 {
			row[4*c+r] = byte(4*c + (r+k)&3)
		}
	}
	return row
}
