package modes_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"testing"

	"ucrypt/aes"
	"ucrypt/internal/mode"
	"ucrypt/internal/vectors"
	"ucrypt/modes"
	"ucrypt/sm4"
)

// foreignBlock hides the methods of a block, as a cipher of another module has
// none.
type foreignBlock struct{ cipher.Block }

// constructors are the constructors over which a cipher's vectors are tested.
func constructors(algorithm string) map[string]func([]byte) (cipher.Block, error) {
	hidden := func(f func([]byte) (cipher.Block, error)) func([]byte) (cipher.Block, error) {
		return func(key []byte) (cipher.Block, error) {
			b, err := f(key)
			if err != nil {
				return nil, err
			}
			return foreignBlock{b}, nil
		}
	}
	if strings.Contains(algorithm, "sm4") {
		return map[string]func([]byte) (cipher.Block, error){"sm4": sm4.NewCipher, "foreign": hidden(sm4.NewCipher)}
	}
	return map[string]func([]byte) (cipher.Block, error){"aes": aes.NewCipher, "crypto/aes": stdaes.NewCipher, "foreign": hidden(stdaes.NewCipher)}
}

// TestAEADVectors: all reference vectors of gcm and ccm, over SM4 and AES.
func TestAEADVectors(t *testing.T) {
	for _, algorithm := range []string{"gcm(sm4)", "gcm(aes)", "ccm(sm4)", "ccm(aes)"} {
		f, err := vectors.For(algorithm)
		if err != nil || f == nil {
			t.Fatal(algorithm, err)
		}
		newAEAD := modes.NewGCM
		if strings.HasPrefix(algorithm, "ccm") {
			newAEAD = modes.NewCCM
		}
		for name, newCipher := range constructors(algorithm) {
			for i := range f.Tests {
				v := &f.Tests[i]
				b, err := newCipher(v.Key)
				if err != nil {
					if v.Valid() {
						t.Errorf("%s %s: %v", name, v.ID, err)
					}
					continue
				}
				a, err := newAEAD(b, len(v.IV), len(v.Tag))
				if err != nil {
					if v.Valid() {
						t.Errorf("%s %s: %v", name, v.ID, err)
					}
					continue
				}
				sealed := append(bytes.Clone(v.Ciphertext), v.Tag...)
				got, err := a.Open(nil, v.IV, sealed, v.AAD)
				if !v.Valid() {
					if err == nil || got != nil {
						t.Errorf("%s %s (%s): accepted", name, v.ID, v.Comment)
					}
					continue
				}
				if err != nil || !bytes.Equal(got, v.Plaintext) {
					t.Errorf("%s %s: opened as %x, error %v", name, v.ID, got, err)
				}
				if got := a.Seal(nil, v.IV, v.Plaintext, v.AAD); !bytes.Equal(got, sealed) {
					t.Errorf("%s %s: sealed as %x", name, v.ID, got)
				}
			}
		}
	}
}

// TestMACVectors: those of cmac, xcbc and cbcmac.
func TestMACVectors(t *testing.T) {
	of := map[string]func(newCipher func([]byte) (cipher.Block, error), key []byte) (hash.Hash, error){
		"xcbc": modes.NewXCBC,
		"cmac": func(newCipher func([]byte) (cipher.Block, error), key []byte) (hash.Hash, error) {
			b, err := newCipher(key)
			if err != nil {
				return nil, err
			}
			return modes.NewCMAC(b), nil
		},
		"cbcmac": func(newCipher func([]byte) (cipher.Block, error), key []byte) (hash.Hash, error) {
			b, err := newCipher(key)
			if err != nil {
				return nil, err
			}
			return modes.NewCBCMAC(b), nil
		},
	}
	for mac, newMAC := range of {
		for _, inner := range []string{"sm4", "aes"} {
			algorithm := mac + "(" + inner + ")"
			f, err := vectors.For(algorithm)
			if err != nil || f == nil {
				t.Fatal(algorithm, err)
			}
			for name, newCipher := range constructors(algorithm) {
				for i := range f.Tests {
					v := &f.Tests[i]
					h, err := newMAC(newCipher, v.Key)
					if err != nil {
						if v.Valid() {
							t.Errorf("%s %s: %v", name, v.ID, err)
						}
						continue
					}
					h.Write(v.Plaintext)
					got := h.Sum(nil)
					if right := bytes.Equal(got[:len(v.Tag)], v.Tag); right != v.Valid() && len(v.Tag) > 0 {
						t.Errorf("%s %s: %x, want %s to be %s", name, v.ID, got, v.Tag, v.Result)
					}
				}
			}
		}
	}
}

// TestRFC8998: the examples of RFC 8998 appendix A.
func TestRFC8998(t *testing.T) {
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b, err := sm4.NewCipher(unhex("0123456789abcdeffedcba9876543210"))
	if err != nil {
		t.Fatal(err)
	}
	nonce := unhex("00001234567800000000abcd")
	additionalData := unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
	plaintext := unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd" +
		"eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa")
	for _, c := range []struct {
		newAEAD func(cipher.Block, int, int) (cipher.AEAD, error)
		want    string
	}{
		{modes.NewGCM, "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735" +
			"d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" +
			"83de3541e4c2b58177e065a9bf7b62ec"},
		{modes.NewCCM, "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094" +
			"fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b" +
			"16842d4fa186f56ab33256971fa110f4"},
	} {
		a, err := c.newAEAD(b, 12, 16)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(a.Seal(nil, nonce, plaintext, additionalData)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	// And by the way of crypto/cipher.
	a, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Seal(nil, nonce, plaintext, additionalData); hex.EncodeToString(got[len(plaintext):]) != "83de3541e4c2b58177e065a9bf7b62ec" {
		t.Errorf("cipher.NewGCM: tag %x", got[len(plaintext):])
	}
}

// TestStandardGCM: what crypto/cipher makes of our blocks is our GCM, and never
// writes behind a short tag.
func TestStandardGCM(t *testing.T) {
	for name, newCipher := range map[string]func([]byte) (cipher.Block, error){"sm4": sm4.NewCipher, "aes": aes.NewCipher} {
		b, err := newCipher(make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		reference, err := cipher.NewGCM(foreignBlock{b})
		if err != nil {
			t.Fatal(err)
		}
		nonce := make([]byte, 12)
		want := reference.Seal(nil, nonce, nonce, nonce)
		for tag := 12; tag <= 16; tag++ {
			a, err := cipher.NewGCMWithTagSize(b, tag)
			if err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 64)
			if got := a.Seal(buf[:0], nonce, nonce, nonce); !bytes.Equal(got, want[:12+tag]) || !bytes.Equal(buf[12+tag:], make([]byte, 52-tag)) {
				t.Errorf("%s, tags of %d: %x", name, tag, buf)
			}
		}
		a, err := cipher.NewGCMWithNonceSize(b, 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, ours := a.(*mode.GCM); ours != (name == "sm4") {
			t.Errorf("%s: %T", name, a) // AES is crypto/aes's
		}
		reference, err = cipher.NewGCMWithNonceSize(foreignBlock{b}, 7)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Seal(nil, nonce[:7], nonce, nil), reference.Seal(nil, nonce[:7], nonce, nil)) {
			t.Errorf("%s, nonces of 7 bytes: wrong", name)
		}
	}
}

func TestGCMWithRandomNonce(t *testing.T) {
	for name, newCipher := range map[string]func([]byte) (cipher.Block, error){"sm4": sm4.NewCipher, "aes": aes.NewCipher, "crypto/aes": stdaes.NewCipher} {
		b, err := newCipher(make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		a, err := modes.NewGCMWithRandomNonce(b)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := modes.NewGCM(b, 12, 16)
		if err != nil {
			t.Fatal(err)
		}
		if a.NonceSize() != 0 || a.Overhead() != 28 {
			t.Errorf("%s: nonces of %d, overhead of %d", name, a.NonceSize(), a.Overhead())
		}
		for _, n := range []int{0, 1, 12, 100, 1000} {
			text, ad := bytes.Repeat([]byte{byte(n)}, n), []byte("data")
			sealed := a.Seal([]byte{1}, nil, text, ad)[1:]
			other := a.Seal(nil, nil, text, ad)
			if len(sealed) != n+28 || bytes.Equal(sealed[:12], other[:12]) {
				t.Errorf("%s: %d bytes of %d, nonces %x and %x", name, len(sealed), n, sealed[:12], other[:12])
			}
			if got, err := plain.Open(nil, sealed[:12], sealed[12:], ad); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: as plain GCM: %x, error %v", name, got, err)
			}
			if got, err := a.Open(nil, nil, sealed, ad); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: %x, error %v", name, got, err)
			}
			buf := append(make([]byte, 0, n+28), text...)
			buf = a.Seal(buf[:0], nil, buf, ad)
			if got, err := a.Open(buf[:0], nil, buf, ad); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: in place: %x, error %v", name, got, err)
			}
			buf = bytes.Clone(sealed)
			buf[len(buf)-1] ^= 1
			if got, err := a.Open(buf[:0], nil, buf, ad); err == nil || got != nil || !bytes.Equal(buf[:n], make([]byte, n)) {
				t.Errorf("%s: a wrong tag: %x, error %v, %x left", name, got, err, buf[:n])
			}
		}
		for _, n := range []int{0, 27} {
			if _, err := a.Open(nil, nil, make([]byte, n), nil); !errors.Is(err, modes.ErrAuthentication) {
				t.Errorf("%s: %d bytes: error %v", name, n, err)
			}
		}
	}
}

// TestCMAC8: CMAC over blocks of 8 bytes, as OpenSSL 3.0 computes it.
func TestCMAC8(t *testing.T) {
	key, err := hex.DecodeString("0123456789abcdef23456789abcdef01456789abcdef0123")
	if err != nil {
		t.Fatal(err)
	}
	b, err := des.NewTripleDESCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	m := modes.NewCMAC(b)
	m.Write([]byte("hello world, this is des3 cmac"))
	if got := hex.EncodeToString(m.Sum(nil)); got != "325ad67a2dc902ca" {
		t.Errorf("%s, want 325ad67a2dc902ca", got)
	}
}

func TestAEADSizes(t *testing.T) {
	b, err := des.NewCipher(make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func() (any, error){
		"modes: GCM of a cipher with blocks of 8 bytes, want 16": func() (any, error) { return modes.NewGCM(b, 12, 16) },
		"modes: CCM of a cipher with blocks of 8 bytes, want 16": func() (any, error) { return modes.NewCCM(b, 12, 16) },
		"modes: XCBC of a cipher with blocks of 8 bytes, want 16": func() (any, error) {
			return modes.NewXCBC(func(key []byte) (cipher.Block, error) { return des.NewCipher(key) }, make([]byte, 8))
		},
	} {
		if _, err := f(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("CMAC over blocks of 4 bytes does not panic")
		}
	}()
	modes.NewCMAC(smallBlock{b})
}

type smallBlock struct{ cipher.Block }

func (smallBlock) BlockSize() int { return 4 }
