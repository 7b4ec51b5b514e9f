// The body of XTSCE and xtsGBCE. REFLECT turns a tweak from the form that the
// steps work on into the one that is added to a block, and back.
//
// n ≥ 16 bytes in units of at least 16, the last one too; any alignment; dst is
// src or apart from it.
//
// Registers: R0 schedule, R1 dst, R2 src, R3 bytes behind this unit, R4 tweaks,
// R5 unit size, R6 bytes of the partial block, R7 0 or the tweak key, then what
// is behind it, R8 bytes left of this unit's whole blocks, R9-R11 scratch, R12
// whether to decrypt; V8-V15 tweaks of the next blocks, V16-V20 scratch, V21 and
// V22 constants of DOUBLE and STEP8, V23 and V24-V31 as everywhere.

	MOVD	$double<>(SB), R9
	VLD1	(R9), [V21.B16, V22.B16, V23.B16]
	CBZ	R7, keys
	LOADKEYS(R7) // which leaves it other than 0
	VLD1	(R4), [V0.B16]
	CRYPT1
	VMOV	V0.B16, V8.B16
	LOADKEYS(R0)
	B	begin
keys:
	LOADKEYS(R0)
unit:
	VLD1	(R4), [V8.B16]
begin:
	REFLECT(V8)
	CMP	R5, R3
	CSEL	LT, R3, R5, R8
	SUB	R8, R3
	// With a partial block, the whole one before it waits for the end.
	ANDS	$15, R8, R6
	SUB	R6, R8, R8
	BEQ	whole
	SUB	$16, R8
whole:
	SUBS	$128, R8
	BLT	four
	DOUBLE(8, V8, V9)
	DOUBLE(9, V9, V10)
	DOUBLE(10, V10, V11)
	DOUBLE(11, V11, V12)
	DOUBLE(12, V12, V13)
	DOUBLE(13, V13, V14)
	DOUBLE(14, V14, V15)
eight:
	REFLECT(V9)
	REFLECT(V10)
	REFLECT(V11)
	REFLECT(V12)
	REFLECT(V13)
	REFLECT(V14)
	REFLECT(V15)
	REFLECT(V8)
	LOAD8
	XOR8
	CRYPT8
	XOR8
	STORE8
	REFLECT(V8)
	REFLECT(V9)
	REFLECT(V10)
	REFLECT(V11)
	REFLECT(V12)
	REFLECT(V13)
	REFLECT(V14)
	REFLECT(V15)
	STEP8(V8, V16, V17)
	STEP8(V9, V18, V19)
	STEP8(V10, V16, V17)
	STEP8(V11, V18, V19)
	STEP8(V12, V16, V17)
	STEP8(V13, V18, V19)
	STEP8(V14, V16, V17)
	STEP8(V15, V18, V19)
	SUBS	$128, R8
	BGE	eight
four:
	TBZ	$6, R8, last
	DOUBLE(8, V8, V9)
	DOUBLE(9, V9, V10)
	DOUBLE(10, V10, V11)
	DOUBLE(11, V11, V12)
	REFLECT(V8)
	REFLECT(V9)
	REFLECT(V10)
	REFLECT(V11)
	LOAD4
	XOR4
	CRYPT4
	XOR4
	STORE4
	VMOV	V12.B16, V8.B16
last:
	ANDS	$48, R8
	BEQ	partial
one:
	REFLECT(V8)
	VLD1.P	16(R2), [V0.B16]
	XOR(V8, V0)
	CRYPT1
	XOR(V8, V0)
	VST1.P	[V0.B16], 16(R1)
	CMP	$16, R8
	BNE	step
	// Behind the last block the next tweak is wanted for what goes on only.
	CBNZ	R6, step
	CBNZ	R7, done
step:
	REFLECT(V8)
	DOUBLE(8, V8, V8)
	SUBS	$16, R8
	BNE	one
partial:
	CBZ	R6, end
	// The tweaks of the last whole block and of the filled-up one, V8 and V9:
	// decryption takes them the other way round, in which encryption used them.
	DOUBLE(8, V8, V9)
	REFLECT(V8)
	REFLECT(V9)
	CBZ	R12, steal
	VMOV	V8.B16, V10.B16
	VMOV	V9.B16, V8.B16
	VMOV	V10.B16, V9.B16
steal:
	STEALTABLES(R9, R10)
	VLD1.P	16(R2), [V0.B16]
	SUB	$16, R6, R9
	ADD	R9, R2
	VLD1.P	16(R2), [V2.B16]
	XOR(V8, V0)
	CRYPT1
	XOR(V8, V0)
	VTBL	V21.B16, [V0.B16], V1.B16
	VTBX	V20.B16, [V2.B16], V0.B16
	XOR(V9, V0)
	CRYPT1
	XOR(V9, V0)
	ADD	R6, R1, R9
	VST1	[V1.B16], (R9)
	VST1.P	[V0.B16], 16(R1)
	ADD	R6, R1
	CBZ	R3, done
	CBNZ	R7, done
	MOVD	$double<>(SB), R9 // V21 was a table
	VLD1	(R9), [V21.B16, V22.B16]
	ADD	$16, R4
	B	unit
end:
	CBNZ	R7, done
	REFLECT(V8)
	VST1.P	[V8.B16], 16(R4)
	CBNZ	R3, unit
done:
	RET
