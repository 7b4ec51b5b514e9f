//go:build !purego

#include "textflag.h"

// The BLAKE2s compression function for 32-bit Arm; see Compress.
//
// The same code serves GOARM 5, 6 and 7: it has no instruction of ARMv6 or
// later, and every load and store of a word is aligned. A message that is not
// is read byte by byte.
//
// Rotations cost nothing: the second operand of ADD and EOR can be rotated. So a
// word of row b stays 7 bits short of its rotation from one step to the next,
// and a word of row d 8 bits (Linux has done so since 5.11).
//
// Twelve of the sixteen words of the state are in registers, the four others in
// the frame, and each half of a round exchanges four words once:
//
//	v0 v5 v10 v15  and  v1 v6 v11 v12   need  v6 v10 v11 v15
//	v2 v6 v10 v14  and  v3 v7 v11 v15   need the same
//	v0 v4 v8  v12  and  v1 v5 v9  v13   need  v4 v8  v9  v13
//	v2 v7 v8  v13  and  v3 v4 v9  v14   need the same
//
// Taken in the order 3, 2, 1, 4 of this list, two pairs in a row share what they
// need, and one STM with one LDM replaces it for the next two.
//
// R10 is g and R13 the stack pointer: neither is named here. R11 is the
// assembler's temporary: no instruction below makes it expand anything.

#define V0  R0
#define V1  R1
#define V2  R2
#define V3  R3
#define V46 R4 // v4 or v6
#define V5  R5
#define V7  R6
#define V8A R7 // v8 or v10
#define V9B R8 // v9 or v11
#define VDF R9 // v13 or v15
#define V12 R11
#define V14 R12
#define T   R14 // a message word or an address

// The frame, in ascending order:
//
//	first  h6, iv2, iv3, iv7: v6, v10, v11, v15 at the start of a block
//	even   v4, v8, v9, v13 while they are not in registers
//	odd    v6, v10, v11, v15 likewise
//	msg    the message block
//	start  h0 to h5, h7, iv0, iv1, iv5^hi, iv4, iv6^last: what the registers
//	       hold at the start of a block
//
// The arguments' words are changed: counter_lo and p go with the blocks, and n
// becomes the end of the message.
#define FIRST first-160(SP)
#define EVEN  even-144(SP)
#define ODD   odd-128(SP)
#define MSG   msg-112(SP)
#define START start-48(SP)
#define MWORD(i) msg-(112-4*i)(SP)

// PAIR does G twice, on a, b, c, d and e, f, g, h, whose steps alternate so that
// neither waits for the other. The message words are x, y and z, w. rb and rd
// are the rotations that rows b and d are short of.
#define PAIR(a, b, c, d, e, f, g, h, x, y, z, w, rb, rd) \
	MOVW MWORD(x), T    \
	ADD  b rb, a       \
	ADD  f rb, e       \
	ADD  T, a          \
	MOVW MWORD(z), T    \
	EOR  d rd, a, d    \
	ADD  d@>16, c      \
	ADD  T, e          \
	MOVW MWORD(y), T    \
	EOR  h rd, e, h    \
	EOR  b rb, c, b    \
	ADD  h@>16, g      \
	ADD  b@>12, a      \
	EOR  f rb, g, f    \
	ADD  T, a          \
	MOVW MWORD(w), T    \
	EOR  d@>16, a, d   \
	ADD  f@>12, e      \
	ADD  d@>8, c       \
	ADD  T, e          \
	EOR  b@>12, c, b   \
	EOR  h@>16, e, h   \
	ADD  h@>8, g       \
	EOR  f@>12, g, f

// TO_ODD puts the even words away and takes the odd ones, TO_EVEN the reverse,
// TO_FIRST is TO_ODD in the first round.
#define TO_ODD \
	MOVW    $ODD, T               \
	MOVM.DB [V46,V8A,V9B,VDF], (T) \
	MOVM.IA (T), [V46,V8A,V9B,VDF]

#define TO_EVEN \
	MOVW    $ODD, T               \
	MOVM.IA [V46,V8A,V9B,VDF], (T) \
	MOVM.DB (T), [V46,V8A,V9B,VDF]

#define TO_FIRST \
	MOVW    $EVEN, T              \
	MOVM.IA [V46,V8A,V9B,VDF], (T) \
	MOVM.DB (T), [V46,V8A,V9B,VDF]

// ROUND takes the message words in the order of sigma.
#define ROUND(rb, rd, swap, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
	PAIR(V0, V46, V8A, V12, V1, V5, V9B, VDF, s0, s1, s2, s3, rb, rd)         \
	swap                                                                      \
	PAIR(V2, V46, V8A, V14, V3, V7, V9B, VDF, s4, s5, s6, s7, rb, rd)         \
	PAIR(V0, V5, V8A, VDF, V1, V46, V9B, V12, s8, s9, s10, s11, @>7, @>8)     \
	TO_EVEN                                                                   \
	PAIR(V2, V7, V8A, VDF, V3, V46, V9B, V14, s12, s13, s14, s15, @>7, @>8)

// COPY reads a word whose address need not be aligned and stores it to the next
// word at T.
#define COPY \
	MOVBU.P 4(R12), R0  \
	MOVBU   -3(R12), R1 \
	MOVBU   -2(R12), R2 \
	MOVBU   -1(R12), R3 \
	ORR     R1<<8, R0   \
	ORR     R2<<16, R0  \
	ORR     R3<<24, R0  \
	MOVW.P  R0, 4(T)

// func Compress(h *[8]uint32, counter uint64, last uint32, p *byte, n int)
//
// Equals compressGeneric of package blake2s. It needs a little-endian ARMv4 or
// later. Source: RFC 7693.
TEXT ·Compress(SB), NOSPLIT, $160-24
	B setup

block:
	MOVW $MSG, T
	TST  $3, R12
	BNE  unaligned
	MOVM.IA.W (R12), [R0-R7]
	MOVM.IA.W [R0-R7], (T)
	MOVM.IA.W (R12), [R0-R7]
	MOVM.IA.W [R0-R7], (T)

copied:
	// T is at start now.
	MOVW    R12, p+16(FP)
	MOVM.IA (T), [V0,V1,V2,V3,V46,V5,V7,V8A,V9B,VDF,V12,V14]
	MOVW    counter_lo+4(FP), T
	ADD.S   $64, T
	MOVW    T, counter_lo+4(FP)
	EOR     T, V12
	BCS     carry

carried:
	ROUND(<<0, <<0, TO_FIRST, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	ROUND(@>7, @>8, TO_ODD, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3)
	ROUND(@>7, @>8, TO_ODD, 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4)
	ROUND(@>7, @>8, TO_ODD, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8)
	ROUND(@>7, @>8, TO_ODD, 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13)
	ROUND(@>7, @>8, TO_ODD, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9)
	ROUND(@>7, @>8, TO_ODD, 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11)
	ROUND(@>7, @>8, TO_ODD, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10)
	ROUND(@>7, @>8, TO_ODD, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5)
	ROUND(@>7, @>8, TO_ODD, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0)

	// v ^= the other half of v. Row b is 7 bits short of its rotation and row d
	// 8, so row d turns by the one bit that it is behind.
	EOR     V8A, V0
	EOR     V9B, V1
	EOR     V12@>1, V46
	EOR     VDF@>1, V5
	MOVW    $ODD, T
	MOVM.IA (T), [R7,R8,R9,R11] // v6, v10, v11, v15
	EOR     R8, V2
	EOR     R9, V3
	EOR     R11@>1, V7
	EOR     V14@>1, R7

	// h ^= v, and back to the frame for the next block.
	MOVW      $START, T
	MOVM.IA.W (T), [R8,R9,R11,R12] // h0, h1, h2, h3
	EOR       R8, V0
	EOR       R9, V1
	EOR       R11, V2
	EOR       R12, V3
	MOVM.IA.W (T), [R8,R9,R11] // h4, h5, h7
	MOVW      FIRST, R12 // h6
	EOR       V46@>7, R8, V46
	EOR       V5@>7, R9, V5
	EOR       V7@>7, R11, V7
	EOR       R7@>7, R12, R7
	MOVM.DB   [V0,V1,V2,V3,V46,V5,V7], (T)
	MOVW      R7, FIRST

	MOVW p+16(FP), R12
	MOVW n+20(FP), T
	CMP  T, R12
	BNE  block

	MOVW      h+0(FP), T
	MOVM.IA.W [V0,V1,V2,V3,V46,V5], (T)
	MOVW      R7, 0(T)
	MOVW      V7, 4(T)
	RET

unaligned:
	COPY; COPY; COPY; COPY
	COPY; COPY; COPY; COPY
	COPY; COPY; COPY; COPY
	COPY; COPY; COPY; COPY
	B copied

	// The lower word of the counter has wrapped: the upper one is in VDF, under
	// iv5, and from now on also in start.
carry:
	MOVW $0x9b05688c, T
	EOR  T, VDF
	ADD  $1, VDF
	EOR  T, VDF
	MOVW VDF, start-(48-4*9)(SP)
	B    carried

setup:
	MOVW      $iv<>(SB), T
	MOVM.IA.W (T), [V8A,V9B,VDF,V12,V14]
	MOVM.IA   (T), [R1,R2,R3]
	MOVW      h+0(FP), T
	MOVW      24(T), R0
	MOVW      $FIRST, T
	MOVM.IA   [R0,R1,R2,R3], (T)
	MOVW      counter_hi+8(FP), R0
	EOR       R0, VDF
	MOVW      last+12(FP), R0
	EOR       R0, V14
	MOVW      h+0(FP), T
	MOVM.IA   (T), [V0,V1,V2,V3,V46,V5]
	MOVW      28(T), V7
	MOVW      $START, T
	MOVM.IA   [V0,V1,V2,V3,V46,V5,V7,V8A,V9B,VDF,V12,V14], (T)
	MOVW      p+16(FP), R12
	MOVW      n+20(FP), R0
	ADD       R0<<6, R12, R0
	MOVW      R0, n+20(FP)
	B         block

// The iv in the order of the registers: 0, 1, 5, 4, 6; then 2, 3, 7.
DATA iv<>+0(SB)/4, $0x6a09e667
DATA iv<>+4(SB)/4, $0xbb67ae85
DATA iv<>+8(SB)/4, $0x9b05688c
DATA iv<>+12(SB)/4, $0x510e527f
DATA iv<>+16(SB)/4, $0x1f83d9ab
DATA iv<>+20(SB)/4, $0x3c6ef372
DATA iv<>+24(SB)/4, $0xa54ff53a
DATA iv<>+28(SB)/4, $0x5be0cd19
GLOBL iv<>(SB), RODATA|NOPTR, $32
