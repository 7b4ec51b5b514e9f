//go:build !purego

package arm64

// The routines need FEAT_AES. rounds is 10, 12 or 14. rk has the round keys in
// slots of 16 bytes: the last one in slot 14, the first in slot 14-rounds; for
// decryption they are those of the equivalent inverse cipher, the names of whose
// routines have Dec. n counts blocks of 16 bytes, at least one, unless it says
// otherwise. dst is src exactly or does not overlap it. Nothing needs to be
// aligned.

// ExpandKeyCE expands a key of 16, 24 or 32 bytes, as rounds says, into the
// round keys of both directions. Slots before the first are left as they are.
//
//go:noescape
func ExpandKeyCE(key *byte, rounds int, enc, dec *[240]byte)

// ECBEncCE encrypts each of n blocks.
//
//go:noescape
func ECBEncCE(rk *[240]byte, rounds int, dst, src *byte, n int)

// ECBDecCE decrypts each of n blocks.
//
//go:noescape
func ECBDecCE(rk *[240]byte, rounds int, dst, src *byte, n int)

// CBCEncCE encrypts n blocks in CBC mode and replaces iv by the last one of the
// ciphertext.
//
//go:noescape
func CBCEncCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// CBCDecCE is the inverse of CBCEncCE, with the same next iv.
//
//go:noescape
func CBCDecCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// CTSEncCE encrypts n bytes, at least 17, in CBC mode with ciphertext stealing
// in the order CS3. iv is only read.
//
//go:noescape
func CTSEncCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// CTSDecCE is the inverse of CTSEncCE.
//
//go:noescape
func CTSDecCE(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// XTSEncCE encrypts n bytes, at least 16, in XTS mode. iv is the tweak, which is
// encrypted with the round keys tweak and only read. If tweak is nil, iv is
// encrypted already, and if n is a multiple of 16 it is replaced by the tweak of
// the block behind, so that a further call goes on with the data unit.
//
//go:noescape
func XTSEncCE(rk, tweak *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// XTSDecCE is the inverse of XTSEncCE. tweak is a schedule of encryption.
//
//go:noescape
func XTSDecCE(rk, tweak *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// XTSEncUnitsCE encrypts data units of size bytes each, at least 16, in XTS
// mode. The tweak of a unit is its number, from first on, in little-endian
// order.
//
//go:noescape
func XTSEncUnitsCE(rk, tweak *[240]byte, rounds int, dst, src *byte, units, size int, first uint64)

// XTSDecUnitsCE is the inverse of XTSEncUnitsCE.
//
//go:noescape
func XTSDecUnitsCE(rk, tweak *[240]byte, rounds int, dst, src *byte, units, size int, first uint64)
