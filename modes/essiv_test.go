package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/modes"
	"ucrypt/sm4"
)

func newESSIV(t testing.TB, newCipher func([]byte) (cipher.Block, error), newHash func() hash.Hash, key []byte) *modes.ESSIV {
	t.Helper()
	e, err := modes.NewESSIV(newCipher, newHash, key)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestESSIVKernel(t *testing.T) {
	eachKernelCall(t, "essiv(cbc(aes),sha256)", func(c vectors.Call) {
		e := newESSIV(t, aes.NewCipher, sha256.New, c.Key)
		crypt := e.Decrypt
		if c.Encrypt {
			crypt = e.Encrypt
		}
		iv := bytes.Clone(c.IV)
		same(t, "essiv", c.Out, c.In, func(dst, src []byte) { crypt(dst, src, iv) })
		if !bytes.Equal(iv, c.IV) {
			t.Error("iv changed")
		}
	})
}

// Units are CBC with the encrypted number as the iv.
func TestESSIVUnits(t *testing.T) {
	for _, c := range []struct {
		newCipher func([]byte) (cipher.Block, error)
		newHash   func() hash.Hash
		keySize   int
	}{{aes.NewCipher, sha256.New, 16}, {aes.NewCipher, sha256.New, 32}, {sm4.NewCipher, md5.New, 16}, {des.NewTripleDESCipher, hash24, 24}} {
		key := random(1, c.keySize)
		e := newESSIV(t, c.newCipher, c.newHash, key)
		b := block(t, c.newCipher, key)
		h := c.newHash()
		h.Write(key)
		salt := block(t, c.newCipher, h.Sum(nil))
		for _, units := range []int{0, 1, 2, 16, 17, 40} {
			const unitSize = 48
			src := random(2, units*unitSize)
			if units > 1 {
				src = src[:len(src)-16]
			}
			want := make([]byte, len(src))
			for i := 0; i < len(src); i += unitSize {
				iv := make([]byte, b.BlockSize())
				iv[0], iv[4] = byte(200+i/unitSize), 1
				if 200+i/unitSize > 255 {
					t.Fatal("the number does not fit into its byte")
				}
				salt.Encrypt(iv, iv)
				end := min(len(src), i+unitSize)
				cipher.NewCBCEncrypter(b, iv).CryptBlocks(want[i:end], src[i:end])
			}
			same(t, "units", want, src, func(dst, src []byte) { e.EncryptUnits(dst, src, unitSize, 1<<32+200) })
			same(t, "units", src, want, func(dst, src []byte) { e.DecryptUnits(dst, src, unitSize, 1<<32+200) })
		}
	}
}

// hash24 is a hash whose digest is a key of Triple DES.
func hash24() hash.Hash { return cut{sha256.New()} }

type cut struct{ hash.Hash }

func (c cut) Sum(b []byte) []byte { return append(b, c.Hash.Sum(nil)[:24]...) }

func TestNewESSIVErrors(t *testing.T) {
	var size sm4.KeySizeError
	_, err := modes.NewESSIV(sm4.NewCipher, sha256.New, make([]byte, 16))
	if want := "modes: ESSIV needs a cipher that takes the hash of 32 bytes as its key: sm4: key of 32 bytes, want 16"; err == nil ||
		err.Error() != want || !errors.As(err, &size) || size != 32 {
		t.Errorf("SM4 with SHA-256: %v, want %s", err, want)
	}
	if _, err = modes.NewESSIV(sm4.NewCipher, md5.New, make([]byte, 15)); !errors.As(err, &size) || size != 15 {
		t.Errorf("SM4 key of 15 bytes: %v", err)
	}
	small := func(key []byte) (cipher.Block, error) { return tiny{}, nil }
	if _, err = modes.NewESSIV(small, sha256.New, nil); err == nil || err.Error() != "modes: ESSIV of a cipher with blocks of 4 bytes, want 8 to 128" {
		t.Errorf("blocks of 4 bytes: %v", err)
	}
}

type tiny struct{ cipher.Block }

func (tiny) BlockSize() int { return 4 }

func TestESSIVPanics(t *testing.T) {
	e := newESSIV(t, sm4.NewCipher, md5.New, random(1, 16))
	dst, src, iv := random(2, 64), random(3, 64), random(4, 16)
	for _, f := range []func(dst, src []byte){
		func(dst, src []byte) { e.Encrypt(dst, src, iv) },
		func(dst, src []byte) { e.Decrypt(dst, src, iv) },
		func(dst, src []byte) { e.EncryptUnits(dst, src, 32, 1) },
		func(dst, src []byte) { e.DecryptUnits(dst, src, 32, 1) },
	} {
		wantPanic(t, "modes: output smaller than input", dst, func() { f(dst[:63], src) })
		wantPanic(t, "modes: input not full blocks", dst, func() { f(dst, src[:47]) })
		wantOverlapPanics(t, 48, f)
		f(nil, nil)
	}
	wantPanic(t, "modes: IV of 15 bytes, want 16", dst, func() { e.Encrypt(dst, src, iv[:15]) })
	wantPanic(t, "modes: IV of 0 bytes, want 16", dst, func() { e.Decrypt(dst, src, nil) })
	wantPanic(t, "modes: invalid buffer overlap", dst, func() { e.Encrypt(dst, src, dst[:16]) })
	for _, n := range []int{-16, 0, 8, 24} {
		text := fmt.Sprintf("modes: ESSIV data units of %d bytes, want a multiple of 16", n)
		wantPanic(t, text, dst, func() { e.EncryptUnits(dst, src, n, 1) })
		wantPanic(t, text, dst, func() { e.DecryptUnits(dst, src, n, 1) })
	}
}

func TestESSIVAllocations(t *testing.T) {
	e := newESSIV(t, sm4.NewCipher, md5.New, random(1, 16))
	if n := testing.AllocsPerRun(50, func() {
		var dst, src [640]byte
		var iv [16]byte
		e.Encrypt(dst[:], src[:], iv[:])
		e.Decrypt(dst[:], src[:], iv[:])
		e.EncryptUnits(dst[:], src[:], 64, 1)
		e.DecryptUnits(dst[:], src[:], 64, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleNewESSIV() {
	// dm-crypt's aes-cbc-essiv:sha256, sector 3.
	e, err := modes.NewESSIV(aes.NewCipher, sha256.New, make([]byte, 32))
	if err != nil {
		panic(err)
	}
	sector := make([]byte, 512)
	e.EncryptUnits(sector, sector, 512, 3)
	fmt.Printf("%x\n", sector[:16])
	// Output: ac1c08c240e76332a7a724a1fc3e42ff
}
