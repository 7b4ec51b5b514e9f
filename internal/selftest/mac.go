package selftest

import (
	"crypto/cipher"
	"slices"
	"strings"
)

// macs are the MACs over a block cipher, by their definitions. newCipher makes the
// cipher of a key.
var macs = map[string]func(newCipher func(key []byte) cipher.Block, key, message []byte) []byte{
	"cbcmac": func(newCipher func(key []byte) cipher.Block, key, message []byte) []byte {
		return refCBCMAC(newCipher(key), append(slices.Clone(message), make([]byte, -len(message)&15)...))
	},
	// NIST SP 800-38B.
	"cmac": func(newCipher func(key []byte) cipher.Block, key, message []byte) []byte {
		b, k := newCipher(key), make([]byte, blockSize)
		b.Encrypt(k, k)
		k1 := refDouble(k)
		return refCBCMAC(b, lastBlock(message, k1, refDouble(k1)))
	},
	// RFC 3566.
	"xcbc": func(newCipher func(key []byte) cipher.Block, key, message []byte) []byte {
		var k [3][]byte
		for i := range k {
			k[i] = slices.Repeat([]byte{byte(i + 1)}, blockSize)
			newCipher(key).Encrypt(k[i], k[i])
		}
		return refCBCMAC(newCipher(k[0]), lastBlock(message, k[1], k[2]))
	},
}

// newMACAlgorithm returns the definition of a MAC, or of GHASH, by its name, nil if it is
// none.
func newMACAlgorithm(name string) *algorithm {
	if name == "ghash" {
		return &algorithm{keySizes: []int{blockSize}, unit: 1, hashBlock: blockSize, digestSize: blockSize, digest: func(key, message []byte) []byte {
			return refGHASH(key, append(slices.Clone(message), make([]byte, -len(message)&15)...))
		}}
	}
	mode, rest, _ := strings.Cut(name, "(")
	mac, ok := macs[mode]
	c, known := ciphers[strings.TrimSuffix(rest, ")")]
	if !ok || !known {
		return nil
	}
	return &algorithm{keySizes: c.keySizes, unit: 1, hashBlock: blockSize, digestSize: blockSize, stream: mode == "cbcmac",
		digest: func(key, message []byte) []byte { return mac(c.cipher, key, message) }}
}

func refCBCMAC(b cipher.Block, text []byte) []byte {
	mac := make([]byte, blockSize)
	for ; len(text) > 0; text = text[blockSize:] {
		xor(mac, mac, text)
		b.Encrypt(mac, mac)
	}
	return mac
}

// lastBlock adds one key to a whole last block, or fills the block up and adds the
// other.
func lastBlock(message, whole, filled []byte) []byte {
	text, k := slices.Clone(message), whole
	if n := len(text); n == 0 || n%blockSize != 0 {
		text, k = append(text, 0x80), filled
		text = append(text, make([]byte, -len(text)&15)...)
	}
	last := text[len(text)-blockSize:]
	xor(last, last, k)
	return text
}

// refDouble multiplies by x modulo x^128 + x^7 + x^2 + x + 1, the first bit being that
// of x^127.
func refDouble(b []byte) []byte {
	out := make([]byte, blockSize)
	carry := byte(0)
	for i := blockSize - 1; i >= 0; i-- {
		out[i] = b[i]<<1 | carry
		carry = b[i] >> 7
	}
	out[blockSize-1] ^= carry * 0x87
	return out
}
