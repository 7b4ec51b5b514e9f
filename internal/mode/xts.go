package mode

import (
	"crypto/subtle"
	"encoding/binary"

	"ucrypt/internal/aes"
)

// xtsBlock is the block size in bytes that XTS is defined for.
const xtsBlock = 16

// xtsBatch is how many bytes XTS prepares at a time: a multiple of the strides
// of 16 and 32 blocks. A buffer of that size is cleared at each call: up to
// xtsShort bytes it takes less to work the tweaks out twice.
const (
	xtsBatch = 64 * xtsBlock
	xtsShort = 16 * xtsBlock
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
	x.blocks(last, block[:], t, decrypt, false)
}

// blocks works on whole blocks, the first of which has the encrypted tweak t,
// and replaces t by the tweak behind the last one. With swap these two change
// places, the tweak of the last block and the one behind it: encryption used
// the earlier one for the block that it then filled up, and the later one for
// what it left in its place.
func (x *XTS) blocks(dst, src []byte, t *[xtsBlock]byte, decrypt, swap bool) {
	if len(src) <= xtsShort {
		again := *t
		x.mask(dst, src, t, swap)
		x.crypt(dst[:len(src)], decrypt)
		x.mask(dst, dst[:len(src)], &again, swap)
		return
	}
	var buf [xtsBatch]byte
	for len(src) > 0 {
		n := min(len(src), xtsBatch)
		x.tweaks(buf[:n], t)
		if last := (*[xtsBlock]byte)(buf[n-xtsBlock:]); swap && n == len(src) {
			*t, *last = *last, *t
		}
		subtle.XORBytes(dst, src[:n], buf[:n])
		x.crypt(dst[:n], decrypt)
		subtle.XORBytes(dst, dst[:n], buf[:n])
		dst, src = dst[n:], src[n:]
	}
}

// crypt is the cipher alone.
func (x *XTS) crypt(blocks []byte, decrypt bool) {
	if decrypt {
		x.data.decryptBlocks(blocks, blocks)
	} else {
		x.data.encryptBlocks(blocks, blocks)
	}
}

// mask adds t and the tweaks behind it to the blocks of src, and replaces t by
// the one behind the last. With swap see blocks.
//
// A tweak is the one before, multiplied by x in GF(2^128) with the polynomial
// x^128 + x^7 + x^2 + x + 1. IEEE Std 1619-2018 (section 5.2) reads a block as a
// little-endian number, whose bit i is the coefficient of x^i; GB/T 17964-2021
// has the bits of each byte the other way round, as GHASH has. Four steps at a
// time are written out, since calls, though inlined, leave instructions behind;
// a third index spares the compiler the case of an empty rest.
func (x *XTS) mask(dst, src []byte, t *[xtsBlock]byte, swap bool) {
	if x.gb {
		maskGB(dst, src, t, swap)
		return
	}
	const batch = 4 * xtsBlock
	le := binary.LittleEndian
	low, high := le.Uint64(t[:8]), le.Uint64(t[8:])
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
	for ; i < end; i += xtsBlock {
		s, d := (*[xtsBlock]byte)(src[i:i+xtsBlock:i+xtsBlock]), (*[xtsBlock]byte)(dst[i:i+xtsBlock:i+xtsBlock])
		le.PutUint64(d[0:], le.Uint64(s[0:])^low)
		le.PutUint64(d[8:], le.Uint64(s[8:])^high)
		low, high = low<<1^uint64(int64(high)>>63)&0x87, high<<1|low>>63
	}
	if swap {
		s, d := (*[xtsBlock]byte)(src[i:]), (*[xtsBlock]byte)(dst[i:])
		le.PutUint64(d[0:], le.Uint64(s[0:])^low<<1^uint64(int64(high)>>63)&0x87)
		le.PutUint64(d[8:], le.Uint64(s[8:])^(high<<1|low>>63))
	}
	le.PutUint64(t[:8], low)
	le.PutUint64(t[8:], high)
}

// maskGB is mask with the bits the other way round.
func maskGB(dst, src []byte, t *[xtsBlock]byte, swap bool) {
	const batch = 4 * xtsBlock
	be := binary.BigEndian
	high, low := be.Uint64(t[:8]), be.Uint64(t[8:])
	i, end := 0, len(src)
	if swap {
		end -= xtsBlock
	}
	for ; i <= end-batch; i += batch {
		s, d := (*[batch]byte)(src[i:i+batch:i+batch]), (*[batch]byte)(dst[i:i+batch:i+batch])
		high1, low1 := high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		high2, low2 := high1>>1^-(low1&1)&(0xe1<<56), low1>>1|high1<<63
		high3, low3 := high2>>1^-(low2&1)&(0xe1<<56), low2>>1|high2<<63
		be.PutUint64(d[0:], be.Uint64(s[0:])^high)
		be.PutUint64(d[8:], be.Uint64(s[8:])^low)
		be.PutUint64(d[16:], be.Uint64(s[16:])^high1)
		be.PutUint64(d[24:], be.Uint64(s[24:])^low1)
		be.PutUint64(d[32:], be.Uint64(s[32:])^high2)
		be.PutUint64(d[40:], be.Uint64(s[40:])^low2)
		be.PutUint64(d[48:], be.Uint64(s[48:])^high3)
		be.PutUint64(d[56:], be.Uint64(s[56:])^low3)
		high, low = high3>>1^-(low3&1)&(0xe1<<56), low3>>1|high3<<63
	}
	for ; i < end; i += xtsBlock {
		s, d := (*[xtsBlock]byte)(src[i:i+xtsBlock:i+xtsBlock]), (*[xtsBlock]byte)(dst[i:i+xtsBlock:i+xtsBlock])
		be.PutUint64(d[0:], be.Uint64(s[0:])^high)
		be.PutUint64(d[8:], be.Uint64(s[8:])^low)
		high, low = high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
	}
	if swap {
		s, d := (*[xtsBlock]byte)(src[i:]), (*[xtsBlock]byte)(dst[i:])
		be.PutUint64(d[0:], be.Uint64(s[0:])^high>>1^-(low&1)&(0xe1<<56))
		be.PutUint64(d[8:], be.Uint64(s[8:])^(low>>1|high<<63))
	}
	be.PutUint64(t[:8], high)
	be.PutUint64(t[8:], low)
}

// tweaks fills dst, whole blocks, with t and the tweaks behind it, and replaces
// t by the one behind the last.
func (x *XTS) tweaks(dst []byte, t *[xtsBlock]byte) {
	i := 0
	if x.gb {
		high, low := binary.BigEndian.Uint64(t[:8]), binary.BigEndian.Uint64(t[8:])
		for ; i+4*xtsBlock <= len(dst); i += 4 * xtsBlock {
			d := (*[4 * xtsBlock]byte)(dst[i:])
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
		for ; i+4*xtsBlock <= len(dst); i += 4 * xtsBlock {
			d := (*[4 * xtsBlock]byte)(dst[i:])
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
	if rest := dst[i:]; len(rest) > 0 {
		clear(rest)
		x.mask(rest, rest, t, false)
	}
}
