//go:build !purego

// SM4 with FEAT_SM4: GB/T 32907-2016; the modes are NIST SP 800-38A's and its
// addendum's, and IEEE Std 1619-2018's.
//
// The instructions take a block as four words, the first one in lane 0, and
// leave the last four words of the cipher in the order in which they were
// made, while the output has them the other way round. So a block is turned by
// REV32 on its way in and by REVERSE, all 16 bytes in reverse order, on its way
// out.
//
// Registers that all routines share:
//	R0 schedule   R1 dst   R2 src   R3 blocks or bytes left   R4 iv
//	V0-V7 blocks in flight   V23 table of REVERSE   V24-V31 round keys

#include "textflag.h"
#include "consts_arm64.h"

DATA reverse<>+0(SB)/8, $0x08090a0b0c0d0e0f
DATA reverse<>+8(SB)/8, $0x0001020304050607
GLOBL reverse<>(SB), RODATA|NOPTR, $16

// The words of a block in reverse order.
DATA words<>+0(SB)/8, $0x0b0a09080f0e0d0c
DATA words<>+8(SB)/8, $0x0302010007060504
GLOBL words<>(SB), RODATA|NOPTR, $16

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

// Counters from 1, 2, 4 and 8 on.
DATA steps<>+0(SB)/8, $0
DATA steps<>+8(SB)/8, $0x0000000100000000
DATA steps<>+16(SB)/8, $0
DATA steps<>+24(SB)/8, $0x0000000200000000
DATA steps<>+32(SB)/8, $0
DATA steps<>+40(SB)/8, $0x0000000400000000
DATA steps<>+48(SB)/8, $0
DATA steps<>+56(SB)/8, $0x0000000800000000
GLOBL steps<>(SB), RODATA|NOPTR, $64

// Ciphertext stealing. A TBL with the 16 bytes at 32-t moves the last t bytes
// of a vector to its beginning; with those at t, the first t to its end. The
// rest becomes zero, or stays with TBX.
DATA permute<>+0(SB)/8, $0xffffffffffffffff
DATA permute<>+8(SB)/8, $0xffffffffffffffff
DATA permute<>+16(SB)/8, $0x0706050403020100
DATA permute<>+24(SB)/8, $0x0f0e0d0c0b0a0908
DATA permute<>+32(SB)/8, $0xffffffffffffffff
DATA permute<>+40(SB)/8, $0xffffffffffffffff
GLOBL permute<>(SB), RODATA|NOPTR, $48

// Tweaks: the bits that a doubling carries out of each half, and the factor of
// a step by eight blocks, see xts_arm64.h.
DATA double<>+0(SB)/8, $0x0000000000000001
DATA double<>+8(SB)/8, $0x0000000000000087
DATA double<>+16(SB)/8, $0x0000000000000086
DATA double<>+24(SB)/8, $0
DATA double<>+32(SB)/8, $0x08090a0b0c0d0e0f // reverse, to be loaded with them
DATA double<>+40(SB)/8, $0x0001020304050607
GLOBL double<>(SB), RODATA|NOPTR, $48

#define LOADKEYS(rk) \
	VLD1.P	64(rk), [V24.B16, V25.B16, V26.B16, V27.B16]; \
	VLD1	(rk), [V28.B16, V29.B16, V30.B16, V31.B16]

#define LOADREVERSE(tmp) \
	MOVD	$reverse<>(SB), tmp; \
	VLD1	(tmp), [V23.B16]

#define REVERSE(v) VTBL V23.B16, [v.B16], v.B16

// ROUNDS1 is the cipher on the four words in V(d).
#define ROUNDS1(d) \
	SM4E(24, d); \
	SM4E(25, d); \
	SM4E(26, d); \
	SM4E(27, d); \
	SM4E(28, d); \
	SM4E(29, d); \
	SM4E(30, d); \
	SM4E(31, d)

#define FOUR4(k) \
	SM4E(k, 0); \
	SM4E(k, 1); \
	SM4E(k, 2); \
	SM4E(k, 3)

#define FOUR8(k) \
	SM4E(k, 0); \
	SM4E(k, 1); \
	SM4E(k, 2); \
	SM4E(k, 3); \
	SM4E(k, 4); \
	SM4E(k, 5); \
	SM4E(k, 6); \
	SM4E(k, 7)

// CRYPT1 is the cipher on the block in V0, CRYPT4 on those in V0-V3, CRYPT8 on
// those in V0-V7. OUT4 and OUT8 are their ends, for blocks that came in as
// words.
#define CRYPT1 \
	VREV32	V0.B16, V0.B16; \
	ROUNDS1(0); \
	REVERSE(V0)

#define IN4 \
	VREV32	V0.B16, V0.B16; \
	VREV32	V1.B16, V1.B16; \
	VREV32	V2.B16, V2.B16; \
	VREV32	V3.B16, V3.B16

#define OUT4 \
	FOUR4(24); \
	FOUR4(25); \
	FOUR4(26); \
	FOUR4(27); \
	FOUR4(28); \
	FOUR4(29); \
	FOUR4(30); \
	FOUR4(31); \
	REVERSE(V0); \
	REVERSE(V1); \
	REVERSE(V2); \
	REVERSE(V3)

#define CRYPT4 \
	IN4; \
	OUT4

#define OUT8 \
	FOUR8(24); \
	FOUR8(25); \
	FOUR8(26); \
	FOUR8(27); \
	FOUR8(28); \
	FOUR8(29); \
	FOUR8(30); \
	FOUR8(31); \
	REVERSE(V0); \
	REVERSE(V1); \
	REVERSE(V2); \
	REVERSE(V3); \
	REVERSE(V4); \
	REVERSE(V5); \
	REVERSE(V6); \
	REVERSE(V7)

#define CRYPT8 \
	IN4; \
	VREV32	V4.B16, V4.B16; \
	VREV32	V5.B16, V5.B16; \
	VREV32	V6.B16, V6.B16; \
	VREV32	V7.B16, V7.B16; \
	OUT8

#define XOR(a, b) VEOR a.B16, b.B16, b.B16

// XOR4 and XOR8 add V8, V9, … to V0, V1, …
#define XOR4 \
	XOR(V8, V0); \
	XOR(V9, V1); \
	XOR(V10, V2); \
	XOR(V11, V3)

#define XOR8 \
	XOR4; \
	XOR(V12, V4); \
	XOR(V13, V5); \
	XOR(V14, V6); \
	XOR(V15, V7)

#define LOAD4 VLD1.P 64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
#define LOAD8 \
	LOAD4; \
	VLD1.P	64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]

// LOADB4 and LOADB8 load the second set of blocks, V8 on.
#define LOADB4 VLD1.P 64(R2), [V8.B16, V9.B16, V10.B16, V11.B16]
#define LOADB8 \
	LOADB4; \
	VLD1.P	64(R2), [V12.B16, V13.B16, V14.B16, V15.B16]

#define STORE4 VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R1)
#define STORE8 \
	STORE4; \
	VST1.P	[V4.B16, V5.B16, V6.B16, V7.B16], 64(R1)

// func ExpandKeyCE(key *[16]byte, enc, dec *[32]uint32)
//
// Go function: expandGeneric. Registers: R0 key, R1 enc, R2 end of dec, R3 CK,
// V0-V7 CK, V8 key, V24-V31 round keys. Source: GB/T 32907-2016 section 7.3.
TEXT ·ExpandKeyCE(SB), NOSPLIT, $0-24
	MOVD	key+0(FP), R0
	MOVD	enc+8(FP), R1
	MOVD	dec+16(FP), R2
	MOVD	$ck<>(SB), R3
	VLD1.P	64(R3), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1	(R3), [V4.B16, V5.B16, V6.B16, V7.B16]
	MOVD	$fk<>(SB), R3
	VLD1	(R3), [V9.B16]
	MOVD	$words<>(SB), R3
	VLD1	(R3), [V23.B16]
	VLD1	(R0), [V8.B16]
	VREV32	V8.B16, V8.B16
	XOR(V9, V8)
	SM4EKEY(0, 8, 24)
	SM4EKEY(1, 24, 25)
	SM4EKEY(2, 25, 26)
	SM4EKEY(3, 26, 27)
	SM4EKEY(4, 27, 28)
	SM4EKEY(5, 28, 29)
	SM4EKEY(6, 29, 30)
	SM4EKEY(7, 30, 31)
	VST1.P	[V24.B16, V25.B16, V26.B16, V27.B16], 64(R1)
	VST1	[V28.B16, V29.B16, V30.B16, V31.B16], (R1)
	VTBL	V23.B16, [V31.B16], V0.B16
	VTBL	V23.B16, [V30.B16], V1.B16
	VTBL	V23.B16, [V29.B16], V2.B16
	VTBL	V23.B16, [V28.B16], V3.B16
	VTBL	V23.B16, [V27.B16], V4.B16
	VTBL	V23.B16, [V26.B16], V5.B16
	VTBL	V23.B16, [V25.B16], V6.B16
	VTBL	V23.B16, [V24.B16], V7.B16
	VST1.P	[V0.B16, V1.B16, V2.B16, V3.B16], 64(R2)
	VST1	[V4.B16, V5.B16, V6.B16, V7.B16], (R2)
	RET

// func ECBCE(rk *[32]uint32, dst, src *byte, n int)
//
// Go function: cryptGeneric. n ≥ 1 blocks, any alignment, dst is src or apart
// from it. Source: NIST SP 800-38A section 6.1.
TEXT ·ECBCE(SB), NOSPLIT, $0-32
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	LOADKEYS(R0)
	LOADREVERSE(R5)
	SUBS	$8, R3
	BLT	four
eight:
	LOAD8
	CRYPT8
	STORE8
	SUBS	$8, R3
	BGE	eight
four:
	TBZ	$2, R3, last
	LOAD4
	CRYPT4
	STORE4
last:
	ANDS	$3, R3
	BEQ	done
one:
	VLD1.P	16(R2), [V0.B16]
	CRYPT1
	VST1.P	[V0.B16], 16(R1)
	SUBS	$1, R3
	BNE	one
done:
	RET

// CBCENC encrypts the R3 blocks, at least one, at R2. V16 is the chain, its
// words in the order of a block that comes in, and V22 the table that turns a
// result into it. V0 is left as the last ciphertext block.
#define CBCENC(loop) \
loop: \
	VLD1.P	16(R2), [V1.B16]; \
	VREV32	V1.B16, V1.B16; \
	VEOR	V1.B16, V16.B16, V0.B16; \
	ROUNDS1(0); \
	VTBL	V22.B16, [V0.B16], V16.B16; \
	REVERSE(V0); \
	VST1.P	[V0.B16], 16(R1); \
	SUBS	$1, R3; \
	BNE	loop

// func CBCEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Registers: see CBCENC. Source: NIST SP 800-38A section 6.2.
TEXT ·CBCEncCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	MOVD	$words<>(SB), R5
	VLD1	(R5), [V22.B16]
	VLD1	(R4), [V16.B16]
	VREV32	V16.B16, V16.B16
	CBCENC(loop)
	VST1	[V0.B16], (R4)
	RET

// func CFBEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCFB. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. V0 is the chain as words, V22 as in CBCENC. Source: NIST SP
// 800-38A section 6.3.
TEXT ·CFBEncCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	MOVD	$words<>(SB), R5
	VLD1	(R5), [V22.B16]
	VLD1	(R4), [V0.B16]
	VREV32	V0.B16, V0.B16
loop:
	VLD1.P	16(R2), [V1.B16]
	VREV32	V1.B16, V1.B16
	ROUNDS1(0)
	VTBL	V22.B16, [V0.B16], V0.B16
	XOR(V1, V0)
	VREV32	V0.B16, V2.B16
	VST1.P	[V2.B16], 16(R1)
	SUBS	$1, R3
	BNE	loop
	VST1	[V2.B16], (R4)
	RET

// CBCDEC decrypts the R3 blocks at R2, which may be none. V16 is the chain: the
// ciphertext block before. V8-V15 keep the ciphertext.
#define CBCDEC(eight, four, last, one, done) \
	SUBS	$8, R3; \
	BLT	four; \
eight: \
	LOADB8; \
	VREV32	V8.B16, V0.B16; \
	VREV32	V9.B16, V1.B16; \
	VREV32	V10.B16, V2.B16; \
	VREV32	V11.B16, V3.B16; \
	VREV32	V12.B16, V4.B16; \
	VREV32	V13.B16, V5.B16; \
	VREV32	V14.B16, V6.B16; \
	VREV32	V15.B16, V7.B16; \
	OUT8; \
	XOR(V16, V0); \
	XOR(V8, V1); \
	XOR(V9, V2); \
	XOR(V10, V3); \
	XOR(V11, V4); \
	XOR(V12, V5); \
	XOR(V13, V6); \
	XOR(V14, V7); \
	VMOV	V15.B16, V16.B16; \
	STORE8; \
	SUBS	$8, R3; \
	BGE	eight; \
four: \
	TBZ	$2, R3, last; \
	LOADB4; \
	VREV32	V8.B16, V0.B16; \
	VREV32	V9.B16, V1.B16; \
	VREV32	V10.B16, V2.B16; \
	VREV32	V11.B16, V3.B16; \
	OUT4; \
	XOR(V16, V0); \
	XOR(V8, V1); \
	XOR(V9, V2); \
	XOR(V10, V3); \
	VMOV	V11.B16, V16.B16; \
	STORE4; \
last: \
	ANDS	$3, R3; \
	BEQ	done; \
one: \
	VLD1.P	16(R2), [V8.B16]; \
	VREV32	V8.B16, V0.B16; \
	ROUNDS1(0); \
	REVERSE(V0); \
	XOR(V16, V0); \
	VMOV	V8.B16, V16.B16; \
	VST1.P	[V0.B16], 16(R1); \
	SUBS	$1, R3; \
	BNE	one; \
done:

// func CBCDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Registers: see CBCDEC. Source: NIST SP 800-38A section 6.2.
TEXT ·CBCDecCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	VLD1	(R4), [V16.B16]
	CBCDEC(eight, four, last, one, done)
	VST1	[V16.B16], (R4)
	RET

// func CFBDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptCFB. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. V16 is the ciphertext block before, V8-V15 keep the
// ciphertext. Source: NIST SP 800-38A section 6.3.
TEXT ·CFBDecCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	VLD1	(R4), [V16.B16]
	SUBS	$8, R3
	BLT	four
eight:
	LOADB8
	VREV32	V16.B16, V0.B16
	VREV32	V8.B16, V1.B16
	VREV32	V9.B16, V2.B16
	VREV32	V10.B16, V3.B16
	VREV32	V11.B16, V4.B16
	VREV32	V12.B16, V5.B16
	VREV32	V13.B16, V6.B16
	VREV32	V14.B16, V7.B16
	OUT8
	XOR8
	VMOV	V15.B16, V16.B16
	STORE8
	SUBS	$8, R3
	BGE	eight
four:
	TBZ	$2, R3, last
	LOADB4
	VREV32	V16.B16, V0.B16
	VREV32	V8.B16, V1.B16
	VREV32	V9.B16, V2.B16
	VREV32	V10.B16, V3.B16
	OUT4
	XOR4
	VMOV	V11.B16, V16.B16
	STORE4
last:
	ANDS	$3, R3
	BEQ	done
one:
	VLD1.P	16(R2), [V8.B16]
	VREV32	V16.B16, V0.B16
	ROUNDS1(0)
	REVERSE(V0)
	XOR(V8, V0)
	VMOV	V8.B16, V16.B16
	VST1.P	[V0.B16], 16(R1)
	SUBS	$1, R3
	BNE	one
done:
	VST1	[V16.B16], (R4)
	RET

// func CTRCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.CTR for whole blocks. n ≥ 1 blocks, any alignment, dst is
// src or apart from it; the counter's low 32 bits do not wrap before the last
// block. Registers: V16 next counter as words, V17-V20 steps by 1, 2, 4 and 8,
// V8-V15 src. Source: NIST SP 800-38A section 6.5.
TEXT ·CTRCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	MOVD	$steps<>(SB), R5
	VLD1	(R5), [V17.B16, V18.B16, V19.B16, V20.B16]
	VLD1	(R4), [V16.B16]
	VREV32	V16.B16, V16.B16
	SUBS	$8, R3
	BLT	four
eight:
	VMOV	V16.B16, V0.B16
	VADD	V16.S4, V17.S4, V1.S4
	VADD	V16.S4, V18.S4, V2.S4
	VADD	V1.S4, V18.S4, V3.S4
	VADD	V16.S4, V19.S4, V4.S4
	VADD	V1.S4, V19.S4, V5.S4
	VADD	V2.S4, V19.S4, V6.S4
	VADD	V3.S4, V19.S4, V7.S4
	VADD	V16.S4, V20.S4, V16.S4
	OUT8
	LOADB8
	XOR8
	STORE8
	SUBS	$8, R3
	BGE	eight
four:
	TBZ	$2, R3, last
	VMOV	V16.B16, V0.B16
	VADD	V16.S4, V17.S4, V1.S4
	VADD	V16.S4, V18.S4, V2.S4
	VADD	V1.S4, V18.S4, V3.S4
	VADD	V16.S4, V19.S4, V16.S4
	OUT4
	LOADB4
	XOR4
	STORE4
last:
	ANDS	$3, R3
	BEQ	done
one:
	VMOV	V16.B16, V0.B16
	VADD	V16.S4, V17.S4, V16.S4
	ROUNDS1(0)
	REVERSE(V0)
	VLD1.P	16(R2), [V8.B16]
	XOR(V8, V0)
	VST1.P	[V0.B16], 16(R1)
	SUBS	$1, R3
	BNE	one
done:
	VREV32	V16.B16, V16.B16
	VST1	[V16.B16], (R4)
	RET

// STEALTABLES loads what moves the last R6 bytes of a vector to its beginning
// into V20, and what moves the first R6 bytes to its end into V21.
#define STEALTABLES(tmp1, tmp2) \
	MOVD	$permute<>(SB), tmp1; \
	ADD	R6, tmp1, tmp2; \
	VLD1	(tmp2), [V21.B16]; \
	ADD	$32, tmp1, tmp1; \
	SUB	R6, tmp1, tmp1; \
	VLD1	(tmp1), [V20.B16]

// CTSLENGTHS splits the R3 bytes, at least 17, into R3 blocks before the last
// two and a last one of R6 bytes, 1 to 16, and sets R7 and R8 to the last 16
// bytes of src and dst.
#define CTSLENGTHS \
	SUB	$1, R3, R6; \
	AND	$15, R6, R6; \
	ADD	$1, R6, R6; \
	SUB	$16, R3, R7; \
	ADD	R1, R7, R8; \
	ADD	R2, R7, R7; \
	SUB	$17, R3, R3; \
	LSR	$4, R3, R3

// func CTSEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCTS with CS3. n ≥ 17 bytes, any alignment, dst is
// src or apart from it. Registers: see CBCENC, CTSLENGTHS and STEALTABLES; V18
// the last 16 bytes of src. Source: addendum to NIST SP 800-38A, CBC-CS3.
TEXT ·CTSEncCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	MOVD	$words<>(SB), R5
	VLD1	(R5), [V22.B16]
	VLD1	(R4), [V16.B16]
	VREV32	V16.B16, V16.B16
	CTSLENGTHS
	STEALTABLES(R9, R10)
	VLD1	(R7), [V18.B16]
	VTBL	V20.B16, [V18.B16], V18.B16
	CBZ	R3, last
	CBCENC(loop)
last:
	// The block before the last: its ciphertext, cut short, is the end.
	VLD1	(R2), [V0.B16]
	VREV32	V0.B16, V0.B16
	XOR(V16, V0)
	ROUNDS1(0)
	REVERSE(V0)
	VTBL	V21.B16, [V0.B16], V1.B16
	XOR(V18, V0)
	CRYPT1
	VST1	[V1.B16], (R8)
	VST1	[V0.B16], (R1)
	RET

// func CTSDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptCTS with CS3. n ≥ 17 bytes, any alignment, dst is
// src or apart from it. Registers: see CBCDEC, CTSLENGTHS and STEALTABLES; V18
// the last 16 bytes of src. Source: addendum to NIST SP 800-38A, CBC-CS3.
TEXT ·CTSDecCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	dst+8(FP), R1
	MOVD	src+16(FP), R2
	MOVD	n+24(FP), R3
	MOVD	iv+32(FP), R4
	LOADKEYS(R0)
	LOADREVERSE(R5)
	VLD1	(R4), [V16.B16]
	CTSLENGTHS
	STEALTABLES(R9, R10)
	VLD1	(R7), [V18.B16]
	CBCDEC(eight, four, last, one, done)
	VLD1	(R2), [V0.B16]
	CRYPT1
	// V0 is the last plaintext block, filled up with zeros, plus the block of
	// ciphertext that was cut short to V18's last bytes.
	VTBL	V20.B16, [V18.B16], V1.B16
	XOR(V0, V1)
	VTBL	V21.B16, [V1.B16], V1.B16
	VTBX	V20.B16, [V18.B16], V0.B16
	CRYPT1
	XOR(V16, V0)
	VST1	[V1.B16], (R8)
	VST1	[V0.B16], (R1)
	RET

// DOUBLE multiplies the tweak a, which is V(n), by x into b: SIGNS finds the
// bits that leave its two halves, and each enters the other half, as 0x87 or 1.
#define DOUBLE(n, a, b) \
	SIGNS(n, 16); \
	VAND	V16.B16, V21.B16, V16.B16; \
	VADD	a.D2, a.D2, b.D2; \
	VEXT	$8, V16.B16, V16.B16, V16.B16; \
	XOR(V16, b)

// STEP8 multiplies the tweak t by x^8, a byte: the bytes move up by one, and the
// last one leaves as its product with 0x87. The rotation has put it itself into
// byte 0, so that the product with 0x86 is what remains to add.
#define STEP8(t, tmp1, tmp2) \
	VEXT	$15, t.B16, t.B16, tmp1.B16; \
	VPMULL	tmp1.B8, V22.B8, tmp2.H8; \
	VEOR	tmp1.B16, tmp2.B16, t.B16

// func XTSCE(rk, tk *[32]uint32, dst, src *byte, n, unit int, tweaks *byte, gb, decrypt bool)
//
// Go function: mode.EncryptXTS and DecryptXTS, EncryptXTSUnits and
// DecryptXTSUnits. Registers and preconditions: see xts_arm64.h. Source: IEEE
// Std 1619-2018 sections 5.3 and 5.4.
TEXT ·XTSCE(SB), NOSPLIT, $0-58
	MOVBU	gb+56(FP), R0
	CBZ	R0, ieee
	B	·xtsGBCE(SB) // the arguments are the same
ieee:
	MOVD	rk+0(FP), R0
	MOVD	tk+8(FP), R7
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	unit+40(FP), R5
	MOVD	tweaks+48(FP), R4
	MOVBU	decrypt+57(FP), R12
#define REFLECT(t)
#include "xts_arm64.h"
#undef REFLECT

// func xtsGBCE(rk, tk *[32]uint32, dst, src *byte, n, unit int, tweaks *byte, gb, decrypt bool)
//
// As XTSCE with the tweaks of GB/T 17964-2021: those of IEEE Std 1619-2018 with
// the bits of each byte in reverse order.
TEXT ·xtsGBCE(SB), NOSPLIT, $0-58
	MOVD	rk+0(FP), R0
	MOVD	tk+8(FP), R7
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	unit+40(FP), R5
	MOVD	tweaks+48(FP), R4
	MOVBU	decrypt+57(FP), R12
#define REFLECT(t) VRBIT t.B16, t.B16
#include "xts_arm64.h"
#undef REFLECT
