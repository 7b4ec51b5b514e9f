package ucrypt_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"ucrypt"
	"ucrypt/internal/vectors"
)

// driversOf runs f for every driver of an algorithm, or for the driver of that name. What
// is not there or not usable is a skip.
func driversOf(t *testing.T, name string, f func(t *testing.T, d ucrypt.Driver)) {
	t.Run(name, func(t *testing.T) {
		found := false
		for _, d := range ucrypt.Drivers() {
			if d.Name != name && d.DriverName != name {
				continue
			}
			found = true
			t.Run(d.DriverName, func(t *testing.T) {
				if _, err := ucrypt.Lookup(d.DriverName); err != nil {
					t.Skip(err)
				}
				f(t, d)
			})
		}
		if !found {
			t.Skip("no driver for it")
		}
	})
}

// check runs one call of an skcipher, into a buffer of its own and in place, and compares
// the output and, unless next is nil, the iv that it leaves.
func check(t *testing.T, what string, s *ucrypt.Skcipher, encrypt bool, in, iv, want, next []byte) {
	t.Helper()
	crypt := s.Decrypt
	if encrypt {
		crypt = s.Encrypt
	}
	for _, inPlace := range []bool{false, true} {
		dst, src, chain := make([]byte, len(in)), in, bytes.Clone(iv)
		if inPlace {
			copy(dst, in)
			src = dst
		}
		if err := crypt(dst, src, chain); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if !bytes.Equal(dst, want) {
			t.Errorf("%s: encrypt %v, in place %v: output is wrong", what, encrypt, inPlace)
		} else if next != nil && !bytes.Equal(chain, next) {
			t.Errorf("%s: encrypt %v, in place %v: next iv %x, want %x", what, encrypt, inPlace, chain, next)
		}
	}
}

// TestVectors: every driver gives the answers of all vectors of its algorithm.
func TestVectors(t *testing.T) {
	files, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		driversOf(t, f.Algorithm, func(t *testing.T, d ucrypt.Driver) {
			test := testVector
			switch d.Type {
			case ucrypt.TypeSkcipher:
			case ucrypt.TypeShash:
				test = testHashVector
			case ucrypt.TypeAEAD:
				test = testAEADVector
			default:
				t.Skipf("no test for vectors of type %s", d.Type)
			}
			for i := range f.Tests {
				test(t, d, &f.Tests[i])
			}
		})
	}
}

func testVector(t *testing.T, d ucrypt.Driver, v *vectors.Test) {
	s, err := ucrypt.NewSkcipher(d.DriverName, v.Key)
	if !v.Valid() {
		if err == nil {
			err = s.Encrypt(make([]byte, len(v.Plaintext)), v.Plaintext, bytes.Clone(v.IV))
		}
		var key *ucrypt.KeySizeError
		var length *ucrypt.LengthError
		if !errors.As(err, &key) && !errors.As(err, &length) {
			t.Errorf("%s (%s): error %v", v.ID, v.Comment, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", v.ID, err)
		return
	}
	if v.Iterations > 1 {
		buf := bytes.Clone(v.Plaintext)
		for range v.Iterations {
			if err := s.Encrypt(buf, buf, nil); err != nil {
				t.Fatalf("%s: %v", v.ID, err)
			}
		}
		if !bytes.Equal(buf, v.Ciphertext) {
			t.Errorf("%s: encrypted %d times: %x, want %x", v.ID, v.Iterations, buf, v.Ciphertext)
		}
		return
	}
	check(t, v.ID, s, true, v.Plaintext, v.IV, v.Ciphertext, nil)
	check(t, v.ID, s, false, v.Ciphertext, v.IV, v.Plaintext, nil)
}

func testHashVector(t *testing.T, d ucrypt.Driver, v *vectors.Test) {
	if !v.Valid() {
		h, err := ucrypt.NewHash(d.DriverName, v.Key)
		if errors.As(err, new(*ucrypt.KeySizeError)) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", v.ID, err)
			return
		}
		h.Write(v.Plaintext)
		if bytes.HasPrefix(h.Sum(nil), v.Tag) {
			t.Errorf("%s (%s): is what comes out", v.ID, v.Comment)
		}
		return
	}
	checkDigest(t, v.ID, d, v.Key, v.Plaintext, v.Tag)
}

// checkDigest hashes a message, at once and in two parts, and compares the digest.
func checkDigest(t *testing.T, what string, d ucrypt.Driver, key, message, want []byte) {
	t.Helper()
	h, err := ucrypt.NewHash(d.DriverName, key)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if h.Size() != len(want) && (!isMAC(d.Name) || h.Size() < len(want)) {
		t.Errorf("%s: digests of %d bytes, want %d", what, h.Size(), len(want))
		return
	}
	for _, cut := range []int{0, len(message) / 2} {
		h.Reset()
		h.Write(message[:cut])
		h.Write(message[cut:])
		if got := h.Sum(nil); !bytes.Equal(got[:len(want)], want) {
			t.Errorf("%s, first %d bytes and then the rest: %x, want %x", what, cut, got, want)
		}
	}
}

// TestBlockVectors: the one-block drivers give the answers of the ecb vectors.
func TestBlockVectors(t *testing.T) {
	for _, d := range ucrypt.Drivers() {
		if d.Type != ucrypt.TypeCipher {
			continue
		}
		t.Run(d.DriverName, func(t *testing.T) {
			if _, err := ucrypt.Lookup(d.DriverName); err != nil {
				t.Skip(err)
			}
			f, err := vectors.For("ecb(" + d.Name + ")")
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				t.Skip("no vectors")
			}
			for i := range f.Tests {
				v := &f.Tests[i]
				if v.Iterations > 1 {
					continue // for the ecb drivers, once a tier
				}
				b, err := ucrypt.NewCipher(d.DriverName, v.Key)
				if err != nil {
					if v.Valid() || !errors.As(err, new(*ucrypt.KeySizeError)) {
						t.Errorf("%s: %v", v.ID, err)
					}
					continue
				}
				if !v.Valid() {
					continue // a length, which one block does not have
				}
				buf := make([]byte, b.BlockSize())
				for at := 0; at < len(v.Plaintext); at += len(buf) {
					plain, secret := v.Plaintext[at:at+len(buf)], v.Ciphertext[at:at+len(buf)]
					copy(buf, plain)
					b.Encrypt(buf, buf)
					if !bytes.Equal(buf, secret) {
						t.Errorf("%s: encryption gives %x", v.ID, buf)
					}
					b.Decrypt(buf, buf)
					if !bytes.Equal(buf, plain) {
						t.Errorf("%s: decryption gives %x", v.ID, buf)
					}
				}
			}
		})
	}
}

// TestVectorsExist: no driver is without an outside answer.
func TestVectorsExist(t *testing.T) {
	files, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	kernel := names(readKernel(t).Vectors, func(a *vectors.Answer) string { return a.Alg })
	for _, d := range ucrypt.Drivers() {
		name := d.Name
		if d.Type == ucrypt.TypeCipher {
			name = "ecb(" + name + ")"
		}
		if !slices.Contains(kernel, name) && !slices.ContainsFunc(files, func(f *vectors.File) bool { return f.Algorithm == name }) {
			t.Errorf("%s: no vectors of %s", d.DriverName, name)
		}
	}
}
