// 16 blocks as planes, and back. V(4w+j) is byte j of word w, the most
// significant byte first, and holds it for the 16 blocks.

// SPLIT takes a, b, c and d, each with a byte of the words of four blocks in
// turn, to the same byte of the words 0, 1, 2 and 3 of all sixteen. ORDER is
// its inverse with the words the other way round, d first.
#define SPLIT(a, b, c, d) \
	VUZP1	b.B16, a.B16, V26.B16; \
	VUZP2	b.B16, a.B16, V27.B16; \
	VUZP1	d.B16, c.B16, V28.B16; \
	VUZP2	d.B16, c.B16, V29.B16; \
	VUZP1	V28.B16, V26.B16, a.B16; \
	VUZP2	V28.B16, V26.B16, c.B16; \
	VUZP1	V29.B16, V27.B16, b.B16; \
	VUZP2	V29.B16, V27.B16, d.B16

#define ORDER(a, b, c, d) \
	VZIP1	b.B16, d.B16, V26.B16; \
	VZIP2	b.B16, d.B16, V28.B16; \
	VZIP1	a.B16, c.B16, V27.B16; \
	VZIP2	a.B16, c.B16, V29.B16; \
	VZIP1	V27.B16, V26.B16, a.B16; \
	VZIP2	V27.B16, V26.B16, b.B16; \
	VZIP1	V29.B16, V28.B16, c.B16; \
	VZIP2	V29.B16, V28.B16, d.B16

#define LOADPLANES \
	VLD4.P	64(R2), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD4.P	64(R2), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VLD4.P	64(R2), [V8.B16, V9.B16, V10.B16, V11.B16]; \
	VLD4.P	64(R2), [V12.B16, V13.B16, V14.B16, V15.B16]; \
	SPLIT(V0, V4, V8, V12); \
	SPLIT(V1, V5, V9, V13); \
	SPLIT(V2, V6, V10, V14); \
	SPLIT(V3, V7, V11, V15)

#define XORQUARTER(a, b, c, d) \
	VLD4.P	64(R3), [V26.B16, V27.B16, V28.B16, V29.B16]; \
	XOR(V26, a); \
	XOR(V27, b); \
	XOR(V28, c); \
	XOR(V29, d)

// STOREPLANES adds the blocks at R3, unless it is nil, and stores at R1.
#define STOREPLANES(plain) \
	ORDER(V0, V4, V8, V12); \
	ORDER(V1, V5, V9, V13); \
	ORDER(V2, V6, V10, V14); \
	ORDER(V3, V7, V11, V15); \
	CBZ	R3, plain; \
	XORQUARTER(V0, V1, V2, V3); \
	XORQUARTER(V4, V5, V6, V7); \
	XORQUARTER(V8, V9, V10, V11); \
	XORQUARTER(V12, V13, V14, V15); \
plain: \
	VST4.P	[V0.B16, V1.B16, V2.B16, V3.B16], 64(R1); \
	VST4.P	[V4.B16, V5.B16, V6.B16, V7.B16], 64(R1); \
	VST4.P	[V8.B16, V9.B16, V10.B16, V11.B16], 64(R1); \
	VST4.P	[V12.B16, V13.B16, V14.B16, V15.B16], 64(R1)
