//go:build !purego

#include "textflag.h"

// The BLAKE2s compression function for arm64; see Compress.
//
// The sixteen words of the state are in registers of their own and the message
// block is in eight more, two words in each: an even word is the lower half, an
// odd word comes as the operand X>>32 of a 64-bit addition, whose upper half is
// thrown away by the next instruction that writes the sum's register as a W.
// No word is loaded or stored within the ten rounds.
//
// R18 (platform register) and the assembler's, g, frame and link registers
// are not touched, so every other register is in use.

#define V0  R0
#define V1  R1
#define V2  R2
#define V3  R3
#define V4  R4
#define V5  R5
#define V6  R6
#define V7  R7
#define V8  R8
#define V9  R9
#define V10 R10
#define V11 R11
#define V12 R12
#define V13 R13
#define V14 R14
#define V15 R15

#define M01 R16
#define M23 R17
#define M45 R19
#define M67 R20
#define M89 R21
#define MAB R22
#define MCD R23
#define MEF R24

#define H R25
#define P R26

// W0 to W15 are the message words as operands.
#define W0  M01
#define W1  M01>>32
#define W2  M23
#define W3  M23>>32
#define W4  M45
#define W5  M45>>32
#define W6  M67
#define W7  M67>>32
#define W8  M89
#define W9  M89>>32
#define W10 MAB
#define W11 MAB>>32
#define W12 MCD
#define W13 MCD>>32
#define W14 MEF
#define W15 MEF>>32

// STEP is the first half of G on each column or diagonal of four, with one
// message word each, or the second half. The four go side by side.
#define STEP(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, w, x, y, z, rd, rb) \
	ADD  w, a           \
	ADD  x, e           \
	ADD  y, i           \
	ADD  z, m           \
	ADDW b, a           \
	ADDW f, e           \
	ADDW j, i           \
	ADDW n, m           \
	EORW a, d           \
	EORW e, h           \
	EORW i, l           \
	EORW m, p           \
	RORW $rd, d         \
	RORW $rd, h         \
	RORW $rd, l         \
	RORW $rd, p         \
	ADDW d, c           \
	ADDW h, g           \
	ADDW l, k           \
	ADDW p, o           \
	EORW c, b           \
	EORW g, f           \
	EORW k, j           \
	EORW o, n           \
	RORW $rb, b         \
	RORW $rb, f         \
	RORW $rb, j         \
	RORW $rb, n

#define COLUMNS(w, x, y, z, rd, rb) \
	STEP(V0, V4, V8, V12, V1, V5, V9, V13, V2, V6, V10, V14, V3, V7, V11, V15, w, x, y, z, rd, rb)

#define DIAGONALS(w, x, y, z, rd, rb) \
	STEP(V0, V5, V10, V15, V1, V6, V11, V12, V2, V7, V8, V13, V3, V4, V9, V14, w, x, y, z, rd, rb)

// ROUND takes the message words in the order of sigma.
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
	COLUMNS(s0, s2, s4, s6, 16, 12)      \
	COLUMNS(s1, s3, s5, s7, 8, 7)        \
	DIAGONALS(s8, s10, s12, s14, 16, 12) \
	DIAGONALS(s9, s11, s13, s15, 8, 7)

// func Compress(h *[8]uint32, counter uint64, last uint32, p *byte, n int)
//
// Equals compressGeneric of package blake2s. It needs nothing but a
// little-endian arm64. Source: RFC 7693. The arguments counter and p go with the
// blocks, and n becomes the end of the message.
TEXT ·Compress(SB), NOSPLIT, $0-40
	MOVD h+0(FP), H
	MOVD p+24(FP), P
	MOVD n+32(FP), R0
	ADD  R0<<6, P, R0
	MOVD R0, n+32(FP)
	LDPW 0(H), (V0, V1)
	LDPW 8(H), (V2, V3)
	LDPW 16(H), (V4, V5)
	LDPW 24(H), (V6, V7)

block:
	MOVD $iv<>(SB), R16
	LDPW 0(R16), (V8, V9)
	LDPW 8(R16), (V10, V11)
	LDPW 16(R16), (V12, V13)
	LDPW 24(R16), (V14, V15)
	MOVD counter+8(FP), R16
	MOVWU last+16(FP), R17
	ADD  $64, R16
	MOVD R16, counter+8(FP)
	EORW R16, V12
	EOR  R16>>32, V13
	EORW R17, V14
	LDP  0(P), (M01, M23)
	LDP  16(P), (M45, M67)
	LDP  32(P), (M89, MAB)
	LDP  48(P), (MCD, MEF)
	ADD  $64, P

	ROUND(W0, W1, W2, W3, W4, W5, W6, W7, W8, W9, W10, W11, W12, W13, W14, W15)
	ROUND(W14, W10, W4, W8, W9, W15, W13, W6, W1, W12, W0, W2, W11, W7, W5, W3)
	ROUND(W11, W8, W12, W0, W5, W2, W15, W13, W10, W14, W3, W6, W7, W1, W9, W4)
	ROUND(W7, W9, W3, W1, W13, W12, W11, W14, W2, W6, W5, W10, W4, W0, W15, W8)
	ROUND(W9, W0, W5, W7, W2, W4, W10, W15, W14, W1, W11, W12, W6, W8, W3, W13)
	ROUND(W2, W12, W6, W10, W0, W11, W8, W3, W4, W13, W7, W5, W15, W14, W1, W9)
	ROUND(W12, W5, W1, W15, W14, W13, W4, W10, W0, W7, W6, W3, W9, W2, W8, W11)
	ROUND(W13, W11, W7, W14, W12, W1, W3, W9, W5, W0, W15, W4, W8, W6, W2, W10)
	ROUND(W6, W15, W14, W9, W11, W3, W0, W8, W12, W2, W13, W7, W1, W4, W10, W5)
	ROUND(W10, W2, W8, W4, W7, W6, W1, W5, W15, W11, W9, W14, W3, W12, W13, W0)

	LDPW 0(H), (M01, M23)
	LDPW 8(H), (M45, M67)
	LDPW 16(H), (M89, MAB)
	LDPW 24(H), (MCD, MEF)
	EORW V8, V0
	EORW V9, V1
	EORW V10, V2
	EORW V11, V3
	EORW V12, V4
	EORW V13, V5
	EORW V14, V6
	EORW V15, V7
	MOVD n+32(FP), V8
	EORW M01, V0
	EORW M23, V1
	EORW M45, V2
	EORW M67, V3
	EORW M89, V4
	EORW MAB, V5
	EORW MCD, V6
	EORW MEF, V7
	STPW (V0, V1), 0(H)
	STPW (V2, V3), 8(H)
	STPW (V4, V5), 16(H)
	STPW (V6, V7), 24(H)
	CMP  V8, P
	BNE  block
	RET

DATA iv<>+0(SB)/8, $0xbb67ae856a09e667
DATA iv<>+8(SB)/8, $0xa54ff53a3c6ef372
DATA iv<>+16(SB)/8, $0x9b05688c510e527f
DATA iv<>+24(SB)/8, $0x5be0cd191f83d9ab
GLOBL iv<>(SB), RODATA|NOPTR, $32
