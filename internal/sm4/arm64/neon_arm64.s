//go:build !purego

// SM4 with Advanced SIMD alone: GB/T 32907-2016. The S-box is looked up in
// sixteen registers with TBL and TBX, which take the same time whatever the
// index is. See neon_arm64.go for the modes.
//
// Two layouts:
//	wide: 16 blocks as 16 planes, one for each byte of a block. A rotation by
//	bytes is then a matter of names. The planes of the tables leave no room for
//	those of the state, which lies in the frame.
//	narrow: 4 blocks, or one, as 4 vectors of words.
//
// Registers that all routines share:
//	R0 schedule   R1 dst   R2 in, src   R3 xor   R4 batches, blocks
//	V16-V31 S-box

#include "textflag.h"

DATA sbox<>+0(SB)/8, $0xb73de1ccfee990d6
DATA sbox<>+8(SB)/8, $0x052cfb28c214b616
DATA sbox<>+16(SB)/8, $0xc304be2a769a672b
DATA sbox<>+24(SB)/8, $0x99068649261344aa
DATA sbox<>+32(SB)/8, $0x7a98ef91f450429c
DATA sbox<>+40(SB)/8, $0x62accfed430b5433
DATA sbox<>+48(SB)/8, $0x95e808c9a91cb3e4
DATA sbox<>+56(SB)/8, $0xa63f8f75fa94df80
DATA sbox<>+64(SB)/8, $0xba1773f3fca70747
DATA sbox<>+72(SB)/8, $0xa84f85e6193c5983
DATA sbox<>+80(SB)/8, $0x8bda6471b2816b68
DATA sbox<>+88(SB)/8, $0x359d56704b0febf8
DATA sbox<>+96(SB)/8, $0xa2d158635e0e241e
DATA sbox<>+104(SB)/8, $0x877821013b7c2225
DATA sbox<>+112(SB)/8, $0x5227d39f574600d4
DATA sbox<>+120(SB)/8, $0x9ec8c4a0e702364c
DATA sbox<>+128(SB)/8, $0xb538c740d28abfea
DATA sbox<>+136(SB)/8, $0xa11561f9cef2f7a3
DATA sbox<>+144(SB)/8, $0x551a349ba45daee0
DATA sbox<>+152(SB)/8, $0xe3b18cf5303293ad
DATA sbox<>+160(SB)/8, $0x60ca66822ee2f61d
DATA sbox<>+168(SB)/8, $0x6f4e530dab2329c0
DATA sbox<>+176(SB)/8, $0x2f8efdde4537dbd5
DATA sbox<>+184(SB)/8, $0x515b6c6d726aff03
DATA sbox<>+192(SB)/8, $0x7fbcddbb92af1b8d
DATA sbox<>+200(SB)/8, $0xd85a101f415cd911
DATA sbox<>+208(SB)/8, $0xbd7bcda58831c10a
DATA sbox<>+216(SB)/8, $0xb0b4e5b812d0742d
DATA sbox<>+224(SB)/8, $0x7e77960c4a976989
DATA sbox<>+232(SB)/8, $0x84c66ec509f1b965
DATA sbox<>+240(SB)/8, $0x204ddc3aec7df018
DATA sbox<>+248(SB)/8, $0x4839cbd73e5fee79
GLOBL sbox<>(SB), RODATA|NOPTR, $256

DATA fk<>+0(SB)/8, $0x56aa3350a3b1bac6
DATA fk<>+8(SB)/8, $0xb27022dc677d9197
GLOBL fk<>(SB), RODATA|NOPTR, $16

DATA ck<>+0(SB)/8, $0x1c232a3100070e15
DATA ck<>+8(SB)/8, $0x545b6269383f464d
DATA ck<>+16(SB)/8, $0x8c939aa170777e85
DATA ck<>+24(SB)/8, $0xc4cbd2d9a8afb6bd
DATA ck<>+32(SB)/8, $0xfc030a11e0e7eef5
DATA ck<>+40(SB)/8, $0x343b4249181f262d
DATA ck<>+48(SB)/8, $0x6c737a8150575e65
DATA ck<>+56(SB)/8, $0xa4abb2b9888f969d
DATA ck<>+64(SB)/8, $0xdce3eaf1c0c7ced5
DATA ck<>+72(SB)/8, $0x141b2229f8ff060d
DATA ck<>+80(SB)/8, $0x4c535a6130373e45
DATA ck<>+88(SB)/8, $0x848b9299686f767d
DATA ck<>+96(SB)/8, $0xbcc3cad1a0a7aeb5
DATA ck<>+104(SB)/8, $0xf4fb0209d8dfe6ed
DATA ck<>+112(SB)/8, $0x2c333a4110171e25
DATA ck<>+120(SB)/8, $0x646b7279484f565d
GLOBL ck<>(SB), RODATA|NOPTR, $128

#define XOR(a, b) VEOR a.B16, b.B16, b.B16

#define LOADSBOX(tmp) \
	MOVD	$sbox<>(SB), tmp; \
	VLD1.P	64(tmp), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VLD1.P	64(tmp), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	VLD1.P	64(tmp), [V24.B16, V25.B16, V26.B16, V27.B16]; \
	VLD1	(tmp), [V28.B16, V29.B16, V30.B16, V31.B16]

#include "planes_arm64.h"

// KEY adds a round key to the input of the S-box, V0-V3. LD4R gives its bytes
// in the order of memory, the least significant one first.
#define KEY \
	VLD4R.P	4(R9), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	XOR(V7, V0); \
	XOR(V6, V1); \
	XOR(V5, V2); \
	XOR(V4, V3)

#define LOOK(tbl, t0, t1, t2, t3) \
	tbl	V0.B16, [t0.B16, t1.B16, t2.B16, t3.B16], V4.B16; \
	tbl	V1.B16, [t0.B16, t1.B16, t2.B16, t3.B16], V5.B16; \
	tbl	V2.B16, [t0.B16, t1.B16, t2.B16, t3.B16], V6.B16; \
	tbl	V3.B16, [t0.B16, t1.B16, t2.B16, t3.B16], V7.B16

#define NEXT64 \
	VSUB	V8.B16, V0.B16, V0.B16; \
	VSUB	V8.B16, V1.B16, V1.B16; \
	VSUB	V8.B16, V2.B16, V2.B16; \
	VSUB	V8.B16, V3.B16, V3.B16

// SBOX takes V0-V3 to V4-V7. An index that is not in the quarter looked at
// gives 0 with TBL and leaves the result with TBX.
#define SBOX \
	VMOVI	$64, V8.B16; \
	LOOK(VTBL, V16, V17, V18, V19); \
	NEXT64; \
	LOOK(VTBX, V20, V21, V22, V23); \
	NEXT64; \
	LOOK(VTBX, V24, V25, V26, V27); \
	NEXT64; \
	LOOK(VTBX, V28, V29, V30, V31)

// LINEAR adds L of V4-V7 to the word at x. With s the planes, byte j of L is
// s(j) + s(j+3) and byte j of rol2(u), u(j) = s(j) + s(j+1) + s(j+2). The new
// word stays in V8-V11 too.
#define LINEAR(x) \
	VEOR	V4.B16, V5.B16, V0.B16; \
	VEOR	V5.B16, V6.B16, V1.B16; \
	VEOR	V6.B16, V7.B16, V2.B16; \
	VEOR	V7.B16, V4.B16, V3.B16; \
	VLD1	(x), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	XOR(V0, V6); \
	XOR(V1, V7); \
	XOR(V2, V4); \
	XOR(V3, V5); \
	XOR(V3, V8); \
	XOR(V0, V9); \
	XOR(V1, V10); \
	XOR(V2, V11); \
	VSHL	$2, V6.B16, V0.B16; \
	VSHL	$2, V7.B16, V1.B16; \
	VSHL	$2, V4.B16, V2.B16; \
	VSHL	$2, V5.B16, V3.B16; \
	VSRI	$6, V7.B16, V0.B16; \
	VSRI	$6, V4.B16, V1.B16; \
	VSRI	$6, V5.B16, V2.B16; \
	VSRI	$6, V6.B16, V3.B16; \
	XOR(V0, V8); \
	XOR(V1, V9); \
	XOR(V2, V10); \
	XOR(V3, V11); \
	VST1	[V8.B16, V9.B16, V10.B16, V11.B16], (x)

// EVEN is a round on the words at x0-x3, with x3 in V8-V11 too. It leaves x2 +
// x3 in V12-V15 for the round behind, ODD, on the words at x1, x2, x3 and x0.
#define EVEN(x0, x1, x2) \
	VLD1	(x2), [V12.B16, V13.B16, V14.B16, V15.B16]; \
	VLD1	(x1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	XOR(V8, V12); \
	XOR(V9, V13); \
	XOR(V10, V14); \
	XOR(V11, V15); \
	XOR(V12, V0); \
	XOR(V13, V1); \
	XOR(V14, V2); \
	XOR(V15, V3); \
	KEY; \
	SBOX; \
	LINEAR(x0)

#define ODD(x1) \
	VEOR	V8.B16, V12.B16, V0.B16; \
	VEOR	V9.B16, V13.B16, V1.B16; \
	VEOR	V10.B16, V14.B16, V2.B16; \
	VEOR	V11.B16, V15.B16, V3.B16; \
	KEY; \
	SBOX; \
	LINEAR(x1)

// func wideNEON(rk *[32]uint32, dst, in, xor *byte, n int)
//
// Go function: cryptGeneric, then subtle.XORBytes. n ≥ 1 batches of 16 blocks,
// any alignment; dst is in or xor or apart from them; xor may be nil.
// Registers: R9 round keys, R10 rounds, R11-R14 the four words in the frame.
TEXT ·wideNEON(SB), 0, $256-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	in+16(FP), R2
	MOVD	xor+24(FP), R3
	MOVD	n+32(FP), R4
	MOVD	$state-256(SP), R11
	ADD	$64, R11, R12
	ADD	$128, R11, R13
	ADD	$192, R11, R14
batch:
	LOADPLANES
	VST1	[V0.B16, V1.B16, V2.B16, V3.B16], (R11)
	VST1	[V4.B16, V5.B16, V6.B16, V7.B16], (R12)
	VST1	[V8.B16, V9.B16, V10.B16, V11.B16], (R13)
	VST1	[V12.B16, V13.B16, V14.B16, V15.B16], (R14)
	VMOV	V12.B16, V8.B16
	VMOV	V13.B16, V9.B16
	VMOV	V14.B16, V10.B16
	VMOV	V15.B16, V11.B16
	LOADSBOX(R9)
	MOVD	R0, R9
	MOVD	$8, R10
four:
	EVEN(R11, R12, R13)
	ODD(R12)
	EVEN(R13, R14, R11)
	ODD(R14)
	SUBS	$1, R10
	BNE	four
	VLD1	(R11), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1	(R12), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1	(R13), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1	(R14), [V12.B16, V13.B16, V14.B16, V15.B16]
	STOREPLANES(plain)
	SUBS	$1, R4
	BNE	batch
	RET

// Narrow: SBOXN takes the words in V8 through the S-box, all four quarters at
// once. V13-V15 are 64, 128 and 192.
#define CONSTANTS \
	VMOVI	$64, V13.B16; \
	VMOVI	$128, V14.B16; \
	VMOVI	$192, V15.B16

#define SBOXN \
	VSUB	V13.B16, V8.B16, V9.B16; \
	VSUB	V14.B16, V8.B16, V10.B16; \
	VSUB	V15.B16, V8.B16, V11.B16; \
	VTBL	V8.B16, [V16.B16, V17.B16, V18.B16, V19.B16], V8.B16; \
	VTBL	V9.B16, [V20.B16, V21.B16, V22.B16, V23.B16], V9.B16; \
	VTBL	V10.B16, [V24.B16, V25.B16, V26.B16, V27.B16], V10.B16; \
	VTBL	V11.B16, [V28.B16, V29.B16, V30.B16, V31.B16], V11.B16; \
	VORR	V8.B16, V9.B16, V8.B16; \
	VORR	V10.B16, V11.B16, V10.B16; \
	VORR	V8.B16, V10.B16, V8.B16

// ROUND is a round on the words x0-x3, which replaces x0. With s the S-box's
// result, L is s + rol24(s) + rol2(s + rol8(s) + rol16(s)).
#define ROUND(x0, x1, x2, x3, k) \
	VEOR	x1.B16, x2.B16, V8.B16; \
	XOR(k, V8); \
	XOR(x3, V8); \
	SBOXN; \
	VREV32	V8.H8, V9.H8; \
	VSHL	$8, V8.S4, V10.S4; \
	VSRI	$24, V8.S4, V10.S4; \
	XOR(V8, x0); \
	XOR(V8, V9); \
	XOR(V10, V9); \
	VREV32	V10.H8, V11.H8; \
	VSHL	$2, V9.S4, V12.S4; \
	VSRI	$30, V9.S4, V12.S4; \
	XOR(V11, x0); \
	XOR(V12, x0)

#define INTO(v)
#define OUTOF(v)
#define PREPARE \
	LOADSBOX(R9); \
	CONSTANTS

#include "narrow_arm64.h"

// func narrowNEON(rk *[32]uint32, dst, in, xor *byte)
//
// As wideNEON for four blocks.
TEXT ·narrowNEON(SB), NOSPLIT, $0-32
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	in+16(FP), R2
	MOVD	xor+24(FP), R3
	NARROW(four, plain)

// func cbcEncNEON(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Source: NIST SP 800-38A section 6.2.
TEXT ·cbcEncNEON(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	CBCENC(block, four)

// func cfbEncNEON(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCFB. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Source: NIST SP 800-38A section 6.3.
TEXT ·cfbEncNEON(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	CFBENC(block, four)

DATA steps<>+0(SB)/8, $0x0000000000000000
DATA steps<>+8(SB)/8, $0x0000000100000000
DATA steps<>+16(SB)/8, $0x0000000000000000
DATA steps<>+24(SB)/8, $0x0000000200000000
DATA steps<>+32(SB)/8, $0x0000000000000000
DATA steps<>+40(SB)/8, $0x0000000300000000
DATA steps<>+48(SB)/8, $0x0000000000000000
DATA steps<>+56(SB)/8, $0x0000000400000000
GLOBL steps<>(SB), RODATA|NOPTR, $64

// func countersNEON(dst *byte, n int, iv *[16]byte)
//
// Go function: binary.BigEndian.PutUint32 of the low 32 bits, n times. n ≥ 1
// blocks; whole fours are written. Registers: R0 dst, R1 n, R2 iv, R3 counter;
// V0-V3 blocks as words, V4-V7 steps, V8 next block.
TEXT ·countersNEON(SB), NOSPLIT, $0-24
	MOVD	dst+0(FP), R0
	MOVD	n+8(FP), R1
	MOVD	iv+16(FP), R2
	MOVD	$steps<>(SB), R3
	VLD1	(R3), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1	(R2), [V8.B16]
	MOVWU	12(R2), R3
	REVW	R3, R3
	ADDW	R1, R3, R3
	REVW	R3, R3
	MOVW	R3, 12(R2)
	VREV32	V8.B16, V8.B16
four:
	VADD	V4.S4, V8.S4, V1.S4
	VADD	V5.S4, V8.S4, V2.S4
	VADD	V6.S4, V8.S4, V3.S4
	VREV32	V8.B16, V0.B16
	VADD	V7.S4, V8.S4, V8.S4
	VREV32	V1.B16, V1.B16
	VREV32	V2.B16, V2.B16
	VREV32	V3.B16, V3.B16
	VST1.P	[V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS	$4, R1
	BGT	four
	RET

// KEYROUND is a round of the key expansion: as ROUND, with s + rol13(s) +
// rol23(s) for L.
#define KEYROUND(x0, x1, x2, x3, k) \
	VEOR	x1.B16, x2.B16, V8.B16; \
	XOR(k, V8); \
	XOR(x3, V8); \
	SBOXN; \
	XOR(V8, x0); \
	VSHL	$13, V8.S4, V9.S4; \
	VSHL	$23, V8.S4, V10.S4; \
	VSRI	$19, V8.S4, V9.S4; \
	VSRI	$9, V8.S4, V10.S4; \
	XOR(V9, x0); \
	XOR(V10, x0)

// func expandNEON(key *[16]byte, enc, dec *[32]uint32)
//
// Go function: expandGeneric. Registers: R1 enc, R2 end of dec, R3 CK, R10
// rounds, V0-V3 key words, V4-V7 CK. Source: GB/T 32907-2016 section 7.3.
TEXT ·expandNEON(SB), NOSPLIT, $0-24
	MOVD	key+0(FP), R0
	MOVD	enc+8(FP), R1
	MOVD	dec+16(FP), R2
	ADD	$112, R2
	MOVD	$ck<>(SB), R3
	PREPARE
	VLD4R	(R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VREV32	V0.B16, V0.B16
	VREV32	V1.B16, V1.B16
	VREV32	V2.B16, V2.B16
	VREV32	V3.B16, V3.B16
	MOVD	$fk<>(SB), R9
	VLD4R	(R9), [V4.S4, V5.S4, V6.S4, V7.S4]
	XOR(V4, V0)
	XOR(V5, V1)
	XOR(V6, V2)
	XOR(V7, V3)
	MOVD	$8, R10
four:
	VLD4R.P	16(R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	KEYROUND(V0, V1, V2, V3, V4)
	KEYROUND(V1, V2, V3, V0, V5)
	KEYROUND(V2, V3, V0, V1, V6)
	KEYROUND(V3, V0, V1, V2, V7)
	VZIP1	V1.S4, V0.S4, V8.S4
	VZIP1	V3.S4, V2.S4, V9.S4
	VZIP1	V9.D2, V8.D2, V10.D2
	VST1.P	[V10.B16], 16(R1)
	VREV64	V10.S4, V10.S4
	VEXT	$8, V10.B16, V10.B16, V10.B16
	VST1	[V10.B16], (R2)
	SUB	$16, R2
	SUBS	$1, R10
	BNE	four
	RET
