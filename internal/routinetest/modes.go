package routinetest

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Block is a cipher's work on the first block of src, in one direction.
type Block func(src []byte) [16]byte

// Mode is a mode over a cipher. It replaces iv as the routines do, and returns
// the output.
type Mode func(b Block, src []byte, iv *[16]byte) []byte

func xor(a [16]byte, b []byte) []byte {
	for i := range a {
		a[i] ^= b[i]
	}
	return a[:]
}

// ECB leaves iv alone.
func ECB(b Block, src []byte, _ *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		c := b(src)
		dst = append(dst, c[:]...)
	}
	return dst
}

func CBCEncrypt(b Block, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		*iv = b(xor(*iv, src))
		dst = append(dst, iv[:]...)
	}
	return dst
}

func CBCDecrypt(b Block, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(b(src), iv[:])...)
		*iv = [16]byte(src)
	}
	return dst
}

func CFBEncrypt(b Block, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		*iv = [16]byte(xor(b(iv[:]), src))
		dst = append(dst, iv[:]...)
	}
	return dst
}

func CFBDecrypt(b Block, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(b(iv[:]), src)...)
		*iv = [16]byte(src)
	}
	return dst
}

// CTR32 counts in the low 32 bits only.
func CTR32(b Block, src []byte, iv *[16]byte) (dst []byte) {
	for ; len(src) > 0; src = src[16:] {
		dst = append(dst, xor(b(iv[:]), src)...)
		binary.BigEndian.PutUint32(iv[12:], binary.BigEndian.Uint32(iv[12:])+1)
	}
	return dst
}

// CTSEncrypt is CBC-CS3 of the addendum to NIST SP 800-38A: CBC of the message
// filled up with zeros, its last two blocks swapped and the last one cut. It
// leaves iv alone.
func CTSEncrypt(b Block, src []byte, iv *[16]byte) []byte {
	chain := *iv
	padded := append(bytes.Clone(src), make([]byte, -len(src)&15)...)
	c := CBCEncrypt(b, padded, &chain)
	n := len(c)
	swapped := append(bytes.Clone(c[:n-32]), c[n-16:]...)
	return append(swapped, c[n-32:n-16]...)[:len(src)]
}

// CTSDecrypt is the inverse of CTSEncrypt.
func CTSDecrypt(b Block, src []byte, iv *[16]byte) []byte {
	chain := *iv
	tail := (len(src)-1)&15 + 1
	head := len(src) - tail - 16
	last := b(src[head:])
	stolen := append(bytes.Clone(src[head+16:]), last[tail:]...)
	dst := CBCDecrypt(b, append(bytes.Clone(src[:head]), stolen...), &chain)
	return append(dst, xor(last, stolen)[:tail]...)
}

// Double multiplies a tweak by x: as IEEE Std 1619-2018 does, or GB/T 17964-2021
// with gb.
func Double(t [16]byte, gb bool) (d [16]byte) {
	reflect := func(b byte) byte {
		if gb {
			return bits.Reverse8(b)
		}
		return b
	}
	for i := range t {
		d[i] = reflect(t[i])<<1 | reflect(t[(i+15)%16])>>7
	}
	if d[0]&1 == 1 {
		d[0] ^= 0x86
	}
	for i := range d {
		d[i] = reflect(d[i])
	}
	return d
}

// XTS is one data unit from the encrypted tweak t on. It replaces t by the tweak
// behind the last whole block, or with a partial block by the last whole one's.
func XTS(b Block, src []byte, t *[16]byte, gb, decrypt bool) (dst []byte) {
	masked := func(src []byte, t [16]byte) []byte {
		return xor(b(xor([16]byte(src), t[:])), t[:])
	}
	for ; len(src) >= 16 && (len(src)%16 == 0 || len(src) > 32); src = src[16:] {
		dst = append(dst, masked(src, *t)...)
		*t = Double(*t, gb)
	}
	if len(src) == 0 {
		return dst
	}
	first, second := *t, Double(*t, gb)
	if decrypt {
		first, second = second, first
	}
	c := masked(src, first)
	dst = append(dst, masked(append(bytes.Clone(src[16:]), c[len(src)-16:]...), second)...)
	return append(dst, c[:len(src)-16]...)
}
