package mode

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"

	"ucrypt/internal/aes"
)

// xtsBlock is the block size in bytes that XTS is defined for.
const xtsBlock = 16

// xtsBatch is how many bytes XTS prepares at a time: a multiple of the strides
// of 16 and 32 blocks. The buffer for so many is cleared at each call: a shorter
// message takes a smaller one, and up to xtsShort bytes it takes less to work the
// tweaks out twice.
const (
	xtsBatch  = 64 * xtsBlock
	xtsMiddle = 32 * xtsBlock
	xtsShort  = 14 * xtsBlock
)

// unitBatch is how many data units have their tweaks encrypted together.
const unitBatch = 16

// XTS is a pair of ciphers keyed for XTS. It is not changed by use.
type XTS struct {
	data, tweak Cipher
	gb          bool
	fused       fused
}

// fused says whose routines do the whole of the mode.
type fused uint8

const (
	fusedNone fused = iota
	fusedSM4
	fusedAES
)

// NewXTS returns the XTS of two ciphers with blocks of 16 bytes: IEEE Std
// 1619-2018, or GB/T 17964-2021 if gb. The two differ in the step from one
// block's tweak to the next, and so from the second block on. The routines for
// AES are IEEE's.
func NewXTS(data, tweak Cipher, gb bool) XTS {
	x := XTS{data: data, tweak: tweak, gb: gb}
	if d, t := data.fused(), tweak.fused(); d != nil && t != nil && d.Tier() == t.Tier() && d.Tier().HasXTS() == nil {
		x.fused = fusedSM4
	}
	if d, t := data.fusedAES(), tweak.fusedAES(); d != nil && t != nil && !gb {
		x.fused = fusedAES // but for keys of two sizes, or a tier without the routine
	}
	return x
}

// Routine returns the AES ciphers of the data and of the tweak if the first one's
// XTSEncrypt and XTSDecrypt do all of EncryptXTS and DecryptXTS, or nil.
func (x *XTS) Routine() (data, tweak *aes.Cipher) {
	if x.fused == fusedAES && x.data.aes.HasXTSWith(x.tweak.aes) {
		return x.data.aes, x.tweak.aes
	}
	return nil, nil
}

// EncryptXTS encrypts src, at least a block, as one data unit (IEEE Std
// 1619-2018 section 5.3). iv is the tweak before its encryption; it is left as
// it was.
func EncryptXTS(x *XTS, dst, src, iv []byte) {
	switch x.fused {
	case fusedSM4:
		x.data.sm4.XTSEncrypt(x.tweak.sm4, dst, src, (*[16]byte)(iv), x.gb)
		return
	case fusedAES:
		if x.data.aes.XTSEncrypt(x.tweak.aes, dst, src, (*[16]byte)(iv)) {
			return
		}
	}
	x.one(dst, src, iv, false)
}

// DecryptXTS is the inverse of EncryptXTS (section 5.4).
func DecryptXTS(x *XTS, dst, src, iv []byte) {
	switch x.fused {
	case fusedSM4:
		x.data.sm4.XTSDecrypt(x.tweak.sm4, dst, src, (*[16]byte)(iv), x.gb)
		return
	case fusedAES:
		if x.data.aes.XTSDecrypt(x.tweak.aes, dst, src, (*[16]byte)(iv)) {
			return
		}
	}
	x.one(dst, src, iv, true)
}

// EncryptXTSUnits encrypts src as data units of unitSize bytes, at least a
// block each; the last one may be shorter, down to a block. They are numbered
// from first on, and the tweak is the number in little-endian order, filled up
// with zeros: dm-crypt's plain64.
func EncryptXTSUnits(x *XTS, dst, src []byte, unitSize int, first uint64) {
	switch x.fused {
	case fusedSM4:
		x.data.sm4.XTSEncryptUnits(x.tweak.sm4, dst, src, unitSize, first, x.gb)
		return
	case fusedAES:
		if x.data.aes.XTSEncryptUnits(x.tweak.aes, dst, src, unitSize, first) {
			return
		}
	}
	x.units(dst, src, unitSize, first, false)
}

// DecryptXTSUnits is the inverse of EncryptXTSUnits.
func DecryptXTSUnits(x *XTS, dst, src []byte, unitSize int, first uint64) {
	switch x.fused {
	case fusedSM4:
		x.data.sm4.XTSDecryptUnits(x.tweak.sm4, dst, src, unitSize, first, x.gb)
		return
	case fusedAES:
		if x.data.aes.XTSDecryptUnits(x.tweak.aes, dst, src, unitSize, first) {
			return
		}
	}
	x.units(dst, src, unitSize, first, true)
}

// one works on a message that is one data unit.
func (x *XTS) one(dst, src, iv []byte, decrypt bool) {
	var t [xtsBlock]byte
	x.tweak.encryptBlocks(t[:], iv)
	if len(src)%xtsBlock == 0 {
		x.blocks(dst[:len(src)], src, &t, decrypt, false)
	} else {
		x.unit(dst, src, &t, decrypt)
	}
}

func (x *XTS) units(dst, src []byte, unitSize int, first uint64, decrypt bool) {
	var ivs [unitBatch * xtsBlock]byte
	for len(src) > 0 {
		n := x.tweak.unitIVs(ivs[:], xtsBlock, unitsIn(len(src), unitSize), first)
		first += uint64(n)
		for i := range n {
			size := min(len(src), unitSize)
			t := (*[xtsBlock]byte)(ivs[i*xtsBlock:])
			x.unit(dst[:size], src[:size], t, decrypt)
			dst, src = dst[size:], src[size:]
		}
	}
}

// unitsIn returns how many data units n bytes are, a shorter last one counted.
func unitsIn(n, unitSize int) int {
	units := n / unitSize
	if n%unitSize != 0 {
		units++
	}
	return units
}

// unitIVs encrypts the numbers of units data units from first on, as many as
// fit into ivs, in little-endian order and filled up to size bytes with zeros.
// It returns how many there are in ivs.
func (c *Cipher) unitIVs(ivs []byte, size, units int, first uint64) int {
	n := min(units, len(ivs)/size)
	ivs = ivs[:n*size]
	clear(ivs)
	for i := range n {
		binary.LittleEndian.PutUint64(ivs[i*size:], first+uint64(i))
	}
	c.encryptBlocks(ivs, ivs)
	return n
}

// unit works on a data unit from the encrypted tweak t on. The partial block at
// its end, if any, is filled up with the end of the output block before it,
// whose rest goes to the very end.
func (x *XTS) unit(dst, src []byte, t *[xtsBlock]byte, decrypt bool) {
	tail := len(src) % xtsBlock
	whole := len(src) - tail
	x.blocks(dst[:whole], src[:whole], t, decrypt, decrypt && tail > 0)
	if tail == 0 {
		return
	}
	last := dst[whole-xtsBlock : whole]
	block := [xtsBlock]byte(last)
	copy(block[:], src[whole:]) // before it is written over, as dst may be src
	copy(dst[whole:], last[:tail])
	low, high := binary.LittleEndian.Uint64(t[:8]), binary.LittleEndian.Uint64(t[8:])
	maskBlock(block[:], block[:], low, high)
	x.crypt(block[:], decrypt)
	maskBlock(last, block[:], low, high)
}

// blocks works on whole blocks, the first of which has the encrypted tweak t,
// and replaces t by the tweak behind the last one. With swap these two change
// places, the tweak of the last block and the one behind it: encryption used
// the earlier one for the block that it then filled up, and the later one for
// what it left in its place.
func (x *XTS) blocks(dst, src []byte, t *[xtsBlock]byte, decrypt, swap bool) {
	switch {
	case len(src) <= xtsShort:
		low, high := binary.LittleEndian.Uint64(t[:8]), binary.LittleEndian.Uint64(t[8:])
		nextLow, nextHigh := x.mask(dst, src, low, high, swap)
		x.crypt(dst[:len(src)], decrypt)
		x.mask(dst, dst[:len(src)], low, high, swap)
		binary.LittleEndian.PutUint64(t[:8], nextLow)
		binary.LittleEndian.PutUint64(t[8:], nextHigh)
	case len(src) <= xtsMiddle:
		var buf [xtsMiddle]byte
		x.batch(dst, src, buf[:], t, decrypt, swap)
	default:
		var buf [xtsBatch]byte
		for ; len(src) > xtsBatch; dst, src = dst[xtsBatch:], src[xtsBatch:] {
			x.batch(dst, src[:xtsBatch], buf[:], t, decrypt, false)
		}
		x.batch(dst, src, buf[:], t, decrypt, swap)
	}
}

// batch is blocks with the tweaks in a buffer, a multiple of four blocks, which
// src is not longer than.
func (x *XTS) batch(dst, src, buf []byte, t *[xtsBlock]byte, decrypt, swap bool) {
	n := len(src)
	x.tweaks(buf[:(n+63)&^63], t)
	if n%64 != 0 {
		*t = [xtsBlock]byte(buf[n:])
	}
	tweaks := buf[:n]
	if swap {
		last := (*[xtsBlock]byte)(tweaks[n-xtsBlock:])
		*t, *last = *last, *t
	}
	subtle.XORBytes(dst, src, tweaks)
	x.crypt(dst[:n], decrypt)
	subtle.XORBytes(dst, dst, tweaks)
}

// crypt is the cipher alone.
func (x *XTS) crypt(blocks []byte, decrypt bool) {
	if decrypt {
		x.data.decryptBlocks(blocks, blocks)
	} else {
		x.data.encryptBlocks(blocks, blocks)
	}
}

// mask adds the tweak of which low and high are the little-endian halves, and
// those behind it, to the blocks of src, and returns the one behind the last.
// With swap see blocks.
//
// A tweak is the one before, multiplied by x in GF(2^128) with the polynomial
// x^128 + x^7 + x^2 + x + 1. IEEE Std 1619-2018 (section 5.2) reads a block as a
// little-endian number, whose bit i is the coefficient of x^i; GB/T 17964-2021
// has the bits of each byte the other way round, as GHASH has. The steps are
// written out, since calls, though inlined, leave instructions behind; a third
// index spares the compiler the case of an empty rest.
func (x *XTS) mask(dst, src []byte, low, high uint64, swap bool) (nextLow, nextHigh uint64) {
	if x.gb {
		return maskGB(dst, src, low, high, swap)
	}
	const batch = 4 * xtsBlock
	le := binary.LittleEndian
	i, end := 0, len(src)
	if swap {
		end -= xtsBlock
	}
	for ; i <= end-batch; i += batch {
		s, d := (*[batch]byte)(src[i:i+batch:i+batch]), (*[batch]byte)(dst[i:i+batch:i+batch])
		low1, high1 := low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
		low2, high2 := low1<<1^uint64(int64(high1)>>63)&0x87, high1<<1|low1>>63
		low3, high3 := low2<<1^uint64(int64(high2)>>63)&0x87, high2<<1|low2>>63
		le.PutUint64(d[0:], le.Uint64(s[0:])^low)
		le.PutUint64(d[8:], le.Uint64(s[8:])^high)
		le.PutUint64(d[16:], le.Uint64(s[16:])^low1)
		le.PutUint64(d[24:], le.Uint64(s[24:])^high1)
		le.PutUint64(d[32:], le.Uint64(s[32:])^low2)
		le.PutUint64(d[40:], le.Uint64(s[40:])^high2)
		le.PutUint64(d[48:], le.Uint64(s[48:])^low3)
		le.PutUint64(d[56:], le.Uint64(s[56:])^high3)
		low, high = low3<<1^uint64(int64(high3)>>63)&0x87, high3<<1|low3>>63
	}
	s, d := src[i:end], dst[i:end]
	if len(s) >= xtsBlock {
		maskBlock(d, s, low, high)
		low, high = low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
		if len(s) >= 2*xtsBlock {
			maskBlock(d[xtsBlock:], s[xtsBlock:], low, high)
			low, high = low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
		}
		if len(s) >= 3*xtsBlock {
			maskBlock(d[2*xtsBlock:], s[2*xtsBlock:], low, high)
			low, high = low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
		}
	}
	if swap {
		maskBlock(dst[end:], src[end:], low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63)
	}
	return low, high
}

// maskBlock adds to a block the tweak whose little-endian halves are low and
// high.
func maskBlock(dst, src []byte, low, high uint64) {
	binary.LittleEndian.PutUint64(dst[0:], binary.LittleEndian.Uint64(src[0:])^low)
	binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(src[8:])^high)
}

// maskGB is mask with the bits the other way round.
func maskGB(dst, src []byte, low, high uint64, swap bool) (nextLow, nextHigh uint64) {
	const batch = 4 * xtsBlock
	le := binary.LittleEndian
	high, low = bits.ReverseBytes64(low), bits.ReverseBytes64(high)
	i, end := 0, len(src)
	if swap {
		end -= xtsBlock
	}
	for ; i <= end-batch; i += batch {
		s, d := (*[batch]byte)(src[i:i+batch:i+batch]), (*[batch]byte)(dst[i:i+batch:i+batch])
		high1, low1 := high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		high2, low2 := high1>>1^-(low1&1)&(0xe1<<56), low1>>1|high1<<63
		high3, low3 := high2>>1^-(low2&1)&(0xe1<<56), low2>>1|high2<<63
		le.PutUint64(d[0:], le.Uint64(s[0:])^bits.ReverseBytes64(high))
		le.PutUint64(d[8:], le.Uint64(s[8:])^bits.ReverseBytes64(low))
		le.PutUint64(d[16:], le.Uint64(s[16:])^bits.ReverseBytes64(high1))
		le.PutUint64(d[24:], le.Uint64(s[24:])^bits.ReverseBytes64(low1))
		le.PutUint64(d[32:], le.Uint64(s[32:])^bits.ReverseBytes64(high2))
		le.PutUint64(d[40:], le.Uint64(s[40:])^bits.ReverseBytes64(low2))
		le.PutUint64(d[48:], le.Uint64(s[48:])^bits.ReverseBytes64(high3))
		le.PutUint64(d[56:], le.Uint64(s[56:])^bits.ReverseBytes64(low3))
		high, low = high3>>1^-(low3&1)&(0xe1<<56), low3>>1|high3<<63
	}
	s, d := src[i:end], dst[i:end]
	if len(s) >= xtsBlock {
		maskBlock(d, s, bits.ReverseBytes64(high), bits.ReverseBytes64(low))
		high, low = high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		if len(s) >= 2*xtsBlock {
			maskBlock(d[xtsBlock:], s[xtsBlock:], bits.ReverseBytes64(high), bits.ReverseBytes64(low))
			high, low = high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		}
		if len(s) >= 3*xtsBlock {
			maskBlock(d[2*xtsBlock:], s[2*xtsBlock:], bits.ReverseBytes64(high), bits.ReverseBytes64(low))
			high, low = high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		}
	}
	if swap {
		maskBlock(dst[end:], src[end:], bits.ReverseBytes64(high>>1^-(low&1)&(0xe1<<56)), bits.ReverseBytes64(low>>1|high<<63))
	}
	return bits.ReverseBytes64(high), bits.ReverseBytes64(low)
}

// tweaks fills dst, a multiple of four blocks, with t and the tweaks behind it,
// and replaces t by the one behind the last.
func (x *XTS) tweaks(dst []byte, t *[xtsBlock]byte) {
	if x.gb {
		high, low := binary.BigEndian.Uint64(t[:8]), binary.BigEndian.Uint64(t[8:])
		for i := 0; i+4*xtsBlock <= len(dst); i += 4 * xtsBlock {
			d := (*[4 * xtsBlock]byte)(dst[i : i+4*xtsBlock : i+4*xtsBlock])
			high1, low1 := high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
			high2, low2 := high1>>1^-(low1&1)&(0xe1<<56), low1>>1|high1<<63
			high3, low3 := high2>>1^-(low2&1)&(0xe1<<56), low2>>1|high2<<63
			binary.BigEndian.PutUint64(d[0:], high)
			binary.BigEndian.PutUint64(d[8:], low)
			binary.BigEndian.PutUint64(d[16:], high1)
			binary.BigEndian.PutUint64(d[24:], low1)
			binary.BigEndian.PutUint64(d[32:], high2)
			binary.BigEndian.PutUint64(d[40:], low2)
			binary.BigEndian.PutUint64(d[48:], high3)
			binary.BigEndian.PutUint64(d[56:], low3)
			high, low = high3>>1^-(low3&1)&(0xe1<<56), low3>>1|high3<<63
		}
		binary.BigEndian.PutUint64(t[:8], high)
		binary.BigEndian.PutUint64(t[8:], low)
	} else {
		low, high := binary.LittleEndian.Uint64(t[:8]), binary.LittleEndian.Uint64(t[8:])
		for i := 0; i+4*xtsBlock <= len(dst); i += 4 * xtsBlock {
			d := (*[4 * xtsBlock]byte)(dst[i : i+4*xtsBlock : i+4*xtsBlock])
			low1, high1 := low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
			low2, high2 := low1<<1^uint64(int64(high1)>>63)&0x87, high1<<1|low1>>63
			low3, high3 := low2<<1^uint64(int64(high2)>>63)&0x87, high2<<1|low2>>63
			binary.LittleEndian.PutUint64(d[0:], low)
			binary.LittleEndian.PutUint64(d[8:], high)
			binary.LittleEndian.PutUint64(d[16:], low1)
			binary.LittleEndian.PutUint64(d[24:], high1)
			binary.LittleEndian.PutUint64(d[32:], low2)
			binary.LittleEndian.PutUint64(d[40:], high2)
			binary.LittleEndian.PutUint64(d[48:], low3)
			binary.LittleEndian.PutUint64(d[56:], high3)
			low, high = low3<<1^uint64(int64(high3)>>63)&0x87, high3<<1|low3>>63
		}
		binary.LittleEndian.PutUint64(t[:8], low)
		binary.LittleEndian.PutUint64(t[8:], high)
	}
}
