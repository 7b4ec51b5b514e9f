package modes_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/modes"
	"ucrypt/sm4"
)

// blockMode runs a new mode over whole buffers.
func blockMode(newMode func() cipher.BlockMode) func(dst, src []byte) {
	return func(dst, src []byte) { newMode().CryptBlocks(dst, src) }
}

func stream(newStream func() cipher.Stream) func(dst, src []byte) {
	return func(dst, src []byte) { newStream().XORKeyStream(dst, src) }
}

func TestECBAndCFBVectors(t *testing.T) {
	for _, newCipher := range []func([]byte) (cipher.Block, error){sm4.NewCipher, newHiddenSM4} {
		eachVector(t, "ecb(sm4)", func(v *vectors.Test) {
			b, err := newCipher(v.Key)
			switch {
			case v.Iterations > 1: // package sm4 tests it
			case !v.Valid() && err != nil:
			case err != nil:
				t.Errorf("%s: %v", v.ID, err)
			case !v.Valid():
				dst := make([]byte, len(v.Plaintext))
				wantPanic(t, "modes: input not full blocks", dst, func() { modes.NewECBEncrypter(b).CryptBlocks(dst, v.Plaintext) })
				wantPanic(t, "modes: input not full blocks", dst, func() { modes.NewECBDecrypter(b).CryptBlocks(dst, v.Plaintext) })
			default:
				same(t, v.ID, v.Ciphertext, v.Plaintext, blockMode(func() cipher.BlockMode { return modes.NewECBEncrypter(b) }))
				same(t, v.ID, v.Plaintext, v.Ciphertext, blockMode(func() cipher.BlockMode { return modes.NewECBDecrypter(b) }))
			}
		})
		eachVector(t, "cfb(sm4)", func(v *vectors.Test) {
			b := block(t, newCipher, v.Key)
			same(t, v.ID, v.Ciphertext, v.Plaintext, stream(func() cipher.Stream { return modes.NewCFBEncrypter(b, v.IV) }))
			same(t, v.ID, v.Plaintext, v.Ciphertext, stream(func() cipher.Stream { return modes.NewCFBDecrypter(b, v.IV) }))
		})
	}
}

func TestECB(t *testing.T) {
	for name, b := range blocks(t) {
		size := b.BlockSize()
		for _, n := range []int{0, 1, 2, 17, 64, 100, 5000} {
			src := random(1, n*size)
			want := make([]byte, len(src))
			for i := 0; i < len(src); i += size {
				b.Encrypt(want[i:], src[i:])
			}
			what := fmt.Sprintf("%s, %d blocks", name, n)
			same(t, what, want, src, blockMode(func() cipher.BlockMode { return modes.NewECBEncrypter(b) }))
			same(t, what, src, want, blockMode(func() cipher.BlockMode { return modes.NewECBDecrypter(b) }))
		}
		if got := modes.NewECBEncrypter(b).BlockSize(); got != size {
			t.Errorf("%s: block size %d", name, got)
		}
	}
}

// CFB in pieces, split at every point and into pieces of every size, gives what
// the standard library's gives.
func TestCFBInPieces(t *testing.T) {
	for name, b := range blocks(t) {
		size := b.BlockSize()
		src, iv := random(1, 10*size+3), random(2, size)
		want := make([]byte, len(src))
		cipher.NewCFBEncrypter(hidden{b}, iv).XORKeyStream(want, src)
		for n := range len(src) + 1 {
			for _, c := range []struct {
				in, out   []byte
				newStream func(cipher.Block, []byte) cipher.Stream
			}{{src, want, modes.NewCFBEncrypter}, {want, src, modes.NewCFBDecrypter}} {
				buf := bytes.Clone(c.in)
				s := c.newStream(b, iv)
				s.XORKeyStream(buf[:n], buf[:n])
				s.XORKeyStream(buf[n:], buf[n:])
				if !bytes.Equal(buf, c.out) {
					t.Fatalf("%s, split at %d: wrong output", name, n)
				}
				if n == 0 {
					continue
				}
				dst := make([]byte, len(c.in))
				s = c.newStream(b, iv)
				for i := 0; i < len(dst); i += n {
					end := min(len(dst), i+n)
					s.XORKeyStream(dst[i:], c.in[i:end])
				}
				if !bytes.Equal(dst, c.out) {
					t.Fatalf("%s, in pieces of %d: wrong output", name, n)
				}
			}
		}
	}
}

func TestECBAndCFBPanics(t *testing.T) {
	for name, b := range blocks(t) {
		size := b.BlockSize()
		dst, src, iv := random(1, 6*size), random(2, 6*size), random(3, size)
		for _, f := range []func(dst, src []byte){
			modes.NewECBEncrypter(b).CryptBlocks,
			modes.NewECBDecrypter(b).CryptBlocks,
		} {
			for _, n := range []int{1, size - 1, size + 1} {
				wantPanic(t, "modes: input not full blocks", dst, func() { f(dst, src[:n]) })
			}
			wantPanic(t, "modes: output smaller than input", dst, func() { f(dst[:5*size], src) })
			wantOverlapPanics(t, 3*size, f)
			f(nil, nil)
		}
		for _, newStream := range []func(cipher.Block, []byte) cipher.Stream{modes.NewCFBEncrypter, modes.NewCFBDecrypter} {
			f := newStream(b, iv).XORKeyStream
			wantPanic(t, "modes: output smaller than input", dst, func() { f(dst[:5*size], src[:5*size+1]) })
			wantOverlapPanics(t, 3*size+1, f)
			f(nil, nil)
			for _, n := range []int{0, size - 1, size + 1} {
				wantPanic(t, fmt.Sprintf("modes: IV of %d bytes, want %d", n, size), nil, func() { newStream(b, src[:n]) })
			}
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// The iv is copied at construction and stays the caller's.
func TestIVIsCopied(t *testing.T) {
	b := block(t, sm4.NewCipher, random(1, 16))
	src, iv := random(2, 48), random(3, 16)
	want, got := make([]byte, 48), make([]byte, 48)
	modes.NewCFBEncrypter(b, iv).XORKeyStream(want, src)
	kept := bytes.Clone(iv)
	s := modes.NewCFBEncrypter(b, iv)
	clear(iv)
	s.XORKeyStream(got, src)
	if !bytes.Equal(got, want) {
		t.Error("the iv is not copied")
	}
	if bytes.Equal(iv, kept) || !bytes.Equal(iv, make([]byte, 16)) {
		t.Error("the caller's iv was changed")
	}
}

func TestECBAndCFBAllocations(t *testing.T) {
	b := block(t, sm4.NewCipher, random(1, 16))
	ecbEncrypter, ecbDecrypter := modes.NewECBEncrypter(b), modes.NewECBDecrypter(b)
	cfbEncrypter, cfbDecrypter := modes.NewCFBEncrypter(b, random(2, 16)), modes.NewCFBDecrypter(b, random(2, 16))
	buf := make([]byte, 800)
	if n := testing.AllocsPerRun(50, func() {
		ecbEncrypter.CryptBlocks(buf, buf)
		ecbDecrypter.CryptBlocks(buf, buf)
		cfbEncrypter.XORKeyStream(buf, buf[:777])
		cfbDecrypter.XORKeyStream(buf, buf[:777])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleNewCFBEncrypter() {
	key, iv := []byte("0123456789abcdef"), make([]byte, sm4.BlockSize)
	b, err := sm4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	message := []byte("of any length")
	modes.NewCFBEncrypter(b, iv).XORKeyStream(message, message)
	modes.NewCFBDecrypter(b, iv).XORKeyStream(message, message)
	fmt.Println(string(message))
	// Output: of any length
}
