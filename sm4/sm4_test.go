package sm4_test

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/sm4"
)

// hidden is a block without any method but those of cipher.Block: crypto/cipher
// builds its modes over it from single blocks.
type hidden struct{ cipher.Block }

func newCipher(t testing.TB, key []byte) cipher.Block {
	t.Helper()
	b, err := sm4.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func TestVectors(t *testing.T) {
	for _, name := range []string{"ecb(sm4)", "cbc(sm4)", "ctr(sm4)"} {
		file, err := vectors.For(name)
		if err != nil || file == nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range file.Tests {
			v := &file.Tests[i]
			b, err := sm4.NewCipher(v.Key)
			if err != nil {
				if v.Valid() {
					t.Errorf("%s: %v", v.ID, err)
				}
				continue
			}
			var encrypted, decrypted []byte
			switch {
			case v.Iterations > 1 || !v.Valid():
				continue
			case name == "ecb(sm4)":
				for j := 0; j < len(v.Plaintext); j += 16 {
					encrypted, decrypted = append(encrypted, make([]byte, 16)...), append(decrypted, make([]byte, 16)...)
					b.Encrypt(encrypted[j:], v.Plaintext[j:])
					b.Decrypt(decrypted[j:], v.Ciphertext[j:])
				}
			case name == "cbc(sm4)":
				encrypted, decrypted = bytes.Clone(v.Plaintext), bytes.Clone(v.Ciphertext)
				cipher.NewCBCEncrypter(b, v.IV).CryptBlocks(encrypted, encrypted)
				cipher.NewCBCDecrypter(b, v.IV).CryptBlocks(decrypted, decrypted)
			case name == "ctr(sm4)":
				encrypted, decrypted = bytes.Clone(v.Plaintext), bytes.Clone(v.Ciphertext)
				cipher.NewCTR(b, v.IV).XORKeyStream(encrypted, encrypted)
				cipher.NewCTR(b, v.IV).XORKeyStream(decrypted, decrypted)
			}
			if !bytes.Equal(encrypted, v.Ciphertext) {
				t.Errorf("%s: encryption gives %x", v.ID, encrypted)
			}
			if !bytes.Equal(decrypted, v.Plaintext) {
				t.Errorf("%s: decryption gives %x", v.ID, decrypted)
			}
		}
	}
}

// GB/T 32907-2016 annex A.2: a block encrypted 1,000,000 times.
func TestMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million blocks")
	}
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	b, block := newCipher(t, key), bytes.Clone(key)
	for range 1_000_000 {
		b.Encrypt(block, block)
	}
	if got := hex.EncodeToString(block); got != "595298c7c6fd271f0402f804c33d3f66" {
		t.Errorf("encryption gives %s", got)
	}
	for range 1_000_000 {
		b.Decrypt(block, block)
	}
	if !bytes.Equal(block, key) {
		t.Errorf("decryption gives %x", block)
	}
}

func TestKeySizeError(t *testing.T) {
	for _, n := range []int{0, 1, 8, 15, 17, 24, 32, 33} {
		b, err := sm4.NewCipher(make([]byte, n))
		var size sm4.KeySizeError
		if b != nil || !errors.As(err, &size) || int(size) != n {
			t.Errorf("key of %d bytes: %v, %v", n, b, err)
			continue
		}
		if want := fmt.Sprintf("sm4: key of %d bytes, want 16", n); err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
	}
}

// The key is copied.
func TestKeyIsCopied(t *testing.T) {
	key, src := random(1, 16), random(2, 16)
	want, got := make([]byte, 16), make([]byte, 16)
	newCipher(t, bytes.Clone(key)).Encrypt(want, src)
	b := newCipher(t, key)
	clear(key)
	if b.Encrypt(got, src); !bytes.Equal(got, want) {
		t.Error("the key is not copied")
	}
}

// Only the first 16 bytes of either slice count.
func TestOneBlock(t *testing.T) {
	b := newCipher(t, random(1, 16))
	if b.BlockSize() != 16 || sm4.BlockSize != 16 || sm4.KeySize != 16 {
		t.Error("sizes are wrong")
	}
	src := random(2, 32)
	want, back := make([]byte, 16), make([]byte, 16)
	b.Encrypt(want, src)
	if b.Decrypt(back, want); !bytes.Equal(back, src[:16]) {
		t.Errorf("decryption gives %x", back)
	}

	buf := append(bytes.Clone(src), 1, 2, 3)
	b.Encrypt(buf[16:], buf) // neighbours in one array
	if !bytes.Equal(buf[16:32], want) || !bytes.Equal(buf[:16], src[:16]) || !bytes.Equal(buf[32:], []byte{1, 2, 3}) {
		t.Errorf("neighbours: %x", buf)
	}
	b.Encrypt(buf[:20], buf)
	if !bytes.Equal(buf[:16], want) || !bytes.Equal(buf[16:32], want) {
		t.Errorf("in place: %x", buf)
	}

	for _, f := range []func(dst, src []byte){b.Encrypt, b.Decrypt} {
		for n := range 16 {
			wantPanic(t, "sm4: input not full block", func() { f(buf, src[:n]) })
			wantPanic(t, "sm4: output not full block", func() { f(buf[:n], src) })
		}
		for _, d := range []int{1, 8, 15} {
			wantPanic(t, "sm4: invalid buffer overlap", func() { f(buf[d:], buf[:16]) })
			wantPanic(t, "sm4: invalid buffer overlap", func() { f(buf, buf[d:d+16]) })
		}
	}
}

func wantPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != text {
			t.Errorf("panic %v, want %q", got, text)
		}
	}()
	f()
}

// The modes that crypto/cipher gets from the block are those that it builds
// itself from single blocks.
func TestCryptoCipher(t *testing.T) {
	b := newCipher(t, random(1, 16))
	for n := range 1100 {
		if n > 100 && n%16 > 1 && n%97 != 0 {
			continue
		}
		src, iv := random(byte(n), n), random(byte(n+1), 16)
		if n%3 == 0 { // carries of every length
			for i := 16 - n%17; i < 16; i++ {
				iv[i] = 0xff
			}
		}
		want, got := make([]byte, n), make([]byte, n)
		cipher.NewCTR(hidden{b}, iv).XORKeyStream(want, src)
		cipher.NewCTR(b, iv).XORKeyStream(got, src)
		if !bytes.Equal(got, want) {
			t.Fatalf("CTR, %d bytes, iv %x: wrong output", n, iv)
		}
		if n%16 != 0 {
			continue
		}
		cipher.NewCBCEncrypter(hidden{b}, iv).CryptBlocks(want, src)
		cipher.NewCBCEncrypter(b, iv).CryptBlocks(got, src)
		if !bytes.Equal(got, want) {
			t.Fatalf("CBC encryption, %d bytes: wrong output", n)
		}
		cipher.NewCBCDecrypter(hidden{b}, iv).CryptBlocks(want, src)
		cipher.NewCBCDecrypter(b, iv).CryptBlocks(got, src)
		if !bytes.Equal(got, want) {
			t.Fatalf("CBC decryption, %d bytes: wrong output", n)
		}
	}
}

// A message may come in pieces, split at every point and into pieces of every
// size, in place and not.
func TestPieces(t *testing.T) {
	b := newCipher(t, random(1, 16))
	iv := bytes.Repeat([]byte{0xff}, 16)
	src := random(2, 20*16+5)
	want := make([]byte, len(src))
	cipher.NewCTR(hidden{b}, iv).XORKeyStream(want, src)
	for n := range len(src) + 1 {
		buf := bytes.Clone(src)
		s := cipher.NewCTR(b, iv)
		s.XORKeyStream(buf[:n], buf[:n])
		s.XORKeyStream(buf[n:], buf[n:])
		if !bytes.Equal(buf, want) {
			t.Fatalf("CTR split at %d: wrong output", n)
		}
		dst := make([]byte, len(src))
		s = cipher.NewCTR(b, iv)
		for i := 0; n > 0 && i < len(src); i += n {
			s.XORKeyStream(dst[i:], src[i:min(len(src), i+n)])
		}
		if n > 0 && !bytes.Equal(dst, want) {
			t.Fatalf("CTR in pieces of %d: wrong output", n)
		}
	}

	src = src[:20*16]
	want = want[:len(src)]
	for _, c := range []struct {
		name    string
		newMode func(cipher.Block, []byte) cipher.BlockMode
	}{{"CBC encryption", cipher.NewCBCEncrypter}, {"CBC decryption", cipher.NewCBCDecrypter}} {
		c.newMode(hidden{b}, iv).CryptBlocks(want, src)
		for n := 0; n <= len(src); n += 16 {
			buf := bytes.Clone(src)
			m := c.newMode(b, iv)
			m.CryptBlocks(buf[:n], buf[:n])
			m.CryptBlocks(nil, nil)
			m.CryptBlocks(buf[n:], buf[n:])
			if !bytes.Equal(buf, want) {
				t.Fatalf("%s split at %d: wrong output", c.name, n)
			}
			// SetIV begins a new message.
			m.(interface{ SetIV([]byte) }).SetIV(iv)
			m.CryptBlocks(buf, src)
			if !bytes.Equal(buf, want) {
				t.Fatalf("%s after SetIV: wrong output", c.name)
			}
		}
	}
	if !bytes.Equal(iv, bytes.Repeat([]byte{0xff}, 16)) {
		t.Error("the caller's iv was changed")
	}
}

func TestModePanics(t *testing.T) {
	b := newCipher(t, random(1, 16))
	buf, iv := random(2, 200), random(3, 16)
	ctr := cipher.NewCTR(b, iv).XORKeyStream
	encrypt := cipher.NewCBCEncrypter(b, iv).CryptBlocks
	decrypt := cipher.NewCBCDecrypter(b, iv).CryptBlocks
	for _, f := range []func(dst, src []byte){ctr, encrypt, decrypt} {
		wantPanic(t, "sm4: output smaller than input", func() { f(buf[:63], buf[100:164]) })
		for _, d := range []int{-63, -16, -1, 1, 16, 63} {
			before := bytes.Clone(buf)
			wantPanic(t, "sm4: invalid buffer overlap", func() { f(buf[64+d:128+d], buf[64:128]) })
			if !bytes.Equal(buf, before) {
				t.Error("written before the panic")
			}
		}
		f(nil, nil)
	}
	wantPanic(t, "sm4: input not full blocks", func() { encrypt(buf, buf[:17]) })
	wantPanic(t, "sm4: input not full blocks", func() { decrypt(buf, buf[:15]) })
	for _, n := range []int{15, 17} {
		// crypto/cipher has its own checks; these are of the methods that it calls.
		text := fmt.Sprintf("sm4: IV of %d bytes, want 16", n)
		wantPanic(t, text, func() { b.(interface{ NewCTR([]byte) cipher.Stream }).NewCTR(buf[:n]) })
		wantPanic(t, text, func() { b.(interface{ NewCBCEncrypter([]byte) cipher.BlockMode }).NewCBCEncrypter(buf[:n]) })
		wantPanic(t, text, func() { b.(interface{ NewCBCDecrypter([]byte) cipher.BlockMode }).NewCBCDecrypter(buf[:n]) })
		wantPanic(t, text, func() {
			cipher.NewCBCEncrypter(b, iv).(interface{ SetIV([]byte) }).SetIV(buf[:n])
		})
	}
}

func TestAllocations(t *testing.T) {
	key := random(1, 16)
	b := newCipher(t, key)
	buf, iv := make([]byte, 1000), make([]byte, 16)
	ctr, encrypter, decrypter := cipher.NewCTR(b, iv), cipher.NewCBCEncrypter(b, iv), cipher.NewCBCDecrypter(b, iv)
	if n := testing.AllocsPerRun(50, func() {
		b.Encrypt(buf, buf)
		b.Decrypt(buf, buf)
		ctr.XORKeyStream(buf, buf)
		encrypter.CryptBlocks(buf[:992], buf[:992])
		decrypter.CryptBlocks(buf[:992], buf[:992])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestConcurrently(t *testing.T) {
	b := newCipher(t, random(1, 16))
	src, iv := random(2, 500), random(3, 16)
	want := make([]byte, len(src))
	cipher.NewCTR(b, iv).XORKeyStream(want, src)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			dst := make([]byte, len(src))
			for range 20 {
				if cipher.NewCTR(b, iv).XORKeyStream(dst, src); !bytes.Equal(dst, want) {
					t.Error("wrong output")
					return
				}
			}
		})
	}
	wg.Wait()
}

func ExampleNewCipher() {
	key, iv := []byte("0123456789abcdef"), make([]byte, sm4.BlockSize)
	b, err := sm4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	message := []byte("The block works with crypto/cipher.")
	cipher.NewCTR(b, iv).XORKeyStream(message, message)
	cipher.NewCTR(b, iv).XORKeyStream(message, message)
	fmt.Println(string(message))
	// Output: The block works with crypto/cipher.
}

// The example of GB/T 32907-2016 annex A.1.
func Example() {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	b, err := sm4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	block := bytes.Clone(key)
	b.Encrypt(block, block)
	fmt.Println(hex.EncodeToString(block))
	// Output: 681edf34d206965e86b3e94f536e4246
}
