//go:build !purego

// SM4 with the AES instructions: GB/T 32907-2016. Both S-boxes are an inversion
// between affine maps, in fields that are the same but for the basis. The state
// is kept in the basis in which SM4's inversion is that of AES, so that nothing
// has to be done before AESE, which also adds the last of the three words; its
// ShiftRows is undone by a TBL. What is left of the S-box is linear, like L, and
// with it it is a matrix for each byte of the result:
//
//	L(S)(j) = F0 y(j) + (F0+F3) y(j+1) + (F0+F3) y(j+2) + F3 y(j+3)
//
// with y what AESE made of the input's bytes. F0 and F3 are looked up nibble by
// nibble. A round key is taken into the basis too, and there it has 0x3e added,
// the constant before SM4's inversion.
//
// The layouts are those of neon_arm64.s.
//
// Registers that all routines share:
//	R0 schedule   R1 dst   R2 in, src   R3 xor   R4 batches, blocks
//	V16-V19 F0 and F3, low and high nibble   V20 undoes ShiftRows   V21 0x0f

#include "textflag.h"

#define XOR(a, b) VEOR a.B16, b.B16, b.B16

// F0 and F3, each for the low and the high nibble; a test works them out.
DATA tables<>+0(SB)/8, $0x37b1e4624fc99c1a
DATA tables<>+8(SB)/8, $0x2badf87e53d58006
DATA tables<>+16(SB)/8, $0xc72c1bf037dceb00
DATA tables<>+24(SB)/8, $0x0ae1d63dfa1126cd
DATA tables<>+32(SB)/8, $0x3f6ae1b4e7b2396c
DATA tables<>+40(SB)/8, $0x6134bfeab9ec6732
DATA tables<>+48(SB)/8, $0xb8e72d72ca955f00
DATA tables<>+56(SB)/8, $0xc9965c03bbe42e71
GLOBL tables<>(SB), RODATA|NOPTR, $64

// What undoes ShiftRows; 0x0f; the rotations of words by 8 and 24 bits.
DATA permutes<>+0(SB)/8, $0x0b0e0104070a0d00
DATA permutes<>+8(SB)/8, $0x0306090c0f020508
DATA permutes<>+16(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA permutes<>+24(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA permutes<>+32(SB)/8, $0x0605040702010003
DATA permutes<>+40(SB)/8, $0x0e0d0c0f0a09080b
DATA permutes<>+48(SB)/8, $0x0407060500030201
DATA permutes<>+56(SB)/8, $0x0c0f0e0d080b0a09
GLOBL permutes<>(SB), RODATA|NOPTR, $64

// The basis: into it, the same plus 0x3e, and out of it.
DATA basis<>+0(SB)/8, $0x39b50985bc308c00
DATA basis<>+8(SB)/8, $0xa62a961a23af139f
DATA basis<>+16(SB)/8, $0x37eb19c5f22edc00
DATA basis<>+24(SB)/8, $0x3fe311cdfa26d408
DATA basis<>+32(SB)/8, $0x078b37bb820eb23e
DATA basis<>+40(SB)/8, $0x9814a8241d912da1
DATA basis<>+48(SB)/8, $0x37eb19c5f22edc00
DATA basis<>+56(SB)/8, $0x3fe311cdfa26d408
DATA basis<>+64(SB)/8, $0x72f7ab2e5cd98500
DATA basis<>+72(SB)/8, $0xf2772baedc590580
DATA basis<>+80(SB)/8, $0x4613114402575500
DATA basis<>+88(SB)/8, $0xe9bcbeebadf8faaf
GLOBL basis<>(SB), RODATA|NOPTR, $96

#include "planes_arm64.h"

// MAP takes v through the matrix with the tables lo and hi. a and b are scratch.
#define MAP(lo, hi, v, a, b) \
	VAND	v.B16, V21.B16, a.B16; \
	VUSHR	$4, v.B16, b.B16; \
	VTBL	a.B16, [lo.B16], a.B16; \
	VTBL	b.B16, [hi.B16], b.B16; \
	VEOR	a.B16, b.B16, v.B16

// MAP16 takes all planes through the matrix at tables.
#define MAP16(offset, tmp) \
	MOVD	$basis<>+offset(SB), tmp; \
	VLD1	(tmp), [V22.B16, V23.B16]; \
	MAP(V22, V23, V0, V26, V27); \
	MAP(V22, V23, V1, V28, V29); \
	MAP(V22, V23, V2, V26, V27); \
	MAP(V22, V23, V3, V28, V29); \
	MAP(V22, V23, V4, V26, V27); \
	MAP(V22, V23, V5, V28, V29); \
	MAP(V22, V23, V6, V26, V27); \
	MAP(V22, V23, V7, V28, V29); \
	MAP(V22, V23, V8, V26, V27); \
	MAP(V22, V23, V9, V28, V29); \
	MAP(V22, V23, V10, V26, V27); \
	MAP(V22, V23, V11, V28, V29); \
	MAP(V22, V23, V12, V26, V27); \
	MAP(V22, V23, V13, V28, V29); \
	MAP(V22, V23, V14, V26, V27); \
	MAP(V22, V23, V15, V28, V29)

// SPREAD adds what the inverses t and u, of the bytes j and j+1 of the input,
// make of the word to be replaced: w, x, y and z are its bytes j, j-1, j-2 and
// j-3.
#define SPREAD(t, u, w, x, y, z) \
	VAND	t.B16, V21.B16, V22.B16; \
	VAND	u.B16, V21.B16, V23.B16; \
	VUSHR	$4, t.B16, t.B16; \
	VUSHR	$4, u.B16, u.B16; \
	VTBL	V22.B16, [V16.B16], V24.B16; \
	VTBL	V23.B16, [V16.B16], V25.B16; \
	VTBL	t.B16, [V17.B16], V30.B16; \
	VTBL	u.B16, [V17.B16], V31.B16; \
	VTBL	V22.B16, [V18.B16], V22.B16; \
	VTBL	V23.B16, [V18.B16], V23.B16; \
	VTBL	t.B16, [V19.B16], t.B16; \
	VTBL	u.B16, [V19.B16], u.B16; \
	XOR(V30, V24); \
	XOR(V31, V25); \
	XOR(V22, t); \
	XOR(V23, u); \
	XOR(V24, w); \
	XOR(V25, z); \
	XOR(t, V24); \
	XOR(u, V25); \
	XOR(t, z); \
	XOR(u, y); \
	XOR(V24, x); \
	XOR(V25, w); \
	XOR(V24, y); \
	XOR(V25, x)

// WIDE is a round: the planes of four words, the first of which is replaced.
// LD4R gives the round key's bytes the least significant one first.
#define WIDE(a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3) \
	VLD4R.P	4(R9), [V22.B16, V23.B16, V24.B16, V25.B16]; \
	VEOR	b0.B16, c0.B16, V26.B16; \
	VEOR	b1.B16, c1.B16, V27.B16; \
	VEOR	b2.B16, c2.B16, V28.B16; \
	VEOR	b3.B16, c3.B16, V29.B16; \
	XOR(V25, V26); \
	XOR(V24, V27); \
	XOR(V23, V28); \
	XOR(V22, V29); \
	AESE	d0.B16, V26.B16; \
	AESE	d1.B16, V27.B16; \
	AESE	d2.B16, V28.B16; \
	AESE	d3.B16, V29.B16; \
	VTBL	V20.B16, [V26.B16], V26.B16; \
	VTBL	V20.B16, [V27.B16], V27.B16; \
	VTBL	V20.B16, [V28.B16], V28.B16; \
	VTBL	V20.B16, [V29.B16], V29.B16; \
	SPREAD(V26, V27, a0, a3, a2, a1); \
	SPREAD(V28, V29, a2, a1, a0, a3)

// func wideAESE(rk *[32]uint32, dst, in, xor *byte, n int)
//
// Go function: cryptGeneric, then subtle.XORBytes. n ≥ 1 batches of 16 blocks,
// any alignment; dst is in or xor or apart from them; xor may be nil.
// Registers: R9 round keys, R10 rounds; V0-V15 the planes of the four words,
// V22-V31 scratch.
TEXT ·wideAESE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	in+16(FP), R2
	MOVD	xor+24(FP), R3
	MOVD	n+32(FP), R4
	MOVD	$tables<>(SB), R9
	VLD1	(R9), [V16.B16, V17.B16, V18.B16, V19.B16]
	MOVD	$permutes<>(SB), R9
	VLD1	(R9), [V20.B16, V21.B16]
batch:
	LOADPLANES
	MAP16(0, R9)
	MOVD	R0, R9
	MOVD	$8, R10
four:
	WIDE(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
	WIDE(V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3)
	WIDE(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)
	WIDE(V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11)
	SUBS	$1, R10
	BNE	four
	MAP16(64, R9)
	STOREPLANES(plain)
	SUBS	$1, R4
	BNE	batch
	RET

// ROUND is a round on the words x0-x3 in vectors, which replaces x0. The bytes
// of the sum change places by rotations: V22 is the one by 8 bits, V23 by 24.
#define ROUND(x0, x1, x2, x3, k) \
	VEOR	x1.B16, x2.B16, V8.B16; \
	XOR(k, V8); \
	AESE	x3.B16, V8.B16; \
	VTBL	V20.B16, [V8.B16], V8.B16; \
	VAND	V8.B16, V21.B16, V9.B16; \
	VUSHR	$4, V8.B16, V8.B16; \
	VTBL	V9.B16, [V18.B16], V12.B16; \
	VTBL	V8.B16, [V19.B16], V13.B16; \
	VTBL	V9.B16, [V16.B16], V10.B16; \
	VTBL	V8.B16, [V17.B16], V11.B16; \
	XOR(V13, V12); \
	XOR(V11, V10); \
	VEOR	V10.B16, V12.B16, V11.B16; \
	XOR(V10, x0); \
	VTBL	V23.B16, [V12.B16], V12.B16; \
	VTBL	V22.B16, [V11.B16], V13.B16; \
	VREV32	V11.H8, V14.H8; \
	XOR(V12, x0); \
	XOR(V13, x0); \
	XOR(V14, x0)

#define INTO(v) MAP(V24, V25, v, V8, V9)
#define OUTOF(v) MAP(V28, V29, v, V8, V9)
#define PREPARE \
	MOVD	$tables<>(SB), R9; \
	VLD1	(R9), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	MOVD	$permutes<>(SB), R9; \
	VLD1	(R9), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	MOVD	$basis<>(SB), R9; \
	VLD1.P	64(R9), [V24.B16, V25.B16, V26.B16, V27.B16]; \
	VLD1	(R9), [V28.B16, V29.B16]

#include "narrow_arm64.h"

// func narrowAESE(rk *[32]uint32, dst, in, xor *byte)
//
// As wideAESE for four blocks.
TEXT ·narrowAESE(SB), NOSPLIT, $0-32
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	in+16(FP), R2
	MOVD	xor+24(FP), R3
	NARROW(four, plain)

// func cbcEncAESE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Source: NIST SP 800-38A section 6.2.
TEXT ·cbcEncAESE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	CBCENC(block, four)

// func cfbEncAESE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCFB. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Source: NIST SP 800-38A section 6.3.
TEXT ·cfbEncAESE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	CFBENC(block, four)

// func foldAESE(rk *[32]uint32)
//
// Takes round keys into the basis, with 0x3e. Registers: V0-V7 round keys.
TEXT ·foldAESE(SB), NOSPLIT, $0-8
	MOVD	rk+0(FP), R0
	MOVD	$permutes<>+16(SB), R9
	VLD1	(R9), [V21.B16]
	MOVD	$basis<>+32(SB), R9
	VLD1	(R9), [V22.B16, V23.B16]
	MOVD	R0, R1
	MOVD	$2, R10
half:
	VLD1.P	64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	MAP(V22, V23, V0, V26, V27)
	MAP(V22, V23, V1, V28, V29)
	MAP(V22, V23, V2, V26, V27)
	MAP(V22, V23, V3, V28, V29)
	VST1.P	[V0.B16, V1.B16, V2.B16, V3.B16], 64(R1)
	SUBS	$1, R10
	BNE	half
	RET
