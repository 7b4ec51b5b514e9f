// Package ghash holds GHASH (NIST SP 800-38D section 6.4): the generic reference
// in Go, the table of tiers, and the switch that leads from a tier to its
// routines.
//
// A tier is a set of two routines named after what it needs of the processor,
// in the folders amd64 and arm64. They equal Init and Key.Update of this
// package:
//
//	func InitTIER(powers *[1024]byte, h *[16]byte)
//	func UpdateTIER(powers *[1024]byte, acc *[16]byte, p *byte, blocks int)
//
// InitTIER writes powers of h, in any layout that the tier's UpdateTIER reads, and
// a tier need not use all 1024 bytes. Nothing else reads them but, on x86-64, the
// routines of SM4 that do GHASH by the way (see Key.Powers). powers need
// not be aligned to more than 8 bytes, and is zero before.
//
// UpdateTIER absorbs blocks whole blocks of 16 bytes from p on, at least one
// and at most 64 KiB: for each of them in turn, acc = (acc xor block) times h.
// acc and h are blocks in the byte and bit order of the standard. p need not be
// aligned, and nothing before p or behind p + 16*blocks is read. Messages of few
// blocks are frequent (GCM hashes a short one in one call of 1 to 33 blocks), so
// there should be one reduction for up to 8 blocks at least.
//
// Every routine, the generic one included, is constant-time: no branch and no
// address depends on h, acc or the blocks.
package ghash
