// Four blocks, or one, with the words in the vectors V0-V3; with one block each
// lane has it. The file that includes this one defines ROUND, which may use V8
// on, and for its basis PREPARE, which loads its constants, and INTO and OUTOF,
// which take a vector into the basis and out of it.

#define REV4 \
	VREV32	V0.B16, V0.B16; \
	VREV32	V1.B16, V1.B16; \
	VREV32	V2.B16, V2.B16; \
	VREV32	V3.B16, V3.B16

#define INTO4 \
	INTO(V0); \
	INTO(V1); \
	INTO(V2); \
	INTO(V3)

#define OUTOF4 \
	OUTOF(V0); \
	OUTOF(V1); \
	OUTOF(V2); \
	OUTOF(V3)

// CRYPT is the cipher on V0-V3. The result's words are V3, V2, V1 and V0.
// Registers: R9 round keys, R10 rounds, V4-V7 four round keys.
#define CRYPT(four) \
	INTO4; \
	MOVD	R0, R9; \
	MOVD	$8, R10; \
four: \
	VLD4R.P	16(R9), [V4.S4, V5.S4, V6.S4, V7.S4]; \
	ROUND(V0, V1, V2, V3, V4); \
	ROUND(V1, V2, V3, V0, V5); \
	ROUND(V2, V3, V0, V1, V6); \
	ROUND(V3, V0, V1, V2, V7); \
	SUBS	$1, R10; \
	BNE	four; \
	OUTOF4

#define NARROW(four, plain) \
	PREPARE; \
	VLD4	(R2), [V0.S4, V1.S4, V2.S4, V3.S4]; \
	REV4; \
	CRYPT(four); \
	VREV32	V3.B16, V4.B16; \
	VREV32	V2.B16, V5.B16; \
	VREV32	V1.B16, V6.B16; \
	VREV32	V0.B16, V7.B16; \
	CBZ	R3, plain; \
	VLD4	(R3), [V8.S4, V9.S4, V10.S4, V11.S4]; \
	XOR(V8, V4); \
	XOR(V9, V5); \
	XOR(V10, V6); \
	XOR(V11, V7); \
plain: \
	VST4	[V4.S4, V5.S4, V6.S4, V7.S4], (R1); \
	RET

// SERIAL loads the words of the iv, at R4.
#define SERIAL \
	PREPARE; \
	VLD4R	(R4), [V0.S4, V1.S4, V2.S4, V3.S4]; \
	REV4

// TURN puts the words of a result in order.
#define TURN \
	VMOV	V0.B16, V8.B16; \
	VMOV	V1.B16, V9.B16; \
	VMOV	V3.B16, V0.B16; \
	VMOV	V2.B16, V1.B16; \
	VMOV	V9.B16, V2.B16; \
	VMOV	V8.B16, V3.B16

// MESSAGE adds the next block of src.
#define MESSAGE \
	VLD4R.P	16(R2), [V4.S4, V5.S4, V6.S4, V7.S4]; \
	VREV32	V4.B16, V4.B16; \
	VREV32	V5.B16, V5.B16; \
	VREV32	V6.B16, V6.B16; \
	VREV32	V7.B16, V7.B16; \
	XOR(V4, V0); \
	XOR(V5, V1); \
	XOR(V6, V2); \
	XOR(V7, V3)

// CHAIN stores the block, and leaves it in V10.
#define CHAIN \
	VZIP1	V1.S4, V0.S4, V8.S4; \
	VZIP1	V3.S4, V2.S4, V9.S4; \
	VZIP1	V9.D2, V8.D2, V10.D2; \
	VREV32	V10.B16, V10.B16; \
	VST1.P	[V10.B16], 16(R1)

#define CBCENC(block, four) \
	SERIAL; \
block: \
	MESSAGE; \
	CRYPT(four); \
	TURN; \
	CHAIN; \
	SUBS	$1, R3; \
	BNE	block; \
	VST1	[V10.B16], (R4); \
	RET

#define CFBENC(block, four) \
	SERIAL; \
block: \
	CRYPT(four); \
	TURN; \
	MESSAGE; \
	CHAIN; \
	SUBS	$1, R3; \
	BNE	block; \
	VST1	[V10.B16], (R4); \
	RET
