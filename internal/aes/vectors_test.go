package aes

import (
	"bytes"
	"strings"
	"testing"

	"ucrypt/internal/vectors"
)

// published are the algorithms that have routines, by their names in the files.
var published = map[string]struct {
	keys    int // in one key
	encrypt func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool
	decrypt func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool
}{
	"ecb(aes)":      {1, operations[0].run, operations[1].run},
	"cbc(aes)":      {1, operations[2].run, operations[3].run},
	"cts(cbc(aes))": {1, operations[4].run, operations[5].run},
	"xts(aes)":      {2, operations[6].run, operations[7].run},
}

// checkAnswer runs one published answer, in place and not. next is nil where it
// is not to be compared.
func checkAnswer(t *testing.T, tier Tier, algorithm, id string, key, iv, plain, text, next []byte) {
	a := published[algorithm]
	half := len(key) / a.keys
	c, tweak := NewTier(tier, key[:half]), NewTier(tier, key[len(key)-half:])
	for _, run := range []struct {
		name      string
		f         func(c, tweak *Cipher, dst, src []byte, iv *[16]byte) bool
		src, want []byte
	}{
		{"encryption", a.encrypt, plain, text},
		{"decryption", a.decrypt, text, plain},
	} {
		for _, inPlace := range []bool{false, true} {
			var chain [16]byte
			copy(chain[:], iv)
			src := bytes.Clone(run.src)
			dst := src
			if !inPlace {
				dst = make([]byte, len(src))
			}
			if !run.f(c, tweak, dst, src, &chain) {
				continue // built by package mode
			}
			if !bytes.Equal(dst, run.want) {
				t.Errorf("%v, %s %s, %s, in place %v: wrong result", tier, algorithm, id, run.name, inPlace)
			}
			if next != nil && !bytes.Equal(chain[:], next) {
				t.Errorf("%v, %s %s, %s, in place %v: wrong next iv", tier, algorithm, id, run.name, inPlace)
			}
		}
	}
}

func TestPublishedVectors(t *testing.T) {
	for algorithm, a := range published {
		file, err := vectors.For(algorithm)
		if err != nil || file == nil {
			t.Fatalf("%s: %v, %v", algorithm, file, err)
		}
		for _, tier := range Tiers() {
			if tier.Available() != nil {
				continue
			}
			ran := 0
			for i := range file.Tests {
				v := &file.Tests[i]
				if !v.Valid() || len(v.Plaintext) == 0 {
					continue
				}
				if size := len(v.Key) / a.keys; size != 16 && size != 24 && size != 32 || v.Iterations > 1 {
					t.Errorf("%s %s: key of %d bytes, %d iterations", algorithm, v.ID, len(v.Key), v.Iterations)
					continue
				}
				checkAnswer(t, tier, algorithm, v.ID, v.Key, v.IV, v.Plaintext, v.Ciphertext, nil)
				ran++
			}
			if ran == 0 {
				t.Errorf("%v: no vectors of %s", tier, algorithm)
			}
		}
	}
}

func TestKernelVectors(t *testing.T) {
	kernel, err := vectors.ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range Tiers() {
		if tier.Available() != nil {
			continue
		}
		ran := map[string]int{}
		for i := range kernel.Vectors {
			v := &kernel.Vectors[i]
			if _, ok := published[v.Alg]; !ok || v.Len == 0 {
				continue
			}
			next := v.NextIV(true)
			if !bytes.Equal(next, v.NextIV(false)) {
				next = nil
			}
			checkAnswer(t, tier, v.Alg, v.Driver, v.Key, v.IV, v.Plaintext, v.Ciphertext, next)
			ran[v.Alg]++
		}
		for algorithm := range published {
			if ran[algorithm] == 0 && !strings.HasPrefix(algorithm, "ecb") {
				t.Errorf("%v: no answers of the kernel for %s", tier, algorithm)
			}
		}
	}
}
