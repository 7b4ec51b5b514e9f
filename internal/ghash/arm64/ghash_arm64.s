//go:build !purego

// GHASH with FEAT_PMULL: NIST SP 800-38D section 6.4. UpdatePMULL equals
// routinetest.GHASHUpdate.
//
// GHASH numbers bits from the first byte's top bit on, as the coefficients of
// x^0, x^1, ... RBIT reverses the bits of each byte; then bit i of the vector,
// in little-endian order, is the coefficient of x^i.
//
// A power P of h is kept together with Q = P * x^64. For a block of the halves l
// and u, block * P = l * P + u * Q: four products of 64 bits each, two of which
// count from x^0 on and two from x^64 on. There are no products from x^128 on,
// as there would be without Q, so the sum of many has only its top 64 bits to be
// reduced, with x^128 = x^7 + x^2 + x + 1. The halves of P and Q are so arranged
// in two vectors that PMULL takes those for l, PMULL2 those for u.
//
// Registers that both routines share:
//	R0 powers   R1 h or acc   R2 p   R3 blocks left   R4, R5 scratch
//	V0-V7 blocks   V8 the sum so far   V9 products from x^0 on   V10 from x^64 on
//	V11 x^7 + x^2 + x + 1 in both halves   V12 zero   V13-V15 scratch
//	V16-V31 powers from the eighth one down, two vectors each

#include "textflag.h"

#define SUM V8
#define LOW V9
#define MID V10
#define POLY V11
#define ZERO V12
#define T0 V13
#define T1 V14
#define T2 V15

#define CONSTANTS \
	MOVD	$0x87, R4; \
	VDUP	R4, POLY.D2; \
	VEOR	ZERO.B16, ZERO.B16, ZERO.B16

#define RBIT(x) VRBIT x.B16, x.B16

#define XOR(a, b) VEOR a.B16, b.B16, b.B16

// MULTIPLY sets LOW and MID to the product of x and the power in a and b.
// ADDPRODUCT adds it, and leaves x without a use.
#define MULTIPLY(x, a, b) \
	VPMULL	a.D1, x.D1, LOW.Q1; \
	VPMULL	b.D1, x.D1, MID.Q1; \
	VPMULL2	a.D2, x.D2, T0.Q1; \
	VPMULL2	b.D2, x.D2, T1.Q1; \
	XOR(T0, LOW); \
	XOR(T1, MID)

#define ADDPRODUCT(x, a, b) \
	VPMULL	a.D1, x.D1, T0.Q1; \
	VPMULL	b.D1, x.D1, T1.Q1; \
	VPMULL2	a.D2, x.D2, T2.Q1; \
	VPMULL2	b.D2, x.D2, x.Q1; \
	XOR(T0, LOW); \
	XOR(T1, MID); \
	XOR(T2, LOW); \
	XOR(x, MID)

// REDUCE sets d to LOW + MID * x^64, reduced.
#define REDUCE(d) \
	VPMULL2	POLY.D2, MID.D2, T0.Q1; \
	VZIP1	MID.D2, ZERO.D2, T1.D2; \
	XOR(T1, LOW); \
	VEOR	T0.B16, LOW.B16, d.B16

// PAIR sets a and b to the two vectors of the power in SUM.
#define PAIR(a, b) \
	VPMULL2	POLY.D2, SUM.D2, T0.Q1; \
	VZIP1	SUM.D2, ZERO.D2, T1.D2; \
	XOR(T1, T0); \
	VZIP1	T0.D2, SUM.D2, a.D2; \
	VZIP2	T0.D2, SUM.D2, b.D2

// func InitPMULL(powers *[1024]byte, h *[16]byte)
TEXT ·InitPMULL(SB), NOSPLIT, $0-16
	MOVD	powers+0(FP), R0
	MOVD	h+8(FP), R1
	CONSTANTS
	VLD1	(R1), [SUM.B16]
	RBIT(SUM)
	PAIR(V16, V17)
	ADD	$224, R0, R4
	VST1	[V16.B16, V17.B16], (R4)

power:
	// The power below, times h.
	MULTIPLY(SUM, V16, V17)
	REDUCE(SUM)
	PAIR(V0, V1)
	SUB	$32, R4
	VST1	[V0.B16, V1.B16], (R4)
	CMP	R0, R4
	BNE	power
	RET

// func UpdatePMULL(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
TEXT ·UpdatePMULL(SB), NOSPLIT, $0-32
	MOVD	powers+0(FP), R0
	MOVD	acc+8(FP), R1
	MOVD	p+16(FP), R2
	MOVD	blocks+24(FP), R3
	CONSTANTS
	VLD1	(R1), [SUM.B16]
	RBIT(SUM)

	// First the blocks that are over when the number is divided by 8: the first
	// one meets the power of that exponent.
	ANDS	$7, R3, R4
	BEQ	groups
	SUB	R4, R3
	SUB	R4<<5, R0, R5
	ADD	$256, R5
	VLD1.P	16(R2), [V0.B16]
	VLD1.P	32(R5), [V16.B16, V17.B16]
	RBIT(V0)
	XOR(SUM, V0)
	MULTIPLY(V0, V16, V17)
	SUBS	$1, R4
	BEQ	reduce

few:
	VLD1.P	16(R2), [V0.B16]
	VLD1.P	32(R5), [V16.B16, V17.B16]
	RBIT(V0)
	ADDPRODUCT(V0, V16, V17)
	SUBS	$1, R4
	BNE	few

reduce:
	REDUCE(SUM)

groups:
	SUBS	$8, R3
	BLT	done
	VLD1.P	64(R0), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1.P	64(R0), [V20.B16, V21.B16, V22.B16, V23.B16]
	VLD1.P	64(R0), [V24.B16, V25.B16, V26.B16, V27.B16]
	VLD1	(R0), [V28.B16, V29.B16, V30.B16, V31.B16]

eight:
	// The first block comes last, since the sum so far is part of it.
	VLD1.P	64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P	64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]
	RBIT(V1)
	RBIT(V2)
	MULTIPLY(V1, V18, V19)
	RBIT(V3)
	ADDPRODUCT(V2, V20, V21)
	RBIT(V4)
	ADDPRODUCT(V3, V22, V23)
	RBIT(V5)
	ADDPRODUCT(V4, V24, V25)
	RBIT(V6)
	ADDPRODUCT(V5, V26, V27)
	RBIT(V7)
	ADDPRODUCT(V6, V28, V29)
	RBIT(V0)
	ADDPRODUCT(V7, V30, V31)
	XOR(SUM, V0)
	ADDPRODUCT(V0, V16, V17)
	REDUCE(SUM)
	SUBS	$8, R3
	BGE	eight

done:
	RBIT(SUM)
	VST1	[SUM.B16], (R1)
	RET
