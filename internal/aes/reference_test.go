package aes

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/big"
)

// The reference is written from the standards, on top of crypto/aes, and shares
// nothing with the package: no bit tricks, no batches, no buffers in place.

func std(key []byte) cipher.Block {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	return b
}

// reference is what an operation makes of src, and the iv it leaves.
type reference func(key, tweakKey, src, iv []byte) (dst, next []byte)

func refECB(decrypt bool) reference {
	return func(key, _, src, iv []byte) ([]byte, []byte) {
		b, dst := std(key), make([]byte, len(src))
		for i := 0; i < len(src); i += 16 {
			if decrypt {
				b.Decrypt(dst[i:], src[i:])
			} else {
				b.Encrypt(dst[i:], src[i:])
			}
		}
		return dst, iv
	}
}

func refCBC(decrypt bool) reference {
	return func(key, _, src, iv []byte) ([]byte, []byte) {
		dst := make([]byte, len(src))
		if decrypt {
			cipher.NewCBCDecrypter(std(key), iv).CryptBlocks(dst, src)
		} else {
			cipher.NewCBCEncrypter(std(key), iv).CryptBlocks(dst, src)
		}
		if text := append(bytes.Clone(iv), dst...); !decrypt {
			return dst, text[len(text)-16:]
		}
		text := append(bytes.Clone(iv), src...)
		return dst, text[len(text)-16:]
	}
}

func refCTSEncrypt(key, _, src, iv []byte) ([]byte, []byte) {
	padded := append(bytes.Clone(src), make([]byte, -len(src)&15)...)
	text, _ := refCBC(false)(key, nil, padded, iv)
	if len(src) == 16 {
		return text, iv
	}
	n := len(text)
	swapped := append(bytes.Clone(text[:n-32]), text[n-16:]...)
	swapped = append(swapped, text[n-32:n-16]...)
	return swapped[:len(src)], iv
}

func refCTSDecrypt(key, _, src, iv []byte) ([]byte, []byte) {
	if len(src) == 16 {
		dst, _ := refCBC(true)(key, nil, src, iv)
		return dst, iv
	}
	tail := (len(src)-1)%16 + 1
	head := len(src) - tail - 16
	last := make([]byte, 16)
	std(key).Decrypt(last, src[head:])
	cut := append(bytes.Clone(src[head+16:]), last[tail:]...)
	text := append(bytes.Clone(src[:head]), cut...)
	text = append(text, src[head:head+16]...)
	dst, _ := refCBC(true)(key, nil, text, iv)
	return dst[:len(src)], iv
}

// timesX multiplies a tweak by x, as numbers.
func timesX(t []byte) []byte {
	big128 := new(big.Int)
	for i := 15; i >= 0; i-- {
		big128.Lsh(big128, 8).Or(big128, big.NewInt(int64(t[i])))
	}
	big128.Lsh(big128, 1)
	if big128.Bit(128) == 1 {
		big128.SetBit(big128, 128, 0).Xor(big128, big.NewInt(0x87))
	}
	out := make([]byte, 16)
	big128.FillBytes(out)
	for i := range 8 {
		out[i], out[15-i] = out[15-i], out[i]
	}
	return out
}

func refXTS(decrypt bool) reference {
	return func(key, tweakKey, src, iv []byte) ([]byte, []byte) {
		b := std(key)
		crypt := func(in, t []byte) []byte {
			out := make([]byte, 16)
			for i := range out {
				out[i] = in[i] ^ t[i]
			}
			if decrypt {
				b.Decrypt(out, out)
			} else {
				b.Encrypt(out, out)
			}
			for i := range out {
				out[i] ^= t[i]
			}
			return out
		}
		t := make([]byte, 16)
		std(tweakKey).Encrypt(t, iv)
		var dst []byte
		for len(src) >= 32 || len(src) == 16 {
			dst = append(dst, crypt(src[:16], t)...)
			src, t = src[16:], timesX(t)
		}
		if len(src) > 0 {
			first, second := t, timesX(t)
			if decrypt {
				first, second = second, first
			}
			c := crypt(src[:16], first)
			n := len(src) - 16
			dst = append(dst, crypt(append(bytes.Clone(src[16:]), c[n:]...), second)...)
			dst = append(dst, c[:n]...)
		}
		return dst, iv
	}
}

// refUnits numbers its data units from the first 8 bytes of iv on.
func refUnits(decrypt bool, size int) reference {
	return func(key, tweakKey, src, iv []byte) ([]byte, []byte) {
		var dst []byte
		for first := binary.LittleEndian.Uint64(iv); len(src) > 0; first++ {
			n := min(size, len(src))
			tweak := make([]byte, 16)
			binary.LittleEndian.PutUint64(tweak, first)
			unit, _ := refXTS(decrypt)(key, tweakKey, src[:n], tweak)
			dst, src = append(dst, unit...), src[n:]
		}
		return dst, iv
	}
}
