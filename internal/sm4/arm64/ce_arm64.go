//go:build !purego

package arm64

// The routines of tier ce need FEAT_SM4. rk is a schedule as expanded by
// ExpandKeyCE; n counts blocks of 16 bytes, at least one, unless it says
// otherwise. dst is src exactly or does not overlap it. Nothing needs to be
// aligned.

// ExpandKeyCE expands key into the round keys of both directions.
//
//go:noescape
func ExpandKeyCE(key *[16]byte, enc, dec *[32]uint32)

// ECBCE applies rk to each of n blocks.
//
//go:noescape
func ECBCE(rk *[32]uint32, dst, src *byte, n int)

// CBCEncCE encrypts n blocks in CBC mode and replaces iv by the last one of
// the ciphertext.
//
//go:noescape
func CBCEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CBCDecCE is the inverse of CBCEncCE, with the same next iv.
//
//go:noescape
func CBCDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CFBEncCE encrypts n blocks in CFB mode and replaces iv by the last one of
// the ciphertext.
//
//go:noescape
func CFBEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CFBDecCE is the inverse of CFBEncCE, with the same next iv.
//
//go:noescape
func CFBDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CTRCE adds the key stream of n counter values from iv on and replaces iv by
// the next one. Only its low 32 bits count; they must not wrap before the last
// block.
//
//go:noescape
func CTRCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CTSEncCE encrypts n bytes, at least 17, in CBC mode with ciphertext stealing
// in the order CS3. iv is only read.
//
//go:noescape
func CTSEncCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// CTSDecCE is the inverse of CTSEncCE.
//
//go:noescape
func CTSDecCE(rk *[32]uint32, dst, src *byte, n int, iv *[16]byte)

// XTSCE encrypts or decrypts n bytes in XTS mode, IEEE Std 1619-2018 or with gb
// GB/T 17964-2021, as data units of the given number of bytes; the last one may be
// shorter. Each is at least a block. With tk there is one unit, tweaks is its tweak in clear, which
// tk encrypts, and is only read. Without, tweaks has the encrypted tweak of
// each unit, which is replaced by the tweak behind the unit's last block unless
// the unit ends in a partial one. decrypt tells that rk is for decryption.
//
//go:noescape
func XTSCE(rk, tk *[32]uint32, dst, src *byte, n, unit int, tweaks *byte, gb, decrypt bool)

// xtsGBCE is where XTSCE goes on with gb.
//
//go:noescape
func xtsGBCE(rk, tk *[32]uint32, dst, src *byte, n, unit int, tweaks *byte, gb, decrypt bool)
