package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"math/rand/v2"
	"sync"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/sm4"
)

// hidden is a block without any method but those of cipher.Block, so that no
// mode knows it.
type hidden struct{ cipher.Block }

func block(t testing.TB, newCipher func([]byte) (cipher.Block, error), key []byte) cipher.Block {
	t.Helper()
	b, err := newCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newHiddenSM4(key []byte) (cipher.Block, error) {
	b, err := sm4.NewCipher(key)
	return hidden{b}, err
}

// blocks are the kinds of ciphers that a mode meets: ours, and foreign ones.
func blocks(t testing.TB) map[string]cipher.Block {
	key := random(99, 16)
	return map[string]cipher.Block{
		"sm4":        block(t, sm4.NewCipher, key),
		"hidden sm4": block(t, newHiddenSM4, key),
		"aes":        block(t, aes.NewCipher, key),
		"des":        block(t, des.NewCipher, key[:8]),
	}
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// wantPanic runs f, which must panic with the text, and leave dst as it was.
func wantPanic(t *testing.T, text string, dst []byte, f func()) {
	t.Helper()
	before := bytes.Clone(dst)
	defer func() {
		t.Helper()
		if got := recover(); got != text {
			t.Errorf("panic %v, want %q", got, text)
		}
		if !bytes.Equal(dst, before) {
			t.Errorf("%s: written before the panic", text)
		}
	}()
	f()
}

// wantOverlapPanics offers every kind of overlap of dst and src.
func wantOverlapPanics(t *testing.T, n int, f func(dst, src []byte)) {
	t.Helper()
	buf := random(1, 3*n)
	for _, shift := range []int{-n + 1, -16, -1, 1, 16, n - 1} {
		if -n < shift && shift < n {
			wantPanic(t, "modes: invalid buffer overlap", buf, func() { f(buf[n+shift:2*n+shift], buf[n:2*n]) })
		}
	}
	// What lies behind the length of src does not count.
	f(buf[:2*n], buf[2*n:3*n])
	f(buf[n:3*n], buf[:n])
}

// Each file is read once.
var (
	files  = sync.OnceValues(vectors.Files)
	kernel = sync.OnceValues(vectors.ReadKernel)
)

// eachVector runs f on the reference vectors of an algorithm.
func eachVector(t *testing.T, algorithm string, f func(v *vectors.Test)) {
	t.Helper()
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range all {
		if file.Algorithm == algorithm {
			for i := range file.Tests {
				found++
				f(&file.Tests[i])
			}
		}
	}
	if found == 0 {
		t.Errorf("there are no vectors of %s", algorithm)
	}
}

// eachKernelCall runs f on what the kernel answered for an algorithm, in both
// directions.
func eachKernelCall(t *testing.T, algorithm string, f func(c vectors.Call)) {
	t.Helper()
	k, err := kernel()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range k.Vectors {
		if v := &k.Vectors[i]; v.Alg == algorithm {
			found++
			f(vectors.Call{Key: v.Key, IV: v.IV, In: v.Plaintext, Out: v.Ciphertext, Encrypt: true})
			f(vectors.Call{Key: v.Key, IV: v.IV, In: v.Ciphertext, Out: v.Plaintext})
		}
	}
	for i := range k.Streams {
		if s := &k.Streams[i]; s.Alg == algorithm {
			for _, c := range s.Calls() {
				if !c.Refused {
					f(c)
				}
			}
		}
	}
	if found == 0 {
		t.Errorf("the kernel has no answers for %s", algorithm)
	}
}

// same runs f on in, in place and not, and compares the result.
func same(t *testing.T, what string, want, in []byte, f func(dst, src []byte)) {
	t.Helper()
	dst := make([]byte, len(in))
	f(dst, in)
	if !bytes.Equal(dst, want) {
		t.Errorf("%s: %x, want %x", what, dst, want)
	}
	copy(dst, in)
	f(dst, dst)
	if !bytes.Equal(dst, want) {
		t.Errorf("%s, in place: %x, want %x", what, dst, want)
	}
}
