//go:build !purego

// AES with FEAT_AES: FIPS 197; the modes are NIST SP 800-38A's and its
// addendum's, and IEEE Std 1619-2018's.
//
// AESE adds a round key and then does SubBytes and ShiftRows, AESMC does
// MixColumns: together a round, whose key is the one of the round before in FIPS
// 197. AESD and AESIMC are the same of the equivalent inverse cipher. The two of
// a round stand together, since processors join them.
//
// Registers that all routines share:
//	R0 schedule   R1 dst   R2 src   R3 blocks or bytes left   R4 iv   R6 rounds
//	V0-V7 blocks in flight   V17-V31 slots 0-14 of the schedule

#include "textflag.h"

// SSHR Vd.2D, Vn.2D, #63: all bits of each half become its top bit. Go's
// assembler lacks it; the registers are given by their numbers.
#define SIGNS(n, d) WORD $(0x4F410400 | (n)<<5 | (d))

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
GLOBL double<>(SB), RODATA|NOPTR, $32

#define LOADKEYS(rk) \
	VLD1.P	64(rk), [V17.B16, V18.B16, V19.B16, V20.B16]; \
	VLD1.P	64(rk), [V21.B16, V22.B16, V23.B16, V24.B16]; \
	VLD1.P	64(rk), [V25.B16, V26.B16, V27.B16, V28.B16]; \
	VLD1	(rk), [V29.B16, V30.B16, V31.B16]

#define XOR(a, b) VEOR a.B16, b.B16, b.B16

// A round on one, four and eight blocks. op and mc are AESE and AESMC, or AESD
// and AESIMC.
#define ROUND(op, mc, k, v) \
	op	k.B16, v.B16; \
	mc	v.B16, v.B16

#define ROUND1(op, mc, k) ROUND(op, mc, k, V0)

#define ROUND4(op, mc, k) \
	ROUND(op, mc, k, V0); \
	ROUND(op, mc, k, V1); \
	ROUND(op, mc, k, V2); \
	ROUND(op, mc, k, V3)

#define ROUND8(op, mc, k) \
	ROUND4(op, mc, k); \
	ROUND(op, mc, k, V4); \
	ROUND(op, mc, k, V5); \
	ROUND(op, mc, k, V6); \
	ROUND(op, mc, k, V7)

// ROUNDS is all rounds but the last one.
#define ROUNDS(round, op, mc, r12, r10) \
	CMP	$12, R6; \
	BLT	r10; \
	BEQ	r12; \
	round(op, mc, V17); \
	round(op, mc, V18); \
r12: \
	round(op, mc, V19); \
	round(op, mc, V20); \
r10: \
	round(op, mc, V21); \
	round(op, mc, V22); \
	round(op, mc, V23); \
	round(op, mc, V24); \
	round(op, mc, V25); \
	round(op, mc, V26); \
	round(op, mc, V27); \
	round(op, mc, V28); \
	round(op, mc, V29)

// CRYPT1 is the cipher on the block in V0, CRYPT4 on those in V0-V3, CRYPT8 on
// those in V0-V7.
#define CRYPT1(op, mc, r12, r10) \
	ROUNDS(ROUND1, op, mc, r12, r10); \
	op	V30.B16, V0.B16; \
	XOR(V31, V0)

#define LAST4(op) \
	op	V30.B16, V0.B16; \
	op	V30.B16, V1.B16; \
	op	V30.B16, V2.B16; \
	op	V30.B16, V3.B16; \
	XOR(V31, V0); \
	XOR(V31, V1); \
	XOR(V31, V2); \
	XOR(V31, V3)

#define CRYPT4(op, mc, r12, r10) \
	ROUNDS(ROUND4, op, mc, r12, r10); \
	LAST4(op)

#define CRYPT8(op, mc, r12, r10) \
	ROUNDS(ROUND8, op, mc, r12, r10); \
	LAST4(op); \
	op	V30.B16, V4.B16; \
	op	V30.B16, V5.B16; \
	op	V30.B16, V6.B16; \
	op	V30.B16, V7.B16; \
	XOR(V31, V4); \
	XOR(V31, V5); \
	XOR(V31, V6); \
	XOR(V31, V7)

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

#define STORE4 VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R1)
#define STORE8 \
	STORE4; \
	VST1.P	[V4.B16, V5.B16, V6.B16, V7.B16], 64(R1)

// SUBWORD is RotWord, if the rotation is 8, and SubWord of the word w, into t:
// AESE with a zero key, V1, on four copies, which ShiftRows leaves as they are.
#define SUBWORD(rotation, w, t) \
	RORW	$rotation, w, t; \
	VDUP	t, V0.S4; \
	AESE	V1.B16, V0.B16; \
	VMOV	V0.S[0], t

// NEXT makes the next four words of a schedule: t, which has gone through
// SubWord, is added to the first one and each one to the one behind.
#define NEXT(t, a, b, c, d) \
	EORW	t, a, a; \
	EORW	a, b, b; \
	EORW	b, c, c; \
	EORW	c, d, d

// RCON adds the round constant to R15 and goes on to the next one.
#define RCON \
	EORW	R14, R15, R15; \
	LSLW	$1, R14, R14; \
	TSTW	$0x100, R14; \
	EORW	R14, R17, R19; \
	CSELW	NE, R19, R14, R14

// func ExpandKeyCE(key *byte, rounds int, enc, dec *[240]byte)
//
// Go function: the key expansion of crypto/aes. Registers: R0 key, R1 enc, R2
// dec, R5 iterations, R6 rounds, R7-R13 and R4 words, R14 round constant, R15
// SubWord, R16 enc's first slot, R17 0x11b, R19 scratch. Source: FIPS 197 sections 5.2 and 5.3.5.
TEXT ·ExpandKeyCE(SB), NOSPLIT, $0-32
	MOVD	key+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	enc+16(FP), R1
	MOVD	dec+24(FP), R2
	VEOR	V1.B16, V1.B16, V1.B16
	// Slot 14-rounds.
	MOVD	$14, R3
	SUB	R6, R3
	ADD	R3<<4, R1, R1
	ADD	R3<<4, R2, R2
	MOVD	R1, R16
	MOVD	$1, R14
	MOVD	$0x11b, R17
	LDPW	(R0), (R7, R8)
	LDPW	8(R0), (R9, R10)
	STPW	(R7, R8), (R1)
	STPW	(R9, R10), 8(R1)
	ADD	$16, R1
	CMP	$12, R6
	BEQ	key192
	BGT	key256

	MOVD	$10, R5
loop128:
	SUBWORD(8, R10, R15)
	RCON
	NEXT(R15, R7, R8, R9, R10)
	STPW	(R7, R8), (R1)
	STPW	(R9, R10), 8(R1)
	ADD	$16, R1
	SUBS	$1, R5
	BNE	loop128
	B	inverse

key192:
	LDPW	16(R0), (R11, R12)
	STPW	(R11, R12), (R1)
	ADD	$8, R1
	MOVD	$8, R5
loop192:
	SUBWORD(8, R12, R15)
	RCON
	NEXT(R15, R7, R8, R9, R10)
	STPW	(R7, R8), (R1)
	STPW	(R9, R10), 8(R1)
	SUBS	$1, R5
	BEQ	inverse
	EORW	R10, R11, R11
	EORW	R11, R12, R12
	STPW	(R11, R12), 16(R1)
	ADD	$24, R1
	B	loop192

key256:
	LDPW	16(R0), (R11, R12)
	LDPW	24(R0), (R13, R4)
	STPW	(R11, R12), (R1)
	STPW	(R13, R4), 8(R1)
	ADD	$16, R1
	MOVD	$7, R5
loop256:
	SUBWORD(8, R4, R15)
	RCON
	NEXT(R15, R7, R8, R9, R10)
	STPW	(R7, R8), (R1)
	STPW	(R9, R10), 8(R1)
	SUBS	$1, R5
	BEQ	inverse
	SUBWORD(0, R10, R15)
	NEXT(R15, R11, R12, R13, R4)
	STPW	(R11, R12), 16(R1)
	STPW	(R13, R4), 24(R1)
	ADD	$32, R1
	B	loop256

	// The round keys in reverse order, all but the outer two through
	// InvMixColumns.
inverse:
	ADD	R6<<4, R2, R2
	VLD1.P	16(R16), [V0.B16]
	VST1	[V0.B16], (R2)
	SUB	$1, R6
middle:
	SUB	$16, R2
	VLD1.P	16(R16), [V0.B16]
	AESIMC	V0.B16, V0.B16
	VST1	[V0.B16], (R2)
	SUBS	$1, R6
	BNE	middle
	SUB	$16, R2
	VLD1	(R16), [V0.B16]
	VST1	[V0.B16], (R2)
	RET

#define ECB(op, mc) \
	LOADKEYS(R0); \
	SUBS	$8, R3; \
	BLT	four; \
eight: \
	LOAD8; \
	CRYPT8(op, mc, eight12, eight10); \
	STORE8; \
	SUBS	$8, R3; \
	BGE	eight; \
four: \
	TBZ	$2, R3, last; \
	LOAD4; \
	CRYPT4(op, mc, four12, four10); \
	STORE4; \
last: \
	ANDS	$3, R3; \
	BEQ	done; \
one: \
	VLD1.P	16(R2), [V0.B16]; \
	CRYPT1(op, mc, one12, one10); \
	VST1.P	[V0.B16], 16(R1); \
	SUBS	$1, R3; \
	BNE	one; \
done: \
	RET

// func ECBEncCE(rk *[240]byte, rounds int, dst, src *byte, n int)
//
// Go function: Block.Encrypt of crypto/aes on each block. n ≥ 1 blocks, any
// alignment, dst is src or apart from it. Source: NIST SP 800-38A section 6.1.
TEXT ·ECBEncCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	ECB(AESE, AESMC)

// func ECBDecCE(rk *[240]byte, rounds int, dst, src *byte, n int)
//
// Go function: Block.Decrypt of crypto/aes on each block. Else as ECBEncCE.
TEXT ·ECBDecCE(SB), NOSPLIT, $0-40
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	ECB(AESD, AESIMC)

// CBCENC encrypts the R3 blocks, at least one, at R2. V0 is the ciphertext block
// before less the last round key, V2 that block. The key is added to the
// plaintext instead, while the block before is still on its way.
#define CBCENC(loop, r12, r10) \
loop: \
	VLD1.P	16(R2), [V1.B16]; \
	XOR(V31, V1); \
	XOR(V1, V0); \
	ROUNDS(ROUND1, AESE, AESMC, r12, r10); \
	AESE	V30.B16, V0.B16; \
	VEOR	V0.B16, V31.B16, V2.B16; \
	VST1.P	[V2.B16], 16(R1); \
	SUBS	$1, R3; \
	BNE	loop

// func CBCEncCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Registers: see CBCENC. Source: NIST SP 800-38A section 6.2.
TEXT ·CBCEncCE(SB), NOSPLIT, $0-48
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	iv+40(FP), R4
	LOADKEYS(R0)
	VLD1	(R4), [V0.B16]
	XOR(V31, V0)
	CBCENC(loop, r12, r10)
	VST1	[V2.B16], (R4)
	RET

// CBCDEC decrypts the R3 blocks at R2, which may be none. V16 is the chain: the
// ciphertext block before. V8-V15 keep the ciphertext.
#define CBCDEC(eight, eight12, eight10, four, four12, four10, last, one, one12, one10, done) \
	SUBS	$8, R3; \
	BLT	four; \
eight: \
	VLD1	(R2), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	LOAD4; \
	VLD1	(R2), [V12.B16, V13.B16, V14.B16, V15.B16]; \
	VLD1.P	64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	CRYPT8(AESD, AESIMC, eight12, eight10); \
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
	VLD1	(R2), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	LOAD4; \
	CRYPT4(AESD, AESIMC, four12, four10); \
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
	VMOV	V8.B16, V0.B16; \
	CRYPT1(AESD, AESIMC, one12, one10); \
	XOR(V16, V0); \
	VMOV	V8.B16, V16.B16; \
	VST1.P	[V0.B16], 16(R1); \
	SUBS	$1, R3; \
	BNE	one; \
done:

// func CBCDecCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptCBC. n ≥ 1 blocks, any alignment, dst is src or
// apart from it. Registers: see CBCDEC. Source: NIST SP 800-38A section 6.2.
TEXT ·CBCDecCE(SB), NOSPLIT, $0-48
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	iv+40(FP), R4
	LOADKEYS(R0)
	VLD1	(R4), [V16.B16]
	CBCDEC(eight, eight12, eight10, four, four12, four10, last, one, one12, one10, done)
	VST1	[V16.B16], (R4)
	RET

// STEALTABLES loads what moves the last t bytes of a vector to its beginning
// into last, and what moves the first t bytes to its end into first.
#define STEALTABLES(t, last, first) \
	MOVD	$permute<>(SB), R10; \
	ADD	t, R10, R11; \
	VLD1	(R11), [first.B16]; \
	ADD	$32, R10, R10; \
	SUB	t, R10, R10; \
	VLD1	(R10), [last.B16]

// CTSLENGTHS splits the R3 bytes, at least 17, into R3 blocks before the last
// two and a last one of R9 bytes, 1 to 16, and sets R7 and R8 to the last 16
// bytes of src and dst.
#define CTSLENGTHS \
	SUB	$1, R3, R9; \
	AND	$15, R9, R9; \
	ADD	$1, R9, R9; \
	SUB	$16, R3, R7; \
	ADD	R1, R7, R8; \
	ADD	R2, R7, R7; \
	SUB	$17, R3, R3; \
	LSR	$4, R3, R3

// func CTSEncCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptCTS with CS3. n ≥ 17 bytes, any alignment, dst is
// src or apart from it. Registers: see CBCENC and CTSLENGTHS; V12 and V13 the
// tables of STEALTABLES, V14 the last bytes of src. Source: addendum to NIST SP
// 800-38A, CBC-CS3.
TEXT ·CTSEncCE(SB), NOSPLIT, $0-48
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	iv+40(FP), R4
	LOADKEYS(R0)
	VLD1	(R4), [V0.B16]
	XOR(V31, V0)
	CTSLENGTHS
	STEALTABLES(R9, V12, V13)
	VLD1	(R7), [V14.B16]
	VTBL	V12.B16, [V14.B16], V14.B16
	CBZ	R3, last
	CBCENC(loop, r12, r10)
last:
	// The block before the last: its ciphertext, cut short, is the end.
	MOVD	$1, R3
	MOVD	R1, R10
	CBCENC(before, before12, before10)
	VTBL	V13.B16, [V2.B16], V1.B16
	VEOR	V2.B16, V14.B16, V0.B16
	CRYPT1(AESE, AESMC, last12, last10)
	VST1	[V1.B16], (R8)
	VST1	[V0.B16], (R10)
	RET

// func CTSDecCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptCTS with CS3. n ≥ 17 bytes, any alignment, dst is
// src or apart from it. Registers: see CBCDEC and CTSLENGTHS; V12 and V13 the
// tables of STEALTABLES, V14 the last 16 bytes of src. Source: addendum to NIST
// SP 800-38A, CBC-CS3.
TEXT ·CTSDecCE(SB), NOSPLIT, $0-48
	MOVD	rk+0(FP), R0
	MOVD	rounds+8(FP), R6
	MOVD	dst+16(FP), R1
	MOVD	src+24(FP), R2
	MOVD	n+32(FP), R3
	MOVD	iv+40(FP), R4
	LOADKEYS(R0)
	VLD1	(R4), [V16.B16]
	CTSLENGTHS
	CBCDEC(eight, eight12, eight10, four, four12, four10, last, one, one12, one10, done)
	STEALTABLES(R9, V12, V13)
	VLD1	(R7), [V14.B16]
	VLD1	(R2), [V0.B16]
	CRYPT1(AESD, AESIMC, first12, first10)
	// V0 is the last plaintext block, filled up with zeros, plus the block of
	// ciphertext that was cut short to V14's last bytes.
	VTBL	V12.B16, [V14.B16], V1.B16
	XOR(V0, V1)
	VTBL	V13.B16, [V1.B16], V1.B16
	VTBX	V12.B16, [V14.B16], V0.B16
	CRYPT1(AESD, AESIMC, second12, second10)
	XOR(V16, V0)
	VST1	[V1.B16], (R8)
	VST1	[V0.B16], (R1)
	RET

// DOUBLE multiplies the tweak a, which is V(n), by x into b: SIGNS finds the
// bits that leave its two halves, and each enters the other half, as 0x87 or 1.
// V1 has the two, V2 is scratch.
#define DOUBLE(n, a, b) \
	SIGNS(n, 2); \
	VAND	V2.B16, V1.B16, V2.B16; \
	VADD	a.D2, a.D2, b.D2; \
	VEXT	$8, V2.B16, V2.B16, V2.B16; \
	XOR(V2, b)

// STEP8 multiplies the tweak t by x^8, a byte: the bytes move up by one, and the
// last one leaves as its product with 0x87. The rotation has put it itself into
// byte 0, so that the product with 0x86, in V16, is what remains to add.
#define STEP8(t, tmp1, tmp2) \
	VEXT	$15, t.B16, t.B16, tmp1.B16; \
	VPMULL	tmp1.B8, V16.B8, tmp2.H8; \
	VEOR	tmp1.B16, tmp2.B16, t.B16

// XTSBEGIN encrypts the tweak at R4 with R7 unless it is nil, into V8.
#define XTSBEGIN(keys, r12, r10) \
	MOVD	$double<>(SB), R12; \
	VLD1	(R4), [V8.B16]; \
	CBZ	R7, keys; \
	MOVD	R7, R10; \
	LOADKEYS(R10); \
	VMOV	V8.B16, V0.B16; \
	CRYPT1(AESE, AESMC, r12, r10); \
	VMOV	V0.B16, V8.B16; \
keys: \
	LOADKEYS(R0)

// XTSEND hands back the tweak behind a unit that is to go on.
#define XTSEND(done) \
	CBNZ	R7, done; \
	CBNZ	R9, done; \
	VST1	[V8.B16], (R4); \
done: \
	RET

// func XTSEncCE(rk, tweak *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.EncryptXTS. n ≥ 16 bytes, any alignment, dst is src or apart
// from it. Registers: see xts_arm64.h. Source: IEEE Std 1619-2018 section 5.3.
TEXT ·XTSEncCE(SB), NOSPLIT, $0-56
	MOVD	rk+0(FP), R0
	MOVD	tweak+8(FP), R7
	MOVD	rounds+16(FP), R6
	MOVD	dst+24(FP), R1
	MOVD	src+32(FP), R2
	MOVD	n+40(FP), R8
	MOVD	iv+48(FP), R4
	XTSBEGIN(keys, tweak12, tweak10)
#define OP AESE
#define MC AESMC
#define BEFORE V8
#define LAST V9
#include "xts_arm64.h"
	XTSEND(done)

// UNITS begins the next eight data units, or those that are left: it leaves
// their encrypted tweaks in the frame, at R16 and R15, and their number in R14.
#define UNITS(r12, r10) \
	MOVD	R7, R10; \
	LOADKEYS(R10); \
	ADD	$1, R13, R10; \
	FMOVD	R13, F0; \
	FMOVD	R10, F1; \
	ADD	$2, R13, R10; \
	ADD	$3, R13, R11; \
	FMOVD	R10, F2; \
	FMOVD	R11, F3; \
	ADD	$4, R13, R10; \
	ADD	$5, R13, R11; \
	FMOVD	R10, F4; \
	FMOVD	R11, F5; \
	ADD	$6, R13, R10; \
	ADD	$7, R13, R11; \
	FMOVD	R10, F6; \
	FMOVD	R11, F7; \
	ADD	$8, R13; \
	CRYPT8(AESE, AESMC, r12, r10); \
	MOVD	R16, R15; \
	VST1.P	[V0.B16, V1.B16, V2.B16, V3.B16], 64(R15); \
	VST1	[V4.B16, V5.B16, V6.B16, V7.B16], (R15); \
	SUB	$64, R15; \
	MOVD	R0, R10; \
	LOADKEYS(R10); \
	MOVD	$8, R14; \
	CMP	R14, R3; \
	CSEL	LT, R3, R14, R14; \
	SUB	R14, R3

// func XTSEncUnitsCE(rk, tweak *[240]byte, rounds int, dst, src *byte, units, size int, first uint64)
//
// Go function: mode.EncryptXTSUnits. units ≥ 1, size ≥ 16 bytes, any alignment,
// dst is src or apart from it. Registers: see UNITS and xts_arm64.h; R5 size,
// R13 number. Source: IEEE Std 1619-2018 section 5.3.
TEXT ·XTSEncUnitsCE(SB), 0, $128-64
	MOVD	rk+0(FP), R0
	MOVD	tweak+8(FP), R7
	MOVD	rounds+16(FP), R6
	MOVD	dst+24(FP), R1
	MOVD	src+32(FP), R2
	MOVD	units+40(FP), R3
	MOVD	size+48(FP), R5
	MOVD	first+56(FP), R13
	MOVD	$double<>(SB), R12
	MOVD	$tweaks-128(SP), R16
units:
	UNITS(units12, units10)
unit:
	VLD1.P	16(R15), [V8.B16]
	MOVD	R5, R8
#include "xts_arm64.h"
	SUBS	$1, R14
	BNE	unit
	CBNZ	R3, units
	RET

#undef OP
#undef MC
#undef BEFORE
#undef LAST

// func XTSDecCE(rk, tweak *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
//
// Go function: mode.DecryptXTS. As XTSEncCE. Source: IEEE Std 1619-2018 section
// 5.4.
TEXT ·XTSDecCE(SB), NOSPLIT, $0-56
	MOVD	rk+0(FP), R0
	MOVD	tweak+8(FP), R7
	MOVD	rounds+16(FP), R6
	MOVD	dst+24(FP), R1
	MOVD	src+32(FP), R2
	MOVD	n+40(FP), R8
	MOVD	iv+48(FP), R4
	XTSBEGIN(keys, tweak12, tweak10)
#define OP AESD
#define MC AESIMC
#define BEFORE V9
#define LAST V8
#include "xts_arm64.h"
	XTSEND(done)

// func XTSDecUnitsCE(rk, tweak *[240]byte, rounds int, dst, src *byte, units, size int, first uint64)
//
// Go function: mode.DecryptXTSUnits. As XTSEncUnitsCE. Source: IEEE Std
// 1619-2018 section 5.4.
TEXT ·XTSDecUnitsCE(SB), 0, $128-64
	MOVD	rk+0(FP), R0
	MOVD	tweak+8(FP), R7
	MOVD	rounds+16(FP), R6
	MOVD	dst+24(FP), R1
	MOVD	src+32(FP), R2
	MOVD	units+40(FP), R3
	MOVD	size+48(FP), R5
	MOVD	first+56(FP), R13
	MOVD	$double<>(SB), R12
	MOVD	$tweaks-128(SP), R16
units:
	UNITS(units12, units10)
unit:
	VLD1.P	16(R15), [V8.B16]
	MOVD	R5, R8
#include "xts_arm64.h"
	SUBS	$1, R14
	BNE	unit
	CBNZ	R3, units
	RET
