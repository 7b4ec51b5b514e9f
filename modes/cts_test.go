package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/modes"
	"ucrypt/sm4"
)

func TestCTSVectors(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		newCipher func([]byte) (cipher.Block, error)
		variant   []modes.CTSVariant
	}{
		{"cts(cbc(sm4))", sm4.NewCipher, nil},
		{"cts(cbc(sm4))", newHiddenSM4, []modes.CTSVariant{modes.CS3}},
		{"cts(cbc(aes))", aes.NewCipher, nil},
		{"cts-cs1(cbc(sm4))", sm4.NewCipher, []modes.CTSVariant{modes.CS1}},
		{"cts-cs2(cbc(sm4))", sm4.NewCipher, []modes.CTSVariant{modes.CS2}},
		{"cts-cs1(cbc(aes))", aes.NewCipher, []modes.CTSVariant{modes.CS1}},
		{"cts-cs2(cbc(aes))", aes.NewCipher, []modes.CTSVariant{modes.CS2}},
	} {
		eachVector(t, c.algorithm, func(v *vectors.Test) {
			m := modes.NewCTS(block(t, c.newCipher, v.Key), c.variant...)
			if !v.Valid() {
				dst := make([]byte, len(v.Plaintext))
				text := fmt.Sprintf("modes: CTS input of %d bytes, want at least 16", len(v.Plaintext))
				wantPanic(t, text, dst, func() { m.Encrypt(dst, v.Plaintext, v.IV) })
				wantPanic(t, text, dst, func() { m.Decrypt(dst, v.Plaintext, v.IV) })
				return
			}
			iv := bytes.Clone(v.IV)
			same(t, v.ID, v.Ciphertext, v.Plaintext, func(dst, src []byte) { m.Encrypt(dst, src, iv) })
			same(t, v.ID, v.Plaintext, v.Ciphertext, func(dst, src []byte) { m.Decrypt(dst, src, iv) })
			if !bytes.Equal(iv, v.IV) {
				t.Errorf("%s: iv changed", v.ID)
			}
		})
	}
}

func TestCTSKernel(t *testing.T) {
	for algorithm, newCipher := range map[string]func([]byte) (cipher.Block, error){"cts(cbc(sm4))": sm4.NewCipher, "cts(cbc(aes))": aes.NewCipher} {
		eachKernelCall(t, algorithm, func(c vectors.Call) {
			m := modes.NewCTS(block(t, newCipher, c.Key))
			crypt := m.Decrypt
			if c.Encrypt {
				crypt = m.Encrypt
			}
			same(t, algorithm, c.Out, c.In, func(dst, src []byte) { crypt(dst, src, c.IV) })
		})
	}
}

// RFC 3962 appendix B: AES-128 with the key "chicken teriyaki" and an iv of
// zeros.
func TestRFC3962(t *testing.T) {
	m := modes.NewCTS(block(t, aes.NewCipher, []byte("chicken teriyaki")))
	const text = "I would like the General Gau's Chicken, please, and wonton soup."
	for _, answer := range []string{
		"c6353568f2bf8cb4d8a580362da7ff7f97",
		"fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5",
		"39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584",
		"97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5",
		"97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8",
		"97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8",
	} {
		ciphertext := unhex(t, answer)
		plaintext, iv := []byte(text[:len(ciphertext)]), make([]byte, 16)
		what := fmt.Sprintf("%d bytes", len(ciphertext))
		same(t, what, ciphertext, plaintext, func(dst, src []byte) { m.Encrypt(dst, src, iv) })
		same(t, what, plaintext, ciphertext, func(dst, src []byte) { m.Decrypt(dst, src, iv) })
	}
}

// The three variants differ in the order of the last two blocks and in nothing
// else, so each can be turned into the others.
func TestCTSVariants(t *testing.T) {
	for name, b := range blocks(t) {
		size := b.BlockSize()
		for n := size; n <= 5*size; n++ {
			src, iv := random(1, n), random(2, size)
			var out [3][]byte
			for variant := range out {
				out[variant] = make([]byte, n)
				modes.NewCTS(b, modes.CTSVariant(variant)).Encrypt(out[variant], src, iv)
			}
			cs3, cs1, cs2 := out[modes.CS3], out[modes.CS1], out[modes.CS2]
			swapped := bytes.Clone(cs1)
			if n > size {
				tail := (n-1)%size + 1
				head := n - size - tail
				copy(swapped[head:], cs1[head+tail:])
				copy(swapped[head+size:], cs1[head:head+tail])
			}
			if !bytes.Equal(swapped, cs3) {
				t.Errorf("%s, %d bytes: CS1 is not CS3 but for the order", name, n)
			}
			want := cs3
			if n%size == 0 {
				want = make([]byte, n)
				cipher.NewCBCEncrypter(b, iv).CryptBlocks(want, src)
				if !bytes.Equal(cs1, want) {
					t.Errorf("%s, %d bytes: CS1 is not CBC", name, n)
				}
			}
			if !bytes.Equal(cs2, want) {
				t.Errorf("%s, %d bytes: CS2 is wrong", name, n)
			}
		}
	}
}

func TestCTSPanics(t *testing.T) {
	for name, b := range blocks(t) {
		size := b.BlockSize()
		dst, src, iv := random(1, 5*size), random(2, 5*size), random(3, size)
		for _, variant := range []modes.CTSVariant{modes.CS1, modes.CS2, modes.CS3} {
			m := modes.NewCTS(b, variant)
			for _, f := range []func(dst, src, iv []byte){m.Encrypt, m.Decrypt} {
				for _, n := range []int{0, 1, size - 1} {
					wantPanic(t, fmt.Sprintf("modes: CTS input of %d bytes, want at least %d", n, size), dst, func() { f(dst, src[:n], iv) })
				}
				for _, n := range []int{0, size - 1} {
					wantPanic(t, fmt.Sprintf("modes: IV of %d bytes, want %d", n, size), dst, func() { f(dst, src, iv[:n]) })
				}
				wantPanic(t, "modes: output smaller than input", dst, func() { f(dst[:2*size], src[:2*size+1], iv) })
				wantPanic(t, "modes: invalid buffer overlap", dst, func() { f(dst, src, dst[size:2*size]) })
				wantOverlapPanics(t, 3*size+1, func(dst, src []byte) { f(dst, src, iv) })
			}
		}
		wantPanic(t, "modes: unknown CTS variant 3", nil, func() { modes.NewCTS(b, 3) })
		wantPanic(t, "modes: 2 CTS variants, want at most one", nil, func() { modes.NewCTS(b, modes.CS1, modes.CS2) })
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestCTSAllocations(t *testing.T) {
	b := block(t, sm4.NewCipher, random(1, 16))
	for _, variant := range []modes.CTSVariant{modes.CS1, modes.CS2, modes.CS3} {
		m := modes.NewCTS(b, variant)
		if n := testing.AllocsPerRun(50, func() {
			var dst, src [601]byte
			var iv [16]byte
			m.Encrypt(dst[:], src[:], iv[:])
			m.Decrypt(dst[:], src[:], iv[:])
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func ExampleNewCTS() {
	b, err := sm4.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		panic(err)
	}
	iv := make([]byte, b.BlockSize())
	name := []byte("quarterly-figures.ods")
	modes.NewCTS(b).Encrypt(name, name, iv)
	fmt.Println(hex.EncodeToString(name))
	modes.NewCTS(b).Decrypt(name, name, iv)
	fmt.Println(string(name))
	// Output:
	// c75f0bda193470899dee7f6c39d67dc93244670baf
	// quarterly-figures.ods
}
