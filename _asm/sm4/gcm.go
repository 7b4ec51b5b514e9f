package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The block that hides GCM's tag goes through the cipher by itself where the
// message fills its batches, and a single block is all latency. GHASH of the
// message is all throughput. So one routine does both: some GHASH stands behind
// each of the 32 rounds.
//
// The arithmetic is that of _asm/ghash, whose field.go explains it, and the
// powers are what the Init routine of the same width wrote (init.go there).

// gcmTier is a serial round and a width of GHASH: a file with one routine.
type gcmTier struct {
	file     string
	suffix   string
	features string
	box      box
	width    width
	groups   int // of blocks between two reductions, for each turn of four rounds
}

var gcmTiers = []gcmTier{
	{"gcm_aesni_clmul_amd64", "AESNICLMUL", "AES, AVX, PCLMULQDQ", aesni{}, xmm, 4},
	{"gcm_aesni_vpclmul_avx2_amd64", "AESNIVPCLMULAVX2", "AES, AVX, AVX2, PCLMULQDQ, VPCLMULQDQ", aesni{}, ymm, 2},
	{"gcm_gfni_vpclmul_avx2_amd64", "GFNIVPCLMULAVX2", "AVX, AVX2, GFNI, PCLMULQDQ, VPCLMULQDQ", gfni{}, ymm, 2},
	{"gcm_gfni_vpclmul_avx512_amd64", "GFNIVPCLMULAVX512", "AVX, AVX2, AVX-512 (F, BW, DQ, VL), GFNI, PCLMULQDQ, VPCLMULQDQ", gfni{evex: true}, zmm, 1},
}

const (
	// hashVectors is the number of registers' worth of blocks between two
	// reductions.
	hashVectors = 8

	// foldConstant is x + x^2 + x^7 of GHASH's field.
	foldConstant = 0xc2
)

// turnBlocks is the number of blocks that are hashed in a turn: 512 bytes at all
// widths, so that 4 KiB go beside the 32 rounds.
func (t gcmTier) turnBlocks() int { return t.groups * hashVectors * t.width.blocks() }

// Registers of the routine beside those of serial.go.
var (
	turnsReg  = nReg // turns with GHASH
	powersReg = dstReg
	accReg    = ivReg
	blockReg  = reg.R10
	lastReg   = reg.R11
)

// hashing is where GHASH has its values. In zmm there are 16 registers that the
// serial rounds do not know of. At the other widths a group of blocks is worked
// in those that the rounds leave free between them, and in two with constants,
// which are loaded again.
type hashing struct {
	w                   width
	low, mid, high      reg.VecPhysical // of the product
	x, y, s, t          reg.VecPhysical
	u                   reg.VecPhysical // in zmm only
	acc, reversal, fold operand.Op
}

func (e *emitter) hashing(w width) hashing {
	reversal := e.pool.row("reversal", reversal())
	fold := e.pool.row("fold", [16]byte{7: foldConstant, 15: foldConstant})
	if w < zmm {
		return hashing{
			w: w, low: w.reg(8), mid: w.reg(9), high: w.reg(14), x: w.reg(5), y: w.reg(6), s: w.reg(7), t: w.reg(15),
			acc: operand.Mem{Base: frameReg}, reversal: reversal, fold: fold,
		}
	}
	h := hashing{
		w: w, low: w.reg(16), mid: w.reg(17), high: w.reg(18), x: w.reg(19), y: w.reg(20), s: w.reg(21), t: w.reg(22), u: w.reg(26),
		acc: w.reg(23), reversal: w.reg(24), fold: w.reg(25),
	}
	e.mov(reversal, h.reversal)
	e.mov(fold, h.fold)
	// The masks of the lower and the upper halves of all lanes.
	e.MOVL(operand.U32(0x55), keyReg.As32())
	e.KMOVD(keyReg.As32(), reg.K1)
	e.MOVL(operand.U32(0xaa), keyReg.As32())
	e.KMOVD(keyReg.As32(), reg.K2)
	return h
}

// reversal reverses the bytes of a block.
func reversal() (row [16]byte) {
	for i := range row {
		row[i] = byte(15 - i)
	}
	return row
}

// pair absorbs vectors 2i and 2i+1 of a group, which begins at disp, as products
// in _asm/ghash does. The pairs come in falling order, since acc is part of the
// first vector.
func (h hashing) pair(e *emitter, i, disp int) {
	n := int(h.w)
	first := i == hashVectors/2-1
	at := func(base reg.GPPhysical, i int) operand.Mem { return operand.Mem{Base: base, Disp: n * i} }
	for j, v := range []reg.VecPhysical{h.x, h.y} {
		e.mov(at(srcReg, 2*i+j).Offset(disp), v)
		e.VPSHUFB(h.reversal, v, v)
	}
	if i == 0 {
		e.xor(h.acc, h.x, h.x)
	}
	// The lower half of s is the sum of x's halves, the upper that of y's.
	e.VPALIGNR(operand.U8(8), h.x, h.y, h.s)
	switch h.w {
	case zmm:
		e.VPXORQ(h.x, h.s, reg.K1, h.s)
		e.VPXORQ(h.y, h.s, reg.K2, h.s)
	case ymm:
		e.VPBLENDD(operand.U8(0xcc), h.y, h.x, h.t)
		e.xor(h.t, h.s, h.s)
	default:
		e.VPBLENDW(operand.U8(0xf0), h.y, h.x, h.t)
		e.xor(h.t, h.s, h.s)
	}
	px, py, sums := at(powersReg, 2*i), at(powersReg, 2*i+1), at(powersReg, hashVectors+i)
	product := func(halfX int, x reg.VecPhysical, px operand.Op, halfY int, y reg.VecPhysical, py operand.Op, dst reg.VecPhysical) {
		switch {
		case first:
			e.VPCLMULQDQ(operand.U8(halfX), px, x, dst)
			e.VPCLMULQDQ(operand.U8(halfY), py, y, h.t)
			e.xor(h.t, dst, dst)
		case h.w == zmm:
			e.VPCLMULQDQ(operand.U8(halfX), px, x, h.t)
			e.VPCLMULQDQ(operand.U8(halfY), py, y, h.u)
			e.xor3(h.t, h.u, dst)
		default:
			e.VPCLMULQDQ(operand.U8(halfX), px, x, h.t)
			e.xor(h.t, dst, dst)
			e.VPCLMULQDQ(operand.U8(halfY), py, y, h.t)
			e.xor(h.t, dst, dst)
		}
	}
	product(0x00, h.x, px, 0x00, h.y, py, h.low)
	product(0x11, h.x, px, 0x11, h.y, py, h.high)
	product(0x00, h.s, sums, 0x11, h.s, sums, h.mid)
	if i == 0 {
		h.add(e, h.low, h.high, h.mid)
		h.reduce(e, h.w)
	}
}

// add adds a and b to dst.
func (h hashing) add(e *emitter, a, b, dst reg.VecPhysical) {
	if h.w == zmm {
		e.xor3(a, b, dst)
		return
	}
	e.xor(a, dst, dst)
	e.xor(b, dst, dst)
}

// reduce makes acc of the product, which has so many lanes.
func (h hashing) reduce(e *emitter, w width) {
	as := func(r reg.VecPhysical) reg.VecPhysical { return w.reg(int(r.ID().Index())) }
	fold := h.fold
	if r, ok := fold.(reg.VecPhysical); ok {
		fold = as(r)
	}
	step := func(from, to reg.VecPhysical) {
		from, to = as(from), as(to)
		e.VPCLMULQDQ(operand.U8(0), fold, from, as(h.t))
		e.VPSHUFD(operand.U8(0x4e), from, as(h.s))
		h.add(e, as(h.t), as(h.s), to)
	}
	step(h.low, h.mid)
	step(h.mid, h.high)
	switch w {
	case zmm:
		e.VEXTRACTI64X4(operand.U8(1), h.high, h.t.AsY())
		e.VPXORQ(h.t.AsY(), h.high.AsY(), h.high.AsY())
		e.VEXTRACTI64X2(operand.U8(1), h.high.AsY(), h.t.AsX())
		e.VPXORQ(h.t.AsX(), h.high.AsX(), h.high.AsX())
	case ymm:
		e.VEXTRACTI128(operand.U8(1), h.high, h.t.AsX())
		e.VPXOR(h.t.AsX(), h.high.AsX(), h.high.AsX())
	}
	// The upper lanes are zero now.
	e.mov(h.high, h.acc)
}

// times multiplies acc by h.
func (h hashing) times(e *emitter) {
	x, low, mid, high := low(h.x), low(h.low), low(h.mid), low(h.high)
	e.mov(h.acc, h.x)
	p := operand.Mem{Base: powersReg, Disp: hashVectors*int(h.w) - 16}
	e.VPCLMULQDQ(operand.U8(0x00), p, x, low)
	e.VPCLMULQDQ(operand.U8(0x01), p, x, mid)
	e.VPCLMULQDQ(operand.U8(0x11), p, x, high)
	e.VPCLMULQDQ(operand.U8(0x10), p, x, x)
	e.xor(x, mid, mid)
	h.reduce(e, xmm)
}

// behind emits the part of a turn's GHASH behind round i (mod 4).
func (h hashing) behind(e *emitter, t gcmTier, i int) {
	const pairs = hashVectors / 2
	if h.w == zmm {
		h.pair(e, pairs-1-i, 0)
		return
	}
	for g := i * t.groups / 4; g < (i+1)*t.groups/4; g++ {
		for j := range pairs {
			h.pair(e, pairs-1-j, g*hashVectors*int(h.w))
		}
	}
	t.box.serialConstants(e)
}

func (e *emitter) gcm(t gcmTier) {
	doc := wrap(
		"EncryptAndHash"+t.suffix+" encrypts block, and meanwhile does three parts of GHASH: acc = acc times h; then, "+
			"for each of turns times 32 blocks of 16 bytes from p on, 1 to 8 times, acc = (acc xor it) times h; then, if last is "+
			"not nil, acc = (acc xor last) times h. rk is the encryption schedule.",
		"powers is what package ghash's Init routine for vectors of "+fmt.Sprint(8*int(t.width))+" bits wrote for h. block and acc "+
			"overlap nothing else. Any alignment will do, and nothing outside the blocks is read.",
		"It equals refBlock of this package's tests, and package ghash's Update routine. Constant time. Needs "+t.features+".",
		algorithm+" NIST SP 800-38D section 6.4.")
	e.begin("EncryptAndHash"+t.suffix, "func(rk *[32]uint32, block *[16]byte, powers *[1024]byte, acc *[16]byte, p *byte, turns int, last *[16]byte)", 0, doc,
		"AX round keys   BX offset of the round key from DX   DX the last four round keys",
		"CX turns with GHASH left   SI p   DI powers   R8 acc   R9 frame, with acc   R10 block   R11 last",
		"X0 to X3 words   X4 operand of the S-box   X5 to X9 scratch   X10 to X15 constants",
		"without AVX-512: X or Y 8, 9, 14 low, mid and high of a product   5 to 7, 15 scratch of GHASH",
		"Z16 to Z18 low, mid and high of a product   Z19 to Z22 scratch   Z23 acc   Z24 reversal of bytes   Z25 fold   Z26 scratch")
	e.Load(e.Param("rk"), rkReg)
	e.Load(e.Param("block"), blockReg)
	e.Load(e.Param("powers"), powersReg)
	e.Load(e.Param("acc"), accReg)
	e.Load(e.Param("p"), srcReg)
	e.Load(e.Param("turns"), turnsReg)
	e.Load(e.Param("last"), lastReg)
	if t.width < zmm {
		local := e.AllocLocal(2 * int(t.width))
		e.LEAQ(local.Offset(int(t.width)-1), frameReg)
		e.ANDQ(operand.I32(-int(t.width)), frameReg)
	}
	h := e.hashing(t.width)

	e.VMOVDQU(operand.Mem{Base: accReg}, reg.X0)
	e.VPSHUFB(e.pool.row("reversal", reversal()), reg.X0, reg.X0)
	e.mov(t.width.reg(0), h.acc)
	h.times(e)

	x, text := serialWord, serialLow
	t.box.serialConstants(e)
	e.VMOVDQU(operand.Mem{Base: blockReg}, text)
	t.box.mapBytes(e, "in", e.fold.in, text, serialB, serialD)
	for i, w := range x {
		t.box.spread(e, i, text, w)
	}
	e.LEAQ(operand.Mem{Base: rkReg, Disp: 112}, rkEndReg)
	e.MOVQ(operand.I32(-112), keyReg)
	e.serialStart(t.box)
	t.box.serialBegin(e)
	// A turn is four rounds. keyReg goes up to zero, which is for the last one.
	turn := func(behind func(i int), last bool) {
		for i := range 4 {
			next := operand.Mem{Base: rkEndReg, Index: keyReg, Scale: 1, Disp: 4 * (i + 1)}
			if last && i == 3 {
				next = operand.Mem{Base: rkReg}
			}
			t.box.serialRound(e, i, next, false)
			behind(i)
		}
	}
	hash, nothing := func(i int) { h.behind(e, t, i) }, func(int) {}
	both, lastBoth, rounds, last, done, ret := e.label("both"), e.label("lastboth"), e.label("rounds"), e.label("last"), e.label("done"), e.label("ret")
	e.Label(both)
	turn(hash, false)
	e.ADDQ(operand.I32(16*t.turnBlocks()), srcReg)
	e.ADDQ(operand.I32(16), keyReg)
	e.DECQ(turnsReg)
	e.JE(ref(rounds))
	e.TESTQ(keyReg, keyReg)
	e.JNE(ref(both))
	e.Label(lastBoth)
	turn(hash, true)
	e.JMP(ref(done))
	e.Label(rounds)
	e.TESTQ(keyReg, keyReg)
	e.JE(ref(last))
	turn(nothing, false)
	e.ADDQ(operand.I32(16), keyReg)
	e.JMP(ref(rounds))
	e.Label(last)
	turn(nothing, true)
	e.Label(done)
	t.box.serialEnd(e)
	t.box.gather(e, reversed(x), text, serialB)
	t.box.mapBytes(e, "out", e.fold.out, text, serialB, serialD)
	e.VMOVDQU(text, operand.Mem{Base: blockReg})

	e.TESTQ(lastReg, lastReg)
	e.JE(ref(ret))
	e.VMOVDQU(operand.Mem{Base: lastReg}, reg.X0)
	e.VPSHUFB(e.pool.row("reversal", reversal()), reg.X0, reg.X0)
	if acc, ok := h.acc.(reg.VecPhysical); ok {
		e.xor(t.width.reg(0), acc, acc)
	} else {
		e.VPXOR(h.acc, reg.X0, reg.X0)
		e.mov(t.width.reg(0), h.acc)
	}
	h.times(e)
	e.Label(ret)
	e.mov(h.acc, t.width.reg(0))
	e.VPSHUFB(e.pool.row("reversal", reversal()), reg.X0, reg.X0)
	e.VMOVDQU(reg.X0, operand.Mem{Base: accReg})
	if t.width > xmm {
		e.VZEROUPPER()
	}
	e.RET()
}
