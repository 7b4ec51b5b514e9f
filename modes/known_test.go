package modes

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"fmt"
	"hash"
	"testing"

	ours "ucrypt/aes"
	"ucrypt/internal/aes"
	"ucrypt/internal/mode"
)

// wrapped has the methods of crypto/aes's block, and another type. Its flip
// changes what is encrypted.
type wrapped struct {
	cipher.Block
	flip byte
}

func (w wrapped) Encrypt(dst, src []byte) {
	w.Block.Encrypt(dst, src)
	dst[0] ^= w.flip
}

func (w wrapped) Decrypt(dst, src []byte) {
	block := bytes.Clone(src[:16])
	block[0] ^= w.flip
	w.Block.Decrypt(dst, block)
}

// constructors are what may be given instead of crypto/aes's NewCipher. Only
// known is to be recognised.
var constructors = []struct {
	name      string
	known     bool
	newCipher func(key []byte) (cipher.Block, error)
}{
	{"crypto/aes", true, stdaes.NewCipher},
	{"a function that calls it", true, func(key []byte) (cipher.Block, error) { return stdaes.NewCipher(key) }},
	{"key changed", false, func(key []byte) (cipher.Block, error) {
		key = bytes.Clone(key)
		key[len(key)-1] ^= 0x80
		return stdaes.NewCipher(key)
	}},
	{"key of another size", false, func(key []byte) (cipher.Block, error) {
		if len(key) == 32 {
			return stdaes.NewCipher(key[:16])
		}
		return stdaes.NewCipher(append(bytes.Clone(key), make([]byte, 32-len(key))...))
	}},
	{"key changed afterwards", false, func(key []byte) (cipher.Block, error) {
		b, err := stdaes.NewCipher(key)
		key[0] ^= 1
		return b, err
	}},
	{"key hashed", false, func(key []byte) (cipher.Block, error) {
		sum := sha256.Sum256(key)
		return stdaes.NewCipher(sum[:])
	}},
	{"wrapped", false, func(key []byte) (cipher.Block, error) {
		b, err := stdaes.NewCipher(key)
		return wrapped{b, 0}, err
	}},
	{"wrapped and changed", false, func(key []byte) (cipher.Block, error) {
		b, err := stdaes.NewCipher(key)
		return wrapped{b, 1}, err
	}},
	{"pointer to a wrapped one", false, func(key []byte) (cipher.Block, error) {
		b, err := stdaes.NewCipher(key)
		return &wrapped{b, 1}, err
	}},
}

// secondCall is a constructor that is faithful but for its second key: that of
// the tweak in XTS, of the iv in ESSIV.
func secondCall() func(key []byte) (cipher.Block, error) {
	calls := 0
	return func(key []byte) (cipher.Block, error) {
		key = bytes.Clone(key)
		if calls++; calls == 2 {
			key[0] ^= 1
		}
		return stdaes.NewCipher(key)
	}
}

// asIs makes the blocks of a constructor unknown, which shows what they do.
func asIs(newCipher func([]byte) (cipher.Block, error)) func([]byte) (cipher.Block, error) {
	return func(key []byte) (cipher.Block, error) {
		b, err := newCipher(key)
		return wrapped{b, 0}, err
	}
}

func testKey(n int) []byte {
	key := make([]byte, n)
	for i := range key {
		key[i] = byte(3*i + i*i + 1)
	}
	return key
}

// A block is replaced by ours only if it is of crypto/aes and has the key.
func TestKnown(t *testing.T) {
	if aes.Best() == aes.Go {
		t.Log("crypto/aes is the fastest AES here: nothing is replaced")
	}
	for _, c := range constructors {
		for _, n := range []int{16, 24, 32} {
			key := testKey(n)
			b, err := c.newCipher(key)
			if err != nil {
				t.Fatal(err)
			}
			if replaced := ofKey(b, key) != mode.Of(b); replaced != (c.known && aes.Best() != aes.Go) {
				t.Errorf("%s, key of %d bytes: replaced %v", c.name, n, replaced)
			}
		}
	}
	b, err := ours.NewCipher(testKey(16))
	if err != nil {
		t.Fatal(err)
	}
	if ofKey(b, testKey(16)) != mode.Of(b) {
		t.Error("ucrypt/aes: replaced")
	}
}

// Whatever the constructor does to its key, XTS is that of its blocks.
func TestXTSOfConstructor(t *testing.T) {
	text := testKey(700)
	compare := func(name string, n int, newCipher, again func([]byte) (cipher.Block, error), options ...XTSOption) {
		x, err := NewXTS(newCipher, testKey(n), options...)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := NewXTS(asIs(again), testKey(n), options...)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{16, 17, 31, 32, 33, 512, 700} {
			got, want := make([]byte, size), make([]byte, size)
			x.Encrypt(got, text[:size], 5)
			reference.Encrypt(want, text[:size], 5)
			if !bytes.Equal(got, want) {
				t.Errorf("%s, key of %d bytes, %d bytes: encrypted otherwise than by its blocks", name, n, size)
			}
			if x.Decrypt(got, got, 5); !bytes.Equal(got, text[:size]) {
				t.Errorf("%s, key of %d bytes, %d bytes: wrong plaintext", name, n, size)
			}
		}
	}
	for _, options := range [][]XTSOption{nil, {XTSGB}} {
		for _, n := range []int{32, 48, 64} {
			for _, c := range constructors {
				compare(c.name, n, c.newCipher, c.newCipher, options...)
			}
			compare("second key changed", n, secondCall(), secondCall(), options...)
		}
	}
}

func TestESSIVOfConstructor(t *testing.T) {
	text := testKey(640)
	compare := func(name string, n int, newCipher, again func([]byte) (cipher.Block, error)) {
		e, err := NewESSIV(newCipher, sha256.New, testKey(n))
		if err != nil {
			t.Fatal(err)
		}
		reference, err := NewESSIV(asIs(again), sha256.New, testKey(n))
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]byte, len(text)), make([]byte, len(text))
		e.EncryptUnits(got, text, 512, 5)
		reference.EncryptUnits(want, text, 512, 5)
		if !bytes.Equal(got, want) {
			t.Errorf("%s, key of %d bytes: encrypted otherwise than by its blocks", name, n)
		}
		if e.DecryptUnits(got, got, 512, 5); !bytes.Equal(got, text) {
			t.Errorf("%s, key of %d bytes: wrong plaintext", name, n)
		}
	}
	for _, n := range []int{16, 24, 32} {
		for _, c := range constructors {
			compare(c.name, n, c.newCipher, c.newCipher)
		}
		compare("second key changed", n, secondCall(), secondCall())
	}
}

func BenchmarkConstructors(b *testing.B) {
	constructors := map[string]func([]byte) (cipher.Block, error){
		"crypto/aes": stdaes.NewCipher, "ucrypt/aes": ours.NewCipher, "unknown": asIs(stdaes.NewCipher),
	}
	for _, name := range []string{"crypto/aes", "ucrypt/aes", "unknown"} {
		x, err := NewXTS(constructors[name], testKey(64))
		if err != nil {
			b.Fatal(err)
		}
		e, err := NewESSIV(constructors[name], func() hash.Hash { return sha256.New() }, testKey(32))
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{512, 4096} {
			buf := make([]byte, n)
			b.Run(fmt.Sprintf("XTS/%d/%s", n, name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					x.Encrypt(buf, buf, 1)
				}
			})
			b.Run(fmt.Sprintf("ESSIVDecrypt/%d/%s", n, name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					e.DecryptUnits(buf, buf, n, 1)
				}
			})
		}
	}
}
