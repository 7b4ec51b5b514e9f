package mode

import (
	"crypto/subtle"
	"encoding/binary"

	"ucrypt/internal/aes"
	"ucrypt/internal/sm4"
)

// xtsBlock is the block size in bytes that XTS is defined for.
const xtsBlock = 16

// xtsBatch is how many bytes XTS prepares at a time: a multiple of the strides
// of 16 and 32 blocks.
const xtsBatch = 64 * xtsBlock

// unitBatch is how many data units have their tweaks encrypted together.
const unitBatch = 16

// XTS is a pair of ciphers keyed for XTS. It is not changed by use.
type XTS struct {
	data, tweak Cipher
	gb          bool
}

// NewXTS returns the XTS of two ciphers with blocks of 16 bytes: IEEE Std
// 1619-2018, or GB/T 17964-2021 if gb. The two differ in the step from one
// block's tweak to the next, and so from the second block on.
func NewXTS(data, tweak Cipher, gb bool) XTS { return XTS{data, tweak, gb} }

// fused returns the two ciphers if their routines for xts may be used, else nil.
func (x *XTS) fused() (data, tweak *sm4.Cipher) {
	data, tweak = x.data.fused(), x.tweak.fused()
	if tweak == nil {
		return nil, nil
	}
	return data, tweak
}

// fusedAES is the same for AES, whose routines are IEEE's XTS.
func (x *XTS) fusedAES() (data, tweak *aes.Cipher) {
	data, tweak = x.data.fusedAES(), x.tweak.fusedAES()
	if tweak == nil || x.gb {
		return nil, nil
	}
	return data, tweak
}

// EncryptXTS encrypts src, at least a block, as one data unit (IEEE Std
// 1619-2018 section 5.3). iv is the tweak before its encryption; it is left as
// it was.
func EncryptXTS(x *XTS, dst, src, iv []byte) {
	if d, t := x.fused(); d != nil && d.XTSEncrypt(t, dst, src, (*[16]byte)(iv), x.gb) {
		return
	}
	if d, t := x.fusedAES(); d != nil && d.XTSEncrypt(t, dst, src, (*[16]byte)(iv)) {
		return
	}
	var t [xtsBlock]byte
	x.tweak.encryptBlocks(t[:], iv)
	x.unit(dst, src, &t, false)
}

// DecryptXTS is the inverse of EncryptXTS (section 5.4).
func DecryptXTS(x *XTS, dst, src, iv []byte) {
	if d, t := x.fused(); d != nil && d.XTSDecrypt(t, dst, src, (*[16]byte)(iv), x.gb) {
		return
	}
	if d, t := x.fusedAES(); d != nil && d.XTSDecrypt(t, dst, src, (*[16]byte)(iv)) {
		return
	}
	var t [xtsBlock]byte
	x.tweak.encryptBlocks(t[:], iv)
	x.unit(dst, src, &t, true)
}

// EncryptXTSUnits encrypts src as data units of unitSize bytes, at least a
// block each; the last one may be shorter, down to a block. They are numbered
// from first on, and the tweak is the number in little-endian order, filled up
// with zeros: dm-crypt's plain64.
func EncryptXTSUnits(x *XTS, dst, src []byte, unitSize int, first uint64) {
	if d, t := x.fused(); d != nil && d.XTSEncryptUnits(t, dst, src, unitSize, first, x.gb) {
		return
	}
	if d, t := x.fusedAES(); d != nil && d.XTSEncryptUnits(t, dst, src, unitSize, first) {
		return
	}
	x.units(dst, src, unitSize, first, false)
}

// DecryptXTSUnits is the inverse of EncryptXTSUnits.
func DecryptXTSUnits(x *XTS, dst, src []byte, unitSize int, first uint64) {
	if d, t := x.fused(); d != nil && d.XTSDecryptUnits(t, dst, src, unitSize, first, x.gb) {
		return
	}
	if d, t := x.fusedAES(); d != nil && d.XTSDecryptUnits(t, dst, src, unitSize, first) {
		return
	}
	x.units(dst, src, unitSize, first, true)
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
	var buf [xtsBatch]byte
	for len(src) > 0 {
		n := min(len(src), xtsBatch)
		x.tweaks(buf[:n], t)
		if last := (*[xtsBlock]byte)(buf[n-xtsBlock:]); swap && n == len(src) {
			*t, *last = *last, *t
		}
		subtle.XORBytes(dst, src[:n], buf[:n])
		if decrypt {
			x.data.decryptBlocks(dst[:n], dst[:n])
		} else {
			x.data.encryptBlocks(dst[:n], dst[:n])
		}
		subtle.XORBytes(dst, dst[:n], buf[:n])
		dst, src = dst[n:], src[n:]
	}
}

// tweaks fills dst, whole blocks, with t and the tweaks behind it, and replaces
// t by the one behind the last.
//
// The step is a multiplication by x in GF(2^128) with the polynomial x^128 +
// x^7 + x^2 + x + 1. IEEE Std 1619-2018 (section 5.2) reads a block as a
// little-endian number, whose bit i is the coefficient of x^i; GB/T 17964-2021
// has the bits of each byte the other way round, as GHASH has.
func (x *XTS) tweaks(dst []byte, t *[xtsBlock]byte) {
	if x.gb {
		high, low := binary.BigEndian.Uint64(t[:8]), binary.BigEndian.Uint64(t[8:])
		for ; len(dst) >= xtsBlock; dst = dst[xtsBlock:] {
			binary.BigEndian.PutUint64(dst[:8], high)
			binary.BigEndian.PutUint64(dst[8:16], low)
			high, low = high>>1^-(low&1)&(0xe1<<56), low>>1|high<<63
		}
		binary.BigEndian.PutUint64(t[:8], high)
		binary.BigEndian.PutUint64(t[8:], low)
		return
	}
	low, high := binary.LittleEndian.Uint64(t[:8]), binary.LittleEndian.Uint64(t[8:])
	for ; len(dst) >= xtsBlock; dst = dst[xtsBlock:] {
		binary.LittleEndian.PutUint64(dst[:8], low)
		binary.LittleEndian.PutUint64(dst[8:16], high)
		low, high = low<<1^-(high>>63)&0x87, high<<1|low>>63
	}
	binary.LittleEndian.PutUint64(t[:8], low)
	binary.LittleEndian.PutUint64(t[8:], high)
}
