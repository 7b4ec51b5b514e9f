package aes_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"ucrypt/aes"
)

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func blocks(t testing.TB, key []byte) (ours, std cipher.Block) {
	ours, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	std, err = stdaes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return ours, std
}

func ExampleNewCipher() {
	key := []byte("example key 1234")
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	text := []byte("sixteen byte textsixteen byte tex")[:32]
	cipher.NewCBCEncrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(text, text)
	fmt.Printf("%x\n", text)
}

func TestKeySizes(t *testing.T) {
	for n := range 70 {
		_, err := aes.NewCipher(make([]byte, n))
		var size aes.KeySizeError
		if ok := n == 16 || n == 24 || n == 32; ok != (err == nil) || !ok && (!errors.As(err, &size) || int(size) != n) {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
}

// Everything that crypto/cipher makes of the block equals what it makes of
// crypto/aes's.
func TestAsCryptoAES(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, keySize := range []int{16, 24, 32} {
		ours, std := blocks(t, random(r, keySize))
		iv := random(r, 16)
		for n := 0; n <= 320; n += 16 {
			text := random(r, n)
			for name, mode := range map[string]func(b cipher.Block) cipher.BlockMode{
				"CBC encryption": func(b cipher.Block) cipher.BlockMode { return cipher.NewCBCEncrypter(b, iv) },
				"CBC decryption": func(b cipher.Block) cipher.BlockMode { return cipher.NewCBCDecrypter(b, iv) },
			} {
				got, want := make([]byte, n), make([]byte, n)
				m := mode(ours)
				half := n / 32 * 16
				m.CryptBlocks(got[:half], text[:half])
				m.CryptBlocks(got[half:], text[half:])
				if mode(std).CryptBlocks(want, text); !bytes.Equal(got, want) {
					t.Errorf("%s, %d-byte key, %d bytes differ", name, keySize, n)
				}
			}
			got, want := make([]byte, n), make([]byte, n)
			cipher.NewCTR(ours, iv).XORKeyStream(got, text)
			cipher.NewCTR(std, iv).XORKeyStream(want, text)
			if !bytes.Equal(got, want) {
				t.Errorf("CTR, %d-byte key, %d bytes differ", keySize, n)
			}
			for name, gcm := range map[string]func(b cipher.Block) (cipher.AEAD, error){
				"GCM":                      cipher.NewGCM,
				"GCM with a 16-byte nonce": func(b cipher.Block) (cipher.AEAD, error) { return cipher.NewGCMWithNonceSize(b, 16) },
				"GCM with a 12-byte tag":   func(b cipher.Block) (cipher.AEAD, error) { return cipher.NewGCMWithTagSize(b, 12) },
			} {
				a, err := gcm(ours)
				if err != nil {
					t.Fatal(err)
				}
				b, err := gcm(std)
				if err != nil {
					t.Fatal(err)
				}
				nonce := random(r, a.NonceSize())
				if !bytes.Equal(a.Seal(nil, nonce, text, iv), b.Seal(nil, nonce, text, iv)) {
					t.Errorf("%s, %d-byte key, %d bytes differ", name, keySize, n)
				}
			}
		}
		got, want := make([]byte, 20), make([]byte, 20)
		ours.Encrypt(got, iv)
		if std.Encrypt(want, iv); !bytes.Equal(got, want) {
			t.Errorf("Encrypt, %d-byte key: differs, or wrote more than a block", keySize)
		}
		ours.Decrypt(got, iv)
		if std.Decrypt(want, iv); !bytes.Equal(got, want) {
			t.Errorf("Decrypt, %d-byte key: differs, or wrote more than a block", keySize)
		}
	}
}

// The key is copied: what is made of the block later does not see that the
// caller has used the memory for something else, whichever goroutine makes it.
func TestKeyIsCopied(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, keySize := range []int{16, 24, 32} {
		key := random(r, keySize)
		ours, std := blocks(t, key)
		clear(key)
		text, iv := random(r, 100), random(r, 16)
		wantCTR := make([]byte, len(text))
		cipher.NewCTR(std, iv).XORKeyStream(wantCTR, text)
		gcm, err := cipher.NewGCM(std)
		if err != nil {
			t.Fatal(err)
		}
		wantGCM := gcm.Seal(nil, iv[:12], text, nil)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if i%2 == 0 {
					got := make([]byte, len(text))
					if cipher.NewCTR(ours, iv).XORKeyStream(got, text); !bytes.Equal(got, wantCTR) {
						t.Errorf("CTR, %d-byte key: wrong ciphertext", keySize)
					}
				} else if gcm, err := cipher.NewGCM(ours); err != nil || !bytes.Equal(gcm.Seal(nil, iv[:12], text, nil), wantGCM) {
					t.Errorf("GCM, %d-byte key: wrong ciphertext (%v)", keySize, err)
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkModes(b *testing.B) {
	ours, std := blocks(b, make([]byte, 32))
	iv, text := make([]byte, 16), make([]byte, 4096)
	for name, block := range map[string]cipher.Block{"ours": ours, "std": std} {
		gcm, _ := cipher.NewGCM(block)
		out := make([]byte, 0, len(text)+16)
		for mode, run := range map[string]func(){
			"CBCEncrypt": func() { cipher.NewCBCEncrypter(block, iv).CryptBlocks(text, text) },
			"CBCDecrypt": func() { cipher.NewCBCDecrypter(block, iv).CryptBlocks(text, text) },
			"CTR":        func() { cipher.NewCTR(block, iv).XORKeyStream(text, text) },
			"GCM":        func() { gcm.Seal(out, iv[:12], text, nil) },
		} {
			b.Run(mode+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for range b.N {
					run()
				}
			})
		}
	}
}
