package selftest

import (
	"bytes"
	"testing"

	"ucrypt/internal/vectors"
)

// The definitions that everything is compared with are held against all vectors and all
// the kernel's answers.
func TestReference(t *testing.T) {
	files, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		alg, err := newAlgorithm(f.Algorithm)
		if err == nil && alg.digest != nil {
			continue // see TestHashReference
		}
		if err != nil || alg.crypt == nil {
			t.Logf("%s: not held against a definition: %v", f.Name, err)
			continue
		}
		for i := range f.Tests {
			v := &f.Tests[i]
			if !v.Valid() || v.Iterations > 1 {
				continue
			}
			if got, _ := alg.crypt(v.Key, false, v.Plaintext, v.IV); !bytes.Equal(got, v.Ciphertext) {
				t.Errorf("%s: encryption gives %x", v.ID, got)
			}
			if got, _ := alg.crypt(v.Key, true, v.Ciphertext, v.IV); !bytes.Equal(got, v.Plaintext) {
				t.Errorf("%s: decryption gives %x", v.ID, got)
			}
		}
	}
	k, err := vectors.ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := range k.Vectors {
		v := &k.Vectors[i]
		alg, err := newAlgorithm(v.Alg)
		if err != nil || alg.crypt == nil {
			continue
		}
		seen[v.Alg]++
		got, next := alg.crypt(v.Key, false, v.Plaintext, v.IV)
		if want := v.NextIV(true); !bytes.Equal(got, v.Ciphertext) || want != nil && !bytes.Equal(next, want) {
			t.Errorf("%s, %d bytes: encryption gives %x and iv %x", v.Alg, v.Len, got, next)
		}
		got, next = alg.crypt(v.Key, true, v.Ciphertext, v.IV)
		if want := v.NextIV(false); !bytes.Equal(got, v.Plaintext) || want != nil && !bytes.Equal(next, want) {
			t.Errorf("%s, %d bytes: decryption gives %x and iv %x", v.Alg, v.Len, got, next)
		}
	}
	for _, name := range []string{"ecb(sm4)", "cbc(sm4)", "cfb(sm4)", "ctr(sm4)", "xts(sm4)", "cts(cbc(sm4))", "cbc(aes)", "ctr(aes)", "xts(aes)", "cts(cbc(aes))", "essiv(cbc(aes),sha256)"} {
		if seen[name] == 0 {
			t.Errorf("the kernel has no answers for %s", name)
		}
	}
}

// CS1 and CS2 hold the same bytes as CS3 in another order.
func TestStealingVariants(t *testing.T) {
	key, iv := make([]byte, 16), make([]byte, 16)
	crypt := func(name string, decrypt bool, src []byte) []byte {
		alg, err := newAlgorithm(name)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := alg.crypt(key, decrypt, src, iv)
		return out
	}
	for n := 16; n <= 80; n++ {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(i)
		}
		cs3 := crypt("cts(cbc(sm4))", false, src)
		want1, want2 := bytes.Clone(cs3), bytes.Clone(cs3)
		if n > 16 {
			tail := (n-1)%16 + 1
			at := n - tail - 16
			swapped := append(bytes.Clone(cs3[at+16:]), cs3[at:at+16]...)
			copy(want1[at:], swapped)
			if tail == 16 {
				copy(want2[at:], swapped)
			}
		}
		for name, want := range map[string][]byte{"cts-cs1(cbc(sm4))": want1, "cts-cs2(cbc(sm4))": want2} {
			if got := crypt(name, false, src); !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: %x, want %x", name, n, got, want)
			}
			if got := crypt(name, true, want); !bytes.Equal(got, src) {
				t.Errorf("%s, %d bytes: decryption gives %x", name, n, got)
			}
		}
	}
}
