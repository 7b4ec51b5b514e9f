//go:build !purego

package arm64

import (
	"fmt"
	"math/bits"
	"os"
	"regexp"
	"strconv"
	"testing"

	"ucrypt/internal/routinetest"
)

// matrix is an 8x8 matrix of bits, row 0 in the most significant byte.
func matrix(a uint64, x byte) (y byte) {
	for i := range 8 {
		y |= byte(bits.OnesCount8(byte(a>>(56-8*i))&x)&1) << i
	}
	return y
}

// aesSbox works FIPS 197's S-box out.
func aesSbox(x byte) byte {
	inverse := byte(1)
	for range 254 {
		a, b := inverse, x
		inverse = 0
		for ; b > 0; b >>= 1 {
			if b&1 == 1 {
				inverse ^= a
			}
			a = a<<1 ^ a>>7*0x1b
		}
	}
	r := bits.RotateLeft8
	return inverse ^ r(inverse, 1) ^ r(inverse, 2) ^ r(inverse, 3) ^ r(inverse, 4) ^ 0x63
}

// TestTables works out what the tables of tier aese hold: A, which leads into
// the basis, and its inverse; and F0 and F3, which make of AES's S-box of a byte
// what the byte adds to the byte of L(S) in its own place and to the one behind.
func TestTables(t *testing.T) {
	text, err := os.ReadFile("aese_arm64.s")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string, offset int) func(x byte) byte {
		var tables [32]byte
		for i := 0; i < 32; i += 8 {
			m := regexp.MustCompile(fmt.Sprintf(`(?m)^DATA %s<>\+%d\(SB\)/8, \$0x([0-9a-f]+)`, name, offset+i)).FindSubmatch(text)
			if m == nil {
				t.Fatalf("no %s+%d", name, offset+i)
			}
			v, _ := strconv.ParseUint(string(m[1]), 16, 64)
			for j := range 8 {
				tables[i+j] = byte(v >> (8 * j))
			}
		}
		return func(x byte) byte { return tables[x&15] ^ tables[16+x>>4] }
	}
	f0, f3 := read("tables", 0), read("tables", 32)
	into, key, out := read("basis", 0), read("basis", 32), read("basis", 64)
	const a = 0x4c287db91a22505d
	constant := f0(aesSbox(key(0))) ^ matrix(a, routinetest.SM4Sbox[0]^routinetest.SM4Sbox[0]<<2)
	for i := range 256 {
		x := byte(i)
		if into(x) != matrix(a, x) || key(x) != matrix(a, x)^0x3e || out(into(x)) != x {
			t.Fatalf("basis: wrong at %#x", x)
		}
		s, y := routinetest.SM4Sbox[x], aesSbox(key(x))
		// The two constants cancel out in the sum.
		if f0(y) != matrix(a, s^s<<2)^constant || f3(y) != matrix(a, s^s>>6)^constant {
			t.Fatalf("tables: wrong at %#x", x)
		}
	}
}
