package selftest

import (
	"bytes"
	"crypto/cipher"
	"sync/atomic"
	"testing"
	"unsafe"

	"ucrypt/internal/vectors"
)

// wrongAEAD is an AEAD with a fault: seal, open and overhead stand in for its methods.
type wrongAEAD struct {
	cipher.AEAD
	fault *aeadFault
}

func (w *wrongAEAD) Overhead() int { return w.AEAD.Overhead() + w.fault.overhead }

func (w *wrongAEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if w.fault.seal != nil {
		return w.fault.seal(w.AEAD, dst, nonce, plaintext, additionalData)
	}
	return w.AEAD.Seal(dst, nonce, plaintext, additionalData)
}

func (w *wrongAEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if w.fault.open != nil {
		return w.fault.open(w.AEAD, dst, nonce, ciphertext, additionalData)
	}
	return w.AEAD.Open(dst, nonce, ciphertext, additionalData)
}

type (
	newAEAD  func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)
	sealFunc func(right cipher.AEAD, dst, nonce, plaintext, additionalData []byte) []byte
	openFunc func(right cipher.AEAD, dst, nonce, ciphertext, additionalData []byte) ([]byte, error)
)

type aeadFault struct {
	property  string
	overhead  int
	seal      sealFunc
	open      openFunc
	construct func(right newAEAD, key []byte, nonceSize, tagSize int) (cipher.AEAD, error)
}

// spoilSeal makes a fault of the tag: it is wrong in one bit when the condition holds.
func spoilSeal(when func(dst, nonce, plaintext, additionalData []byte) bool) sealFunc {
	return func(right cipher.AEAD, dst, nonce, plaintext, additionalData []byte) []byte {
		spoil := when(dst, nonce, plaintext, additionalData)
		out := right.Seal(dst, nonce, plaintext, additionalData)
		if spoil {
			out[len(out)-1] ^= 0x10
		}
		return out
	}
}

var (
	sealCalls atomic.Int32
	behind    byte // what a fault read behind its input
)

var aeadFaults = []aeadFault{
	{property: usable, overhead: 1},
	{property: "known-answers", seal: spoilSeal(func(_, _, p, _ []byte) bool { return len(p) == 64 })},
	{property: "lengths", seal: spoilSeal(func(_, _, p, _ []byte) bool { return len(p) == 257 })},
	{property: "associated-data", seal: spoilSeal(func(_, _, _, a []byte) bool { return len(a) == 0xff00 })},
	{property: "sizes", seal: spoilSeal(func(_, n, p, _ []byte) bool { return len(n) == 13 && len(p) == 33 })},
	{property: "offsets", seal: spoilSeal(func(dst, _, _, _ []byte) bool {
		return uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%64 == 63
	})},
	{property: "guard-pages", seal: spoilSeal(func(_, _, p, _ []byte) bool {
		if len(p) > 16 {
			behind ^= *(*byte)(unsafe.Add(unsafe.Pointer(&p[0]), len(p)))
		}
		return false
	})},
	{property: "forgeries", open: func(right cipher.AEAD, dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
		out, err := right.Open(dst, nonce, ciphertext, additionalData)
		if n := len(ciphertext) - right.Overhead(); err != nil && n > 0 && cap(dst) > 0 {
			dst[:1][0] = 1 // of a plaintext that was not to be seen
		}
		return out, err
	}},
	{property: "overlap", seal: func(right cipher.AEAD, dst, nonce, plaintext, additionalData []byte) []byte {
		return right.Seal(dst, nonce, bytes.Clone(plaintext), bytes.Clone(additionalData))
	}},
	{property: "append", seal: func(right cipher.AEAD, dst, nonce, plaintext, additionalData []byte) []byte {
		return append(bytes.Clone(dst), right.Seal(nil, nonce, plaintext, additionalData)...)
	}},
	{property: "wrong-keys", construct: func(right newAEAD, key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		return right(append(bytes.Clone(key), make([]byte, 16)...)[:16], nonceSize, tagSize)
	}},
	{property: "wrong-lengths", construct: func(right newAEAD, key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
		return right(key, nonceSize, tagSize&^1)
	}},
	{property: "goroutines", seal: spoilSeal(func(_, _, _, _ []byte) bool { return sealCalls.Add(1) == 300 })},
	{property: "random", seal: spoilSeal(func(_, _, p, _ []byte) bool { return len(p) > 1000 })},
}

// Each property of an AEAD catches the fault that it is there for.
func TestAEADFaultsAreCaught(t *testing.T) {
	have := map[string]bool{}
	for i := range aeadFaults {
		f := &aeadFaults[i]
		have[f.property] = true
		for _, algorithm := range []string{"gcm(sm4)", "ccm(sm4)"} {
			t.Run(f.property+"/"+algorithm, func(t *testing.T) {
				sealCalls.Store(0)
				sub := driverOf(t, algorithm)
				right := sub.newAEAD
				sub.newAEAD = func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
					if f.construct != nil {
						return f.construct(right, key, nonceSize, tagSize)
					}
					a, err := right(key, nonceSize, tagSize)
					if err != nil {
						return nil, err
					}
					return &wrongAEAD{a, f}, nil
				}
				caught(t, sub, f.property)
			})
		}
	}
	for i := range properties {
		if p := &properties[i]; p.kind == "aead" && !have[p.name] {
			t.Errorf("no fault shows that the property %q can fail", p.name)
		}
	}
}

// TestAEADReference holds the definitions against the published vectors.
func TestAEADReference(t *testing.T) {
	for _, name := range []string{"gcm(sm4)", "gcm(aes)", "ccm(sm4)", "ccm(aes)"} {
		f, err := vectors.For(name)
		if err != nil || f == nil {
			t.Fatal(name, err)
		}
		alg, err := newAlgorithm(name)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for i := range f.Tests {
			v := &f.Tests[i]
			if !v.Valid() {
				continue
			}
			compared++
			got := alg.aead.seal(alg.cipher(v.Key), v.IV, v.Plaintext, v.AAD, len(v.Tag))
			if n := len(v.Ciphertext); !bytes.Equal(got[:n], v.Ciphertext) || !bytes.Equal(got[n:], v.Tag) {
				t.Errorf("%s: %x, want %s and %s", v.ID, got, v.Ciphertext, v.Tag)
			}
		}
		if compared == 0 {
			t.Errorf("nothing to hold %s against", name)
		}
	}
}
