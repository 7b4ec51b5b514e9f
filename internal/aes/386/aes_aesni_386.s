//go:build 386 && !purego

#include "textflag.h"

// In all routines but the key expansion:
//
//	AX round keys   BX rounds   CX bytes left   DX address of the first round key
//	SI src   DI dst   BP iv, or scratch
//	X0 to X5 blocks   X6 scratch   X7 round key
//
// The round keys end at slot 14, so that those of the last ten rounds lie at the
// same place for every key size: AES-256 enters the rounds at the top, AES-192
// two rounds later, AES-128 four.

#define SLOT(i) (16*i)(AX)

#define ARGS \
	MOVL rk+0(FP), AX      \
	MOVL rounds+4(FP), BX  \
	MOVL dst+8(FP), DI     \
	MOVL src+12(FP), SI    \
	MOVL $14, DX           \
	SUBL BX, DX            \
	SHLL $4, DX            \
	ADDL AX, DX

#define ROUND1(op, i) \
	MOVOU SLOT(i), X7 \
	op    X7, X0

#define ROUND6(op, i) \
	MOVOU SLOT(i), X7 \
	op    X7, X0      \
	op    X7, X1      \
	op    X7, X2      \
	op    X7, X3      \
	op    X7, X4      \
	op    X7, X5

// All rounds but the last. round is one of the two above.
#define ROUNDS(round, op, aes192, aes128) \
	CMPL BX, $12 \
	JB   aes128  \
	JE   aes192  \
	round(op, 1) \
	round(op, 2) \
aes192: \
	round(op, 3) \
	round(op, 4) \
aes128: \
	round(op, 5)  \
	round(op, 6)  \
	round(op, 7)  \
	round(op, 8)  \
	round(op, 9)  \
	round(op, 10) \
	round(op, 11) \
	round(op, 12) \
	round(op, 13)

// Six blocks with the first round key added.
#define LOAD6 \
	MOVOU (DX), X7    \
	MOVOU (SI), X0    \
	MOVOU 16(SI), X1  \
	MOVOU 32(SI), X2  \
	MOVOU 48(SI), X3  \
	MOVOU 64(SI), X4  \
	MOVOU 80(SI), X5  \
	PXOR  X7, X0      \
	PXOR  X7, X1      \
	PXOR  X7, X2      \
	PXOR  X7, X3      \
	PXOR  X7, X4      \
	PXOR  X7, X5

#define LOAD1 \
	MOVOU (DX), X7 \
	MOVOU (SI), X0 \
	PXOR  X7, X0

#define NEXT(n) \
	ADDL $n, SI \
	ADDL $n, DI \
	SUBL $n, CX

// ECB: six blocks at a time, then one at a time. The short chains of single
// blocks do not depend on each other, and the processor works on several.
#define ECB(op, oplast) \
	ARGS                    \
	MOVL  blocks+16(FP), CX \
	SHLL  $4, CX            \
	CMPL  CX, $96           \
	JB    less              \
six: \
	LOAD6                   \
	ROUNDS(ROUND6, op, six192, six128) \
	MOVOU  SLOT(14), X7     \
	oplast X7, X0           \
	oplast X7, X1           \
	oplast X7, X2           \
	oplast X7, X3           \
	oplast X7, X4           \
	oplast X7, X5           \
	MOVOU  X0, (DI)         \
	MOVOU  X1, 16(DI)       \
	MOVOU  X2, 32(DI)       \
	MOVOU  X3, 48(DI)       \
	MOVOU  X4, 64(DI)       \
	MOVOU  X5, 80(DI)       \
	NEXT(96)                \
	CMPL   CX, $96          \
	JAE    six              \
less: \
	TESTL  CX, CX           \
	JE     done             \
one: \
	LOAD1                   \
	ROUNDS(ROUND1, op, one192, one128) \
	MOVOU  SLOT(14), X7     \
	oplast X7, X0           \
	MOVOU  X0, (DI)         \
	NEXT(16)                \
	JNE    one              \
done: \
	RET

// func ECBEncAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int)
TEXT ·ECBEncAESNI(SB), NOSPLIT, $0-20
	ECB(AESENC, AESENCLAST)

// func ECBDecAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int)
TEXT ·ECBDecAESNI(SB), NOSPLIT, $0-20
	ECB(AESDEC, AESDECLAST)

// CBC decryption adds the ciphertext block before to the last round key. dst may
// be src, so the last block comes first: what comes before it is then still
// there. The block before the six waits in the frame, that before the next six
// too.
#define BEFORE6(x, offset) \
	MOVOU offset(SI), X6 \
	PXOR  X7, X6         \
	AESDECLAST X6, x     \
	MOVOU x, (offset+16)(DI)

// X6 and the frame have the block before the first one.
#define CBCDEC \
	CMPL  CX, $96             \
	JB    less                \
six: \
	MOVOU 80(SI), X6          \
	MOVOU X6, behind-32(SP)   \
	LOAD6                     \
	ROUNDS(ROUND6, AESDEC, six192, six128) \
	MOVOU SLOT(14), X7        \
	BEFORE6(X5, 64)           \
	BEFORE6(X4, 48)           \
	BEFORE6(X3, 32)           \
	BEFORE6(X2, 16)           \
	BEFORE6(X1, 0)            \
	MOVOU previous-16(SP), X6 \
	PXOR  X7, X6              \
	AESDECLAST X6, X0         \
	MOVOU X0, (DI)            \
	MOVOU behind-32(SP), X6   \
	MOVOU X6, previous-16(SP) \
	NEXT(96)                  \
	CMPL  CX, $96             \
	JAE   six                 \
less: \
	MOVOU previous-16(SP), X6 \
	TESTL CX, CX              \
	JE    done                \
one: \
	LOAD1                     \
	MOVOU (SI), X5            \
	ROUNDS(ROUND1, AESDEC, one192, one128) \
	MOVOU SLOT(14), X7        \
	PXOR  X7, X6              \
	AESDECLAST X6, X0         \
	MOVOU X0, (DI)            \
	MOVOA X5, X6              \
	NEXT(16)                  \
	JNE   one                 \
done:

// func CBCDecAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)
TEXT ·CBCDecAESNI(SB), NOSPLIT, $32-24
	ARGS
	MOVL  blocks+16(FP), CX
	MOVL  iv+20(FP), BP
	MOVOU (BP), X6
	MOVOU X6, previous-16(SP)
	SHLL  $4, CX
	CBCDEC

	// X6 is the last ciphertext block.
	MOVOU X6, (BP)
	RET

// CBC encryption has one block in flight, so the length of the chain of
// dependent instructions is all that counts. The chain is made of AES rounds
// alone: the last round of a block adds, in place of the last round key, the sum
// of that key, the next plaintext block and the first round key, which gives the
// state with which the next block begins. The ciphertext comes from the last
// round a second time, with the last round key, beside the chain.
//
//	X0 state   X1 ciphertext   X2 what the chain adds
//	X3 sum of the first and the last round key   X6 last round key
//
// CBCCHAIN encrypts CX bytes, at least one block, from the iv in X0 on. It leaves
// the state before the last round of the last block, DI at that block, SI behind
// it, and has written all others.
#define CBCCHAIN \
	MOVOU (DX), X3     \
	MOVOU SLOT(14), X6 \
	MOVOU (SI), X2     \
	PXOR  X2, X0       \
	PXOR  X3, X0       \
	PXOR  X6, X3       \
block: \
	ROUNDS(ROUND1, AESENC, chain192, chain128) \
	ADDL  $16, SI      \
	SUBL  $16, CX      \
	JE    last         \
	MOVOU (SI), X2     \
	PXOR  X3, X2       \
	MOVOA X0, X1       \
	AESENCLAST X6, X1  \
	AESENCLAST X2, X0  \
	MOVOU X1, (DI)     \
	ADDL  $16, DI      \
	JMP   block        \
last:

// func CBCEncAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)
TEXT ·CBCEncAESNI(SB), NOSPLIT, $0-24
	ARGS
	MOVL  blocks+16(FP), CX
	MOVL  iv+20(FP), BP
	SHLL  $4, CX
	JE    done
	MOVOU (BP), X0
	CBCCHAIN
	AESENCLAST X6, X0
	MOVOU X0, (DI)
	MOVOU X0, (BP)
done:
	RET

// Ciphertext stealing moves the bytes of a block by a distance that only the
// length decides. PSHUFB does it with 16 bytes cut out of the row "moves": an
// index with the top bit set gives 0. Cut at n it moves bytes up, the first n of
// them to the end; cut at 32-n it moves bytes down, the last n of them to the
// front. The row "upper", cut at 16-n, selects all bytes but the first n.
DATA moves<>+0(SB)/8, $0x8080808080808080
DATA moves<>+8(SB)/8, $0x8080808080808080
DATA moves<>+16(SB)/8, $0x0706050403020100
DATA moves<>+24(SB)/8, $0x0f0e0d0c0b0a0908
DATA moves<>+32(SB)/8, $0x8080808080808080
DATA moves<>+40(SB)/8, $0x8080808080808080
GLOBL moves<>(SB), RODATA|NOPTR, $48

DATA upper<>+0(SB)/8, $0x0000000000000000
DATA upper<>+8(SB)/8, $0x0000000000000000
DATA upper<>+16(SB)/8, $0xffffffffffffffff
DATA upper<>+24(SB)/8, $0xffffffffffffffff
GLOBL upper<>(SB), RODATA|NOPTR, $32

// The message ends with two blocks: the last part, filled up with zeros, is one
// more block of the chain, and the ciphertext block before it is cut to the last
// part's length. They are written the other way round, the cut block first and
// right-aligned, so that the whole block covers what does not belong to it.
//
//	X4 last part   X5 shuffle of the cut block   BP length of the last part
//
// func CTSEncAESNI(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
TEXT ·CTSEncAESNI(SB), NOSPLIT, $0-24
	ARGS
	MOVL  iv+20(FP), BP
	MOVOU (BP), X0
	MOVL  n+16(FP), CX
	LEAL  -1(CX), BP
	ANDL  $15, BP
	INCL  BP

	// The last part, moved down to the front, before dst is written to.
	MOVOU  -16(SI)(CX*1), X4
	SUBL   BP, CX
	LEAL   moves<>(SB), SI
	MOVOU  (SI)(BP*1), X5
	NEGL   BP
	MOVOU  32(SI)(BP*1), X1
	NEGL   BP
	PSHUFB X1, X4
	MOVL   src+12(FP), SI
	CBCCHAIN

	PXOR       X3, X4
	MOVOA      X0, X1
	AESENCLAST X6, X1
	AESENCLAST X4, X0

	// The cut block.
	PSHUFB X5, X1
	MOVOU  X1, (DI)(BP*1)
	ROUNDS(ROUND1, AESENC, final192, final128)
	AESENCLAST X6, X0
	MOVOU      X0, (DI)
	RET

// The inverse. The whole block of the two is decrypted first: it gives the last
// plaintext part plus the cut block, and behind that what was cut off. Both
// blocks are finished before the others; their chain is long, and the processor
// works on the others beside it.
//
//	X0 state   X1 result   X2 block before   X3 mask   X4 last part   X5 shuffle   BP n, length of the last part
//
// func CTSDecAESNI(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
TEXT ·CTSDecAESNI(SB), NOSPLIT, $32-24
	ARGS
	MOVL  iv+20(FP), BP
	MOVOU (BP), X2
	MOVOU X2, previous-16(SP)
	MOVL  n+16(FP), CX
	MOVOU -16(SI)(CX*1), X4
	LEAL  -1(CX), BP
	ANDL  $15, BP
	INCL  BP

	// CX is the offset of the two blocks.
	SUBL  BP, CX
	SUBL  $16, CX
	MOVOU (DX), X7
	MOVOU (SI)(CX*1), X0
	PXOR  X7, X0
	TESTL CX, CX
	JE    alone
	MOVOU -16(SI)(CX*1), X2

alone:
	LEAL   moves<>(SB), SI
	MOVOU  (SI)(BP*1), X5
	NEGL   BP
	MOVOU  32(SI)(BP*1), X1
	PSHUFB X1, X4
	LEAL   upper<>(SB), SI
	MOVOU  16(SI)(BP*1), X3
	MOVL   src+12(FP), SI
	MOVL   n+16(FP), BP

	ROUNDS(ROUND1, AESDEC, first192, first128)
	MOVOU      SLOT(14), X7
	AESDECLAST X7, X0
	MOVOA      X0, X1
	PXOR       X4, X1

	// The cut block with its end, and the last round key with the block before.
	PXOR  X7, X2
	PAND  X3, X0
	PXOR  X4, X0
	MOVOU (DX), X7
	PXOR  X7, X0

	// The last plaintext part, right-aligned; the other block covers what does
	// not belong to it.
	PSHUFB X5, X1
	MOVOU  X1, -16(DI)(BP*1)
	ROUNDS(ROUND1, AESDEC, second192, second128)
	AESDECLAST X2, X0
	MOVOU      X0, (DI)(CX*1)

	CBCDEC
	RET

// The key expansion. SubWord is AESENCLAST on a register that holds the word
// four times over: ShiftRows then has no effect, and the round constant goes in
// as the round key. RotWord is part of the shuffle that spreads the word.
//
//	AX encryption's round keys   DI decryption's   SI key   BX rounds   CX, DX addresses
//	X0, X1 words of the key   X2, X3 scratch   X4 round constant   X6 shuffle   X7 zero

DATA rotated3<>+0(SB)/8, $0x0c0f0e0d0c0f0e0d
DATA rotated3<>+8(SB)/8, $0x0c0f0e0d0c0f0e0d
GLOBL rotated3<>(SB), RODATA|NOPTR, $16

DATA rotated1<>+0(SB)/8, $0x0407060504070605
DATA rotated1<>+8(SB)/8, $0x0407060504070605
GLOBL rotated1<>(SB), RODATA|NOPTR, $16

DATA one<>+0(SB)/8, $0x0000000100000001
DATA one<>+8(SB)/8, $0x0000000100000001
GLOBL one<>(SB), RODATA|NOPTR, $16

DATA rcon9<>+0(SB)/8, $0x0000001b0000001b
DATA rcon9<>+8(SB)/8, $0x0000001b0000001b
GLOBL rcon9<>(SB), RODATA|NOPTR, $16

// Makes X3 the SubWord of a word of x, spread by X6, with key added.
#define SUBWORD(x, key) \
	MOVOA      x, X3  \
	PSHUFB     X6, X3 \
	AESENCLAST key, X3

// Replaces each word of x by the sum of it and those before it, and adds X3 to
// all.
#define PREFIX(x) \
	MOVOA  x, X2  \
	PSLLO  $4, X2 \
	PXOR   X2, x  \
	MOVOA  x, X2  \
	PSLLO  $8, X2 \
	PXOR   X2, x  \
	PXOR   X3, x

#define STEP128(i) \
	SUBWORD(X0, X4) \
	PREFIX(X0)      \
	MOVOU X0, (16*i)(CX) \
	PSLLL $1, X4

#define STEP192(i) \
	SUBWORD(X1, X4)  \
	PREFIX(X0)       \
	MOVOU  X0, (24*i)(CX) \
	MOVOA  X1, X2    \
	PSLLO  $4, X2    \
	PXOR   X2, X1    \
	PSHUFL $0xff, X0, X2  \
	PXOR   X2, X1    \
	MOVQ   X1, (24*i+16)(CX) \
	PSLLL  $1, X4

#define STEP256(i) \
	SUBWORD(X1, X4)   \
	PREFIX(X0)        \
	MOVOU  X0, (32*i)(CX) \
	PSHUFL $0xff, X0, X3  \
	AESENCLAST X7, X3 \
	PREFIX(X1)        \
	MOVOU  X1, (32*i+16)(CX) \
	PSLLL  $1, X4

// func ExpandKeyAESNI(key *byte, rounds int, enc, dec *[240]byte)
TEXT ·ExpandKeyAESNI(SB), NOSPLIT, $0-16
	MOVL  key+0(FP), SI
	MOVL  rounds+4(FP), BX
	MOVL  enc+8(FP), AX
	MOVL  dec+12(FP), DI
	MOVL  $14, CX
	SUBL  BX, CX
	SHLL  $4, CX
	ADDL  CX, DI
	ADDL  AX, CX
	MOVOU one<>(SB), X4
	PXOR  X7, X7
	MOVOU (SI), X0
	MOVOU X0, (CX)
	MOVOU rotated3<>(SB), X6
	CMPL  BX, $12
	JE    aes192
	JA    aes256

	STEP128(1)
	STEP128(2)
	STEP128(3)
	STEP128(4)
	STEP128(5)
	STEP128(6)
	STEP128(7)
	STEP128(8)
	MOVOU rcon9<>(SB), X4
	STEP128(9)
	STEP128(10)
	JMP   inverse

	// Six words a step: four in X0, two in the lower half of X1.
aes192:
	MOVOU rotated1<>(SB), X6
	MOVQ  16(SI), X1
	MOVQ  X1, 16(CX)
	STEP192(1)
	STEP192(2)
	STEP192(3)
	STEP192(4)
	STEP192(5)
	STEP192(6)
	STEP192(7)
	SUBWORD(X1, X4)
	PREFIX(X0)
	MOVOU X0, 192(CX)
	JMP   inverse

	// Four words a step, by turns with RotWord and a round constant, and without.
aes256:
	MOVOU 16(SI), X1
	MOVOU X1, 16(CX)
	STEP256(1)
	STEP256(2)
	STEP256(3)
	STEP256(4)
	STEP256(5)
	STEP256(6)
	SUBWORD(X1, X4)
	PREFIX(X0)
	MOVOU X0, 224(CX)

	// The equivalent inverse cipher takes the round keys in reverse, all but the
	// first and the last through InvMixColumns.
inverse:
	LEAL  224(AX), DX
	MOVOU (DX), X0
	MOVOU X0, (DI)
	DECL  BX

middle:
	SUBL   $16, DX
	ADDL   $16, DI
	MOVOU  (DX), X0
	AESIMC X0, X0
	MOVOU  X0, (DI)
	DECL   BX
	JNE    middle
	MOVOU  -16(DX), X0
	MOVOU  X0, 16(DI)
	RET
