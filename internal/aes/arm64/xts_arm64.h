// A data unit of XTS: the R8 bytes at R2, at least 16, with the encrypted tweak
// V8. The file that includes this one defines OP and MC, the instructions of a
// round, and BEFORE and LAST: which of the last two tweaks, V8 and V9, belongs
// to the whole block before a partial one and which to the one that is filled
// up; decryption takes them the other way round, in which encryption used them.
//
// It leaves R9 = 0 if there was no partial block, and then V8 is the tweak of
// the block behind the unit.
//
// Registers: R0 schedule, R1 dst, R2 src, R6 rounds, R8 bytes left of the whole
// blocks, R9 bytes of the partial one, R10 and R11 scratch, R12 constants; V0-V7
// blocks, V8-V15 tweaks, V16 constant of STEP8, V17-V31 round keys. V0-V7 are
// scratch between the blocks.

	ANDS	$15, R8, R9
	SUB	R9, R8, R8
	BEQ	whole
	// The whole block before waits for the end.
	SUB	$16, R8
whole:
	VLD1	(R12), [V1.B16]
	SUBS	$128, R8
	BLT	four
	ADD	$16, R12, R10
	VLD1	(R10), [V16.B16]
	DOUBLE(8, V8, V9)
	DOUBLE(9, V9, V10)
	DOUBLE(10, V10, V11)
	DOUBLE(11, V11, V12)
	DOUBLE(12, V12, V13)
	DOUBLE(13, V13, V14)
	DOUBLE(14, V14, V15)
eight:
	LOAD8
	XOR8
	CRYPT8(OP, MC, eight12, eight10)
	XOR8
	STORE8
	STEP8(V8, V0, V1)
	STEP8(V9, V2, V3)
	STEP8(V10, V4, V5)
	STEP8(V11, V6, V7)
	STEP8(V12, V0, V1)
	STEP8(V13, V2, V3)
	STEP8(V14, V4, V5)
	STEP8(V15, V6, V7)
	SUBS	$128, R8
	BGE	eight
four:
	TBZ	$6, R8, last
	VLD1	(R12), [V1.B16]
	DOUBLE(8, V8, V9)
	DOUBLE(9, V9, V10)
	DOUBLE(10, V10, V11)
	DOUBLE(11, V11, V12)
	LOAD4
	XOR4
	CRYPT4(OP, MC, four12, four10)
	XOR4
	STORE4
	VMOV	V12.B16, V8.B16
last:
	VLD1	(R12), [V1.B16]
	ANDS	$48, R8
	BEQ	partial
one:
	VLD1.P	16(R2), [V0.B16]
	XOR(V8, V0)
	CRYPT1(OP, MC, one12, one10)
	XOR(V8, V0)
	VST1.P	[V0.B16], 16(R1)
	DOUBLE(8, V8, V8)
	SUBS	$16, R8
	BNE	one
partial:
	CBZ	R9, end
	DOUBLE(8, V8, V9)
	STEALTABLES(R9, V12, V13)
	VLD1.P	16(R2), [V0.B16]
	SUB	$16, R9, R10
	ADD	R10, R2
	VLD1.P	16(R2), [V2.B16]
	XOR(BEFORE, V0)
	CRYPT1(OP, MC, before12, before10)
	XOR(BEFORE, V0)
	VTBL	V13.B16, [V0.B16], V1.B16
	VTBX	V12.B16, [V2.B16], V0.B16
	XOR(LAST, V0)
	CRYPT1(OP, MC, filled12, filled10)
	XOR(LAST, V0)
	ADD	R9, R1, R10
	VST1	[V1.B16], (R10)
	VST1.P	[V0.B16], 16(R1)
	ADD	R9, R1
end:
