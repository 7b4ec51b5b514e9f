//go:build 386 && !purego

#include "textflag.h"

// The BLAKE2s compression function for 386 with SSE4.1; see CompressSSE41.
//
//	AX DX counter   CX blocks left   SI p   DI h
//	X0 to X3 rows of the state   X4 message words   X5 scratch
//	X6 X7 rotations of each word by 16 and by 8 bits
//
// A row is four words of the state, so that one instruction works on all
// columns, or on all diagonals once rows were rotated. The row of words 4 to 7
// is what everything waits for, and therefore stays where it is; the other three
// are rotated against it while it is not yet known.

DATA constants<>+0x00(SB)/8, $0xbb67ae856a09e667
DATA constants<>+0x08(SB)/8, $0xa54ff53a3c6ef372
DATA constants<>+0x10(SB)/8, $0x9b05688c510e527f
DATA constants<>+0x18(SB)/8, $0x5be0cd191f83d9ab
DATA constants<>+0x20(SB)/8, $0x0504070601000302
DATA constants<>+0x28(SB)/8, $0x0d0c0f0e09080b0a
DATA constants<>+0x30(SB)/8, $0x0407060500030201
DATA constants<>+0x38(SB)/8, $0x0c0f0e0d080b0a09
GLOBL constants<>(SB), RODATA|NOPTR, $64

// WORDS gathers four words of the message block.
#define WORDS(a, b, c, d) \
	MOVSS  4*a(SI), X4     \
	PINSRD $1, 4*b(SI), X4 \
	PINSRD $2, 4*c(SI), X4 \
	PINSRD $3, 4*d(SI), X4

#define ROR(n, x) \
	MOVOU x, X5         \
	PSRLL $n, x         \
	PSLLL $(32-n), X5   \
	PXOR  X5, x

// STEP is one half of G on each column or diagonal, with the words in X4.
#define STEP(rotateD, n) \
	PADDL  X4, X0      \
	PADDL  X1, X0      \
	PXOR   X0, X3      \
	PSHUFB rotateD, X3 \
	PADDL  X3, X2      \
	PXOR   X2, X1      \
	ROR(n, X1)

// ROUND takes the words in the order of RFC 7693. On a diagonal the places of
// the row 4 5 6 7 belong to the last G and the first three.
#define ROUND(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	WORDS(a, c, e, g)    \
	STEP(X6, 12)         \
	WORDS(b, d, f, h)    \
	STEP(X7, 7)          \
	PSHUFL $0x93, X0, X0 \
	PSHUFL $0x4e, X3, X3 \
	PSHUFL $0x39, X2, X2 \
	WORDS(o, i, k, m)    \
	STEP(X6, 12)         \
	WORDS(p, j, l, n)    \
	STEP(X7, 7)          \
	PSHUFL $0x39, X0, X0 \
	PSHUFL $0x4e, X3, X3 \
	PSHUFL $0x93, X2, X2

// func CompressSSE41(h *[8]uint32, counter uint64, last uint32, p *byte, n int)
// Requires: SSE2, SSE4.1, SSSE3
TEXT ·CompressSSE41(SB), NOSPLIT, $0-24
	MOVL  h+0(FP), DI
	MOVL  counter_lo+4(FP), AX
	MOVL  counter_hi+8(FP), DX
	MOVL  p+16(FP), SI
	MOVL  n+20(FP), CX
	MOVOU constants<>+32(SB), X6
	MOVOU constants<>+48(SB), X7

block:
	ADDL   $64, AX
	ADCL   $0, DX
	MOVOU  (DI), X0
	MOVOU  16(DI), X1
	MOVOU  constants<>+0(SB), X2
	MOVOU  constants<>+16(SB), X4
	MOVSS  last+12(FP), X3
	PSLLO  $8, X3
	PINSRD $0, AX, X3
	PINSRD $1, DX, X3
	PXOR   X4, X3

	ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
	ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
	ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
	ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
	ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
	ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
	ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
	ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
	ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)

	MOVOU (DI), X4
	MOVOU 16(DI), X5
	PXOR  X2, X0
	PXOR  X3, X1
	PXOR  X4, X0
	PXOR  X5, X1
	MOVOU X0, (DI)
	MOVOU X1, 16(DI)
	ADDL  $64, SI
	DECL  CX
	JNZ   block
	RET
