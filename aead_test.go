package ucrypt_test

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ucrypt"
	"ucrypt/internal/vectors"
)

// isMAC reports whether the algorithm is a MAC, which protocols cut.
func isMAC(name string) bool {
	return strings.HasPrefix(name, "cmac(") || strings.HasPrefix(name, "xcbc(") || strings.HasPrefix(name, "cbcmac(")
}

// checkSealed seals and opens one message, apart and in place.
func checkSealed(t *testing.T, what string, a cipher.AEAD, nonce, plaintext, additionalData, want []byte) {
	t.Helper()
	if got := a.Seal(nil, nonce, plaintext, additionalData); !bytes.Equal(got, want) {
		t.Errorf("%s: sealed as %x, want %x", what, got, want)
	}
	if got, err := a.Open(nil, nonce, want, additionalData); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("%s: opened as %x, error %v, want %x", what, got, err, plaintext)
	}
	buf := make([]byte, len(plaintext), len(want))
	copy(buf, plaintext)
	if buf = a.Seal(buf[:0], nonce, buf, additionalData); !bytes.Equal(buf, want) {
		t.Errorf("%s: in place: sealed as %x, want %x", what, buf, want)
	}
	if got, err := a.Open(buf[:0], nonce, buf, additionalData); err != nil || !bytes.Equal(got, plaintext) {
		t.Errorf("%s: in place: opened as %x, error %v, want %x", what, got, err, plaintext)
	}
}

func testAEADVector(t *testing.T, d ucrypt.Driver, v *vectors.Test) {
	tagSize := len(v.Tag)
	if tagSize == 0 {
		tagSize = 16 // of a refusal that is about the key
	}
	a, err := ucrypt.NewAEAD(d.DriverName, v.Key, len(v.IV), tagSize)
	if v.Valid() {
		if err != nil {
			t.Errorf("%s: %v", v.ID, err)
			return
		}
		checkSealed(t, v.ID, a, v.IV, v.Plaintext, v.AAD, append(bytes.Clone(v.Ciphertext), v.Tag...))
		return
	}
	if err == nil {
		_, err = a.Open(nil, v.IV, append(bytes.Clone(v.Ciphertext), v.Tag...), v.AAD)
	}
	if !errors.Is(err, ucrypt.ErrAuthentication) && !errors.As(err, new(*ucrypt.KeySizeError)) &&
		!errors.As(err, new(*ucrypt.NonceSizeError)) && !errors.As(err, new(*ucrypt.TagSizeError)) {
		t.Errorf("%s (%s): error %v", v.ID, v.Comment, err)
	}
}

// checkKernelAEAD compares one message with the kernel's. Its iv for ccm is a
// counter block, whose first byte is 14 less the size of the nonce.
func checkKernelAEAD(t *testing.T, what string, d ucrypt.Driver, v *vectors.Answer) {
	nonce := []byte(v.IV)
	if strings.HasPrefix(d.Name, "ccm(") {
		nonce = nonce[1 : 15-nonce[0]]
	}
	additionalData := []byte(v.Assoc)
	if v.AssocRule != "" {
		additionalData = make([]byte, v.AssocLen)
		for i := range additionalData {
			additionalData[i] = byte(i)
		}
	}
	a, err := ucrypt.NewAEAD(d.DriverName, v.Key, len(nonce), v.AuthSize)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	checkSealed(t, what, a, nonce, v.Plaintext, additionalData, v.Ciphertext)
}

// testAEADRefusal: keys, tag sizes, and the sizes of nonces, which the kernel's ccm
// finds in the iv.
func testAEADRefusal(t *testing.T, d ucrypt.Driver, r *vectors.Refusal) {
	key, nonceSize, tagSize := make([]byte, d.MinKeySize), 12, 16
	var first int
	var length int
	if n, _, ok := r.KeyLength(); ok {
		key = make([]byte, n)
	} else if n, _ := fmt.Sscanf(r.Case, "setauthsize %d", &tagSize); n == 1 {
	} else if n, _ := fmt.Sscanf(r.Case, "iv[0]=1 (L=2) plaintext %d", &length); n == 1 {
		nonceSize = 13
	} else if n, _ := fmt.Sscanf(r.Case, "iv[0]=%x", &first); n == 1 {
		nonceSize = 14 - first
	} else if strings.HasPrefix(r.Case, "decrypt ") {
		testOpenRefusal(t, d, r)
		return
	} else {
		t.Logf("not compared: %s, which the kernel answers with %s", r.Case, r.Result)
		return
	}
	a, err := ucrypt.NewAEAD(d.DriverName, key, nonceSize, tagSize)
	if length > 0 {
		misuse := func() (v any) {
			defer func() { v = recover() }()
			a.Seal(nil, make([]byte, nonceSize), make([]byte, length), nil)
			return nil
		}()
		// The kernel takes 65536 bytes too, whose length it writes as 0. That is not
		// CCM, which has room for 65535.
		if (misuse != nil) != (r.Result == "EOVERFLOW" || length == 65536) {
			t.Errorf("%s: panic %v, the kernel answers with %s", r.Case, misuse, r.Result)
		}
		return
	}
	judge(t, r, err, errors.As(err, new(*ucrypt.KeySizeError)) || errors.As(err, new(*ucrypt.NonceSizeError)) || errors.As(err, new(*ucrypt.TagSizeError)))
}

// testOpenRefusal: messages that were changed or cut.
func testOpenRefusal(t *testing.T, d ucrypt.Driver, r *vectors.Refusal) {
	a, err := ucrypt.NewAEAD(d.DriverName, make([]byte, d.MinKeySize), 12, 16)
	if err != nil {
		t.Fatal(err)
	}
	nonce, additionalData := make([]byte, 12), []byte("associated data")
	sealed := a.Seal(nil, nonce, []byte("a message of 24 bytes ..."), additionalData)
	switch what := strings.TrimPrefix(r.Case, "decrypt "); {
	case strings.HasPrefix(what, "bad tag"):
		sealed[len(sealed)-1] ^= 1
	case what == "bad ciphertext":
		sealed[0] ^= 1
	case what == "bad assoc":
		additionalData[0] ^= 1
	case strings.HasPrefix(what, "input shorter than the tag"):
		sealed = sealed[:15]
	case what == "input 0":
		sealed = nil
	}
	_, err = a.Open(nil, nonce, sealed, additionalData)
	if want := r.Result != "OK"; want != errors.Is(err, ucrypt.ErrAuthentication) || !want && err != nil {
		t.Errorf("%s: error %v, the kernel answers with %s", r.Case, err, r.Result)
	}
}

// TestAuthSizes: every size of a tag is accepted or refused as the kernel does, whose
// answers are about its sockets.
func TestAuthSizes(t *testing.T) {
	k := readKernel(t)
	compared := 0
	for i := range k.Refusals {
		r := &k.Refusals[i]
		if !strings.HasPrefix(r.Case, "setauthsize ") {
			continue
		}
		for _, d := range ucrypt.Drivers() {
			if d.Name != r.Alg {
				continue
			}
			if _, err := ucrypt.Lookup(d.DriverName); err == nil {
				testAEADRefusal(t, d, r)
				compared++
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestAEADErrors: misuse has typed errors, and a driver's facts are the kernel's.
func TestAEADErrors(t *testing.T) {
	for name, ivSize := range map[string]int{"gcm(sm4)": 12, "ccm(sm4)": 16} {
		d, err := ucrypt.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.Type != ucrypt.TypeAEAD || d.IVSize != ivSize || d.MaxTagSize != 16 || d.BlockSize != 1 || !strings.Contains(d.DriverName, "sm4") {
			t.Errorf("%+v", d)
		}
		var key *ucrypt.KeySizeError
		if _, err := ucrypt.NewAEAD(name, make([]byte, 15), 12, 16); !errors.As(err, &key) || key.Got != 15 {
			t.Errorf("%s: a key of 15 bytes: error %v", name, err)
		}
		var nonce *ucrypt.NonceSizeError
		if _, err := ucrypt.NewAEAD(name, make([]byte, 16), 0, 16); !errors.As(err, &nonce) || !strings.Contains(err.Error(), name+": nonces of 0 bytes, want ") {
			t.Errorf("%s: nonces of 0 bytes: error %v", name, err)
		}
		var tag *ucrypt.TagSizeError
		if _, err := ucrypt.NewAEAD(name, make([]byte, 16), 12, 5); !errors.As(err, &tag) || !strings.Contains(err.Error(), name+": tags of 5 bytes, want 4, ") {
			t.Errorf("%s: tags of 5 bytes: error %v", name, err)
		}
	}
	for _, name := range []string{"cbc(sm4)", "cmac(sm4)", "sm4"} {
		if _, err := ucrypt.NewAEAD(name, make([]byte, 16), 12, 16); !errors.As(err, new(*ucrypt.UnknownAlgorithmError)) {
			t.Errorf("%s as an AEAD: error %v", name, err)
		}
	}
	if _, err := ucrypt.NewHash("cmac(sm4)", nil); !errors.As(err, new(*ucrypt.KeySizeError)) {
		t.Errorf("cmac(sm4) without a key: error %v", err)
	}
}

// TestAEADShared: one AEAD of each driver serves 64 goroutines, and no call allocates.
func TestAEADShared(t *testing.T) {
	for _, d := range ucrypt.Drivers() {
		if d.Type != ucrypt.TypeAEAD {
			continue
		}
		t.Run(d.DriverName, func(t *testing.T) {
			a, err := ucrypt.NewAEAD(d.DriverName, make([]byte, 16), 12, 16)
			if err != nil {
				t.Skip(err)
			}
			best, err := ucrypt.NewAEAD(d.Name, make([]byte, 16), 12, 16)
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for i := range 64 {
				group.Go(func() {
					nonce, text := bytes.Repeat([]byte{byte(i)}, 12), bytes.Repeat([]byte{7}, 37*i)
					want := best.Seal(nil, nonce, text, nonce)
					for range 4 {
						got := a.Seal(nil, nonce, text, nonce)
						if !bytes.Equal(got, want) {
							t.Errorf("%d bytes: wrong", len(text))
						}
						if _, err := a.Open(got[:0], nonce, got, nonce); err != nil {
							t.Errorf("%d bytes: %v", len(text), err)
						}
					}
				})
			}
			group.Wait()

			buf, nonce := make([]byte, 10000), make([]byte, 12)
			for _, n := range []int{0, 16, 100, 1000, 9000} {
				if allocs := testing.AllocsPerRun(10, func() {
					sealed := a.Seal(buf[:0], nonce, buf[:n], nonce)
					a.Open(buf[:0], nonce, sealed, nonce)
				}); allocs != 0 {
					t.Errorf("%d bytes: %v allocations for one call in each direction", n, allocs)
				}
			}
		})
	}
}
