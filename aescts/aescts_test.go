package aescts

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ours "ucrypt/aes"
)

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// reference encrypts by the words of RFC 3962: CBC of the text filled up with
// zeros, its last two blocks swapped, cut to the length of the text.
func reference(key, iv, plaintext []byte) (next, ciphertext []byte) {
	b, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	n := len(plaintext)
	padded := append(bytes.Clone(plaintext), make([]byte, (16-n%16)%16)...)
	if n == 0 {
		return bytes.Clone(iv), nil
	}
	cipher.NewCBCEncrypter(b, iv).CryptBlocks(padded, padded)
	last := len(padded) - 16
	next = bytes.Clone(padded[last:])
	if last == 0 {
		return next, padded
	}
	return next, slices.Concat(padded[:last-16], padded[last:], padded[last-16:last])[:n]
}

func TestReference(t *testing.T) {
	for _, keySize := range []int{16, 24, 32} {
		for n := range 300 {
			if n > 150 {
				n = 40*n + n%16
			}
			key, iv, text := random(1, keySize), random(2, 16), random(3, n)
			keyCopy, ivCopy, textCopy := bytes.Clone(key), bytes.Clone(iv), bytes.Clone(text)
			wantNext, want := reference(key, iv, text)
			next, got, err := Encrypt(key, iv, text)
			if err != nil || !bytes.Equal(got, want) || !bytes.Equal(next, wantNext) {
				t.Fatalf("%d bytes: %x, next iv %x, error %v; want %x, %x", n, got, next, err, want, wantNext)
			}
			if n > 0 {
				secret := bytes.Clone(got)
				back, err := Decrypt(key, iv, secret)
				if err != nil || !bytes.Equal(back, append(bytes.Clone(text), make([]byte, len(got)-n)...)) {
					t.Fatalf("%d bytes: decrypted to %x, error %v", n, back, err)
				}
				if !bytes.Equal(secret, got) {
					t.Fatalf("%d bytes: Decrypt changed the ciphertext", n)
				}
			}
			if !bytes.Equal(key, keyCopy) || !bytes.Equal(iv, ivCopy) || !bytes.Equal(text, textCopy) {
				t.Fatalf("%d bytes: an argument was changed", n)
			}
			// The results share no memory with each other or with an argument.
			for _, b := range [][]byte{next, key, iv, text} {
				for i := range b {
					b[i] ^= 0xff
				}
			}
			_ = append(next, 1, 2, 3)
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes: the ciphertext changed with another slice", n)
			}
			clear(got[:cap(got)])
			for i := range wantNext {
				if next[i] != wantNext[i]^0xff {
					t.Fatalf("%d bytes: the next iv changed with another slice", n)
				}
			}
		}
	}
}

// RFC 3962 appendix B, all of it: the output and the next iv.
func TestRFC3962(t *testing.T) {
	const text = "I would like the General Gau's Chicken, please, and wonton soup."
	for _, c := range []struct{ output, next string }{
		{"c6353568f2bf8cb4d8a580362da7ff7f97", "c6353568f2bf8cb4d8a580362da7ff7f"},
		{"fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5", "fc00783e0efdb2c1d445d4c8eff7ed22"},
		{"39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584", "39312523a78662d5be7fcbcc98ebf5a8"},
		{"97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5", "b3fffd940c16a18c1b5549d2f838029e"},
		{"97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8", "9dad8bbb96c4cdc03bc103e1a194bbd8"},
		{"97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8", "4807efe836ee89a526730dbc2f7bc840"},
	} {
		n := len(c.output) / 2
		next, got, err := Encrypt([]byte("chicken teriyaki"), make([]byte, 16), []byte(text[:n]))
		if err != nil || hex.EncodeToString(got) != c.output || hex.EncodeToString(next) != c.next {
			t.Errorf("%d bytes: %x, next iv %x, error %v; want %s, %s", n, got, next, err, c.output, c.next)
		}
	}
}

// A message in two calls, the second with the next iv, decrypts with the ivs
// that RFC 3962 names for the receiver: the block before the last.
func TestChained(t *testing.T) {
	key, iv := random(1, 32), random(2, 16)
	for n := 1; n < 80; n++ {
		first, second := random(3, n), random(4, 100-n)
		next, a, err := Encrypt(key, iv, first)
		if err != nil {
			t.Fatal(err)
		}
		_, b, err := Encrypt(key, next, second)
		if err != nil {
			t.Fatal(err)
		}
		carried := a[max(0, (len(a)-1)/16*16-16):][:16]
		back, err := Decrypt(key, carried, b)
		if err != nil || !bytes.Equal(back, second) {
			t.Errorf("%d bytes: the second message decrypts to %x, error %v", n, back, err)
		}
	}
}

func TestErrors(t *testing.T) {
	key, iv, text := make([]byte, 32), make([]byte, 16), make([]byte, 32)
	for n := range 40 {
		if n != 16 && n != 24 && n != 32 {
			_, _, err := Encrypt(make([]byte, n), iv, text)
			var size ours.KeySizeError
			if !errors.As(err, &size) || int(size) != n {
				t.Errorf("Encrypt, key of %d bytes: %v", n, err)
			}
			if _, err := Decrypt(make([]byte, n), iv, text); !errors.As(err, &size) || int(size) != n {
				t.Errorf("Decrypt, key of %d bytes: %v", n, err)
			}
		}
		if n != 16 {
			want := fmt.Sprintf("aescts: iv of %d bytes, want 16", n)
			if next, got, err := Encrypt(key, make([]byte, n), text); err == nil || err.Error() != want || next != nil || got != nil {
				t.Errorf("Encrypt, iv of %d bytes: %v", n, err)
			}
			if got, err := Decrypt(key, make([]byte, n), text); err == nil || err.Error() != want || got != nil {
				t.Errorf("Decrypt, iv of %d bytes: %v", n, err)
			}
		}
		if n < 16 {
			want := fmt.Sprintf("aescts: ciphertext of %d bytes, want at least 16", n)
			if got, err := Decrypt(key, iv, make([]byte, n)); err == nil || err.Error() != want || got != nil {
				t.Errorf("Decrypt, %d bytes: %v", n, err)
			}
		}
	}
	if _, _, err := Encrypt(nil, nil, nil); err == nil || !strings.HasPrefix(err.Error(), "aescts: ") {
		t.Errorf("nothing at all: %v", err)
	}
}

func ExampleEncrypt() {
	key, iv := []byte("chicken teriyaki"), make([]byte, 16)
	next, ciphertext, err := Encrypt(key, iv, []byte("I would like the "))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n%x\n", ciphertext, next)
	// Output:
	// c6353568f2bf8cb4d8a580362da7ff7f97
	// c6353568f2bf8cb4d8a580362da7ff7f
}

func Benchmark(b *testing.B) {
	key, iv := random(1, 32), random(2, 16)
	for _, n := range []int{32, 256, 4096} {
		text := random(3, n)
		b.Run(fmt.Sprintf("Encrypt/%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				Encrypt(key, iv, text)
			}
		})
		b.Run(fmt.Sprintf("Decrypt/%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				Decrypt(key, iv, text)
			}
		})
	}
}
