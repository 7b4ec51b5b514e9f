package main

import (
	"strconv"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Ciphertext stealing moves the last block, of 1 to 16 bytes, by a number of
// bytes that is known at run time only. It is read and written as the last 16
// bytes of the message, which is longer than a block, so that nothing outside of
// it is touched, and it is moved by a VPSHUFB whose operand is read at a variable
// place of a table: 16 bytes of 80, which makes zeros, then 0 to 15, then 80s.

const bytesSignature = "func(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)"

// tailReg is the length of the last block of a message.
var tailReg = reg.R12

// windowBase is the register that holds the address of the middle of the table
// less tailReg; see window.
var windowBase = reg.R10

// bytesArgs loads the arguments of bytesSignature.
func (e *emitter) bytesArgs() {
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("dst"), dstReg)
	e.Load(e.Param("src"), srcReg)
	e.Load(e.Param("n"), nReg)
	e.Load(e.Param("iv"), ivReg)
}

// splitTail makes of nReg, a number of bytes greater than 16, a number of blocks
// before the last one, of tailReg bytes.
func (e *emitter) splitTail() {
	e.DECQ(nReg)
	e.MOVQ(nReg, tailReg)
	e.ANDQ(operand.I32(15), tailReg)
	e.INCQ(tailReg)
	e.SHRQ(operand.U8(4), nReg)
}

// window prepares toFront and toEnd. s is scratch.
func (e *emitter) window(s reg.GPPhysical) {
	table := make([]byte, 48)
	for i := range table {
		table[i] = 0x80
		if i/16 == 1 {
			table[i] = byte(i - 16)
		}
	}
	e.LEAQ(e.pool.array("window", table), windowBase)
	e.MOVQ(windowBase, s)
	e.SUBQ(tailReg, s)
	e.windowLow = operand.Mem{Base: s, Disp: 32}
}

// toEnd makes y of x: its first tailReg bytes at the end of the register, and
// zeros before them.
func (e *emitter) toEnd(x, y reg.VecPhysical) {
	e.VPSHUFB(operand.Mem{Base: windowBase, Index: tailReg, Scale: 1}, x, y)
}

// toFront makes y of x: its last tailReg bytes at the front, and zeros behind.
func (e *emitter) toFront(x, y reg.VecPhysical) { e.VPSHUFB(e.windowLow, x, y) }

// ctsDecrypt emits CBC decryption with the last two blocks of CS3. Encryption is
// in serial.go.
//
// With D the block decryption, the last ciphertext block but one, C, which is
// whole, was made of the last plaintext block P, filled up with zeros, and the
// whole of the block X before it, of which the last ciphertext block is the
// beginning: D(C) = P ^ X. So the beginning of D(C) gives P, and the rest of it
// is the rest of X. CBC decryption of all whole blocks makes D(C) as well, plus
// the block before it, which is taken off again.
//
// If the last block is whole too, it is decrypted with the others, and then only
// what was added to the last two is wrong, and their order.
func (e *emitter) ctsDecrypt(t tier) {
	m := mode{name: "CBCDec", input: source, add: previous}
	e.begin("CTSDec"+t.suffix, bytesSignature, 0, ctsDoc("CTSDec", t, 4096), modeRegisters...)
	e.bytesArgs()
	f := e.frame(t, m, 5*16)
	before, last, chain, lastButOne := f.extra, f.extra.Offset(16), f.extra.Offset(32), f.extra.Offset(48)
	place, tail := f.extra.Offset(64), f.extra.Offset(72)
	e.splitTail()
	x := reg.X0
	e.window(reg.R13)
	e.MOVQ(nReg, reg.RBX)
	e.SHLQ(operand.U8(4), reg.RBX)
	end := operand.Mem{Base: srcReg, Index: reg.RBX, Scale: 1}
	e.LEAQ(operand.Mem{Base: end.Base, Index: tailReg, Scale: 1}, reg.RDX)
	e.VMOVDQU(operand.Mem{Base: reg.RDX, Index: reg.RBX, Scale: 1, Disp: -16}, x)
	e.toFront(x, x)
	e.VMOVDQU(x, last)
	e.VMOVDQU(operand.Mem{Base: ivReg}, x)
	e.VMOVDQU(x, chain)
	one := e.label("start")
	e.CMPQ(nReg, operand.I32(1))
	e.JE(ref(one))
	e.VMOVDQU(end.Offset(-32), x)
	e.Label(one)
	e.VMOVDQU(x, before)
	e.VMOVDQU(end.Offset(-16), x)
	e.VMOVDQU(x, lastButOne)
	e.LEAQ(chain, ivReg)
	e.LEAQ(operand.Mem{Base: dstReg, Index: reg.RBX, Scale: 1, Disp: -16}, reg.RBX)
	e.MOVQ(reg.RBX, place)
	e.MOVQ(tailReg, tail)
	e.SHRQ(operand.U8(4), tailReg)
	e.ADDQ(tailReg, nReg)

	e.run(m, t, f, nil)

	e.MOVQ(place, dstReg)
	e.MOVQ(tail, tailReg)
	e.window(reg.R13)
	head, block := serialB, serialLow
	partial, done := e.label("partial"), e.label("finish")
	e.CMPQ(tailReg, operand.I32(16))
	e.JNE(ref(partial))
	e.VMOVDQU(operand.Mem{Base: dstReg}, block)
	e.VMOVDQU(operand.Mem{Base: dstReg, Disp: 16}, head)
	e.VPXOR(before, block, block)
	e.VPXOR(last, block, block)
	e.VPXOR(lastButOne, head, head)
	e.VPXOR(before, head, head)
	e.VMOVDQU(block, operand.Mem{Base: dstReg, Disp: 16})
	e.VMOVDQU(head, operand.Mem{Base: dstReg})
	e.JMP(ref(done))
	e.Label(partial)
	e.VMOVDQU(operand.Mem{Base: dstReg}, block)
	e.VPXOR(before, block, block)
	e.toEnd(block, head)
	e.toFront(head, head)
	e.VPXOR(head, block, block)
	e.VPXOR(last, block, block)
	e.VPXOR(last, head, head)
	e.toEnd(head, head)
	e.VMOVDQU(head, operand.Mem{Base: dstReg, Index: tailReg, Scale: 1})
	e.oneBlock(t.box)
	e.VPXOR(before, block, block)
	e.VMOVDQU(block, operand.Mem{Base: dstReg})
	e.Label(done)
	e.finish(t)
}

func ctsDoc(name string, t tier, blocks int) []string {
	verb := "encrypts"
	if name == "CTSDec" {
		verb = "decrypts"
	}
	schedule := map[string]string{"CTSEnc": "encryption", "CTSDec": "decryption"}[name]
	return wrap(
		name+t.suffix+" "+verb+" src in CBC mode with ciphertext stealing, variant CS3: the last two "+
			"blocks are always swapped. rk is the "+schedule+" schedule; iv is left as it was.",
		"n is the number of bytes, more than 16. dst is src exactly or does not overlap it; rk and iv "+
			"overlap neither. Any alignment will do, and no byte outside of the message is read or "+
			"written. The caller bounds the work of a call, to "+strconv.Itoa(blocks+1)+" blocks.",
		"It equals ref"+name+" of this package's tests. Constant time in all but n. Needs "+t.features+".",
		algorithm)
}
