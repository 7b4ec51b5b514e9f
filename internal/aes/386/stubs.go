//go:build 386 && !purego

// Package x86 holds the routines of AES for 32-bit x86 processors with AES-NI.
// They are those of package amd64's tier of the same name, for eight vector
// registers in place of sixteen.
package x86

// ExpandKeyAESNI expands a key of 16, 24 or 32 bytes, which means 10, 12 or 14 rounds. enc gets
// the round keys of encryption, dec those of the equivalent inverse cipher, in slots of 16 bytes:
// the last one in slot 14, the first in slot 14-rounds. The slots before are left as they are.
// Source: FIPS 197 sections 5.2 and 5.3.5. Constant-time. Features: AES, SSSE3.
//
//go:noescape
func ExpandKeyAESNI(key *byte, rounds int, enc, dec *[240]byte)

// ECBEncAESNI equals block.Encrypt on each of a number of blocks, at most 64 KiB.
// rk has the round keys in slots of 16 bytes, the last one in slot 14, the first in slot 14-rounds.
// dst is src exactly or does not overlap it. No address needs to be aligned; nothing outside the buffers is read or written.
// Source: FIPS 197, NIST SP 800-38A section 6.1. Constant-time. Features: AES, SSSE3.
//
//go:noescape
func ECBEncAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int)

// ECBDecAESNI equals block.Decrypt, with the inverse cipher's rk, on each of a number of blocks, at most 64 KiB.
// The rest is as with ECBEncAESNI.
//
//go:noescape
func ECBDecAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int)

// CBCEncAESNI equals cipher.NewCBCEncrypter(block, iv).CryptBlocks on 16*blocks bytes, at most 16 KiB, and
// replaces iv by the last ciphertext block.
// rk has the round keys in slots of 16 bytes, the last one in slot 14, the first in slot 14-rounds.
// dst is src exactly or does not overlap it. No address needs to be aligned; nothing outside the buffers is read or written.
// Source: NIST SP 800-38A section 6.2. Constant-time. Features: AES, SSSE3.
//
//go:noescape
func CBCEncAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)

// CBCDecAESNI equals cipher.NewCBCDecrypter(block, iv).CryptBlocks on 16*blocks bytes, at most 64 KiB, and
// replaces iv by the last ciphertext block. rk is the inverse cipher's. The rest is as with CBCEncAESNI.
//
//go:noescape
func CBCDecAESNI(rk *[240]byte, rounds int, dst, src *byte, blocks int, iv *[16]byte)

// CTSEncAESNI equals CBC with ciphertext stealing, the last two blocks swapped (CS3), as package mode
// builds it, on n bytes: 17 to 16 KiB and a block. iv is left as it is.
// rk has the round keys in slots of 16 bytes, the last one in slot 14, the first in slot 14-rounds.
// dst is src exactly or does not overlap it. No address needs to be aligned; nothing outside the buffers is read or written.
// Source: NIST SP 800-38A addendum, RFC 3962 section 5. Constant-time. Features: AES, SSSE3.
//
//go:noescape
func CTSEncAESNI(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)

// CTSDecAESNI is the inverse of CTSEncAESNI, on n bytes: 17 to 64 KiB and a block. rk is the inverse
// cipher's. The rest is as with CTSEncAESNI.
//
//go:noescape
func CTSDecAESNI(rk *[240]byte, rounds int, dst, src *byte, n int, iv *[16]byte)
