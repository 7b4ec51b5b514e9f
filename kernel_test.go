package ucrypt_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"ucrypt"
	"ucrypt/internal/vectors"
)

func readKernel(t *testing.T) *vectors.Kernel {
	k, err := vectors.ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// names lists the different values of a field, in the order of the file.
func names[T any](rows []T, field func(*T) string) []string {
	var all []string
	for i := range rows {
		if name := field(&rows[i]); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// TestKernelVectors: every driver gives what a running kernel gave.
func TestKernelVectors(t *testing.T) {
	k := readKernel(t)
	for _, alg := range names(k.Vectors, func(v *vectors.Answer) string { return v.Alg }) {
		driversOf(t, alg, func(t *testing.T, d ucrypt.Driver) {
			if d.Type != ucrypt.TypeSkcipher && d.Type != ucrypt.TypeShash && d.Type != ucrypt.TypeAEAD {
				t.Skipf("no test for the kernel's answers of type %s", d.Type)
			}
			for i := range k.Vectors {
				v := &k.Vectors[i]
				if v.Alg != alg {
					continue
				}
				what := fmt.Sprintf("vector %d, %d bytes", i, v.Len)
				if d.Type == ucrypt.TypeShash {
					checkDigest(t, what, d, v.Key, v.Plaintext, v.Ciphertext)
					continue
				}
				if d.Type == ucrypt.TypeAEAD {
					checkKernelAEAD(t, what, d, v)
					continue
				}
				s, err := ucrypt.NewSkcipher(d.DriverName, v.Key)
				if err != nil {
					t.Errorf("vector %d: %v", i, err)
					continue
				}
				check(t, what, s, true, v.Plaintext, v.IV, v.Ciphertext, v.NextIV(true))
				check(t, what, s, false, v.Ciphertext, v.IV, v.Plaintext, v.NextIV(false))
			}
		})
	}
}

// TestKernelStreams: so it does for messages in parts.
func TestKernelStreams(t *testing.T) {
	k := readKernel(t)
	for _, alg := range names(k.Streams, func(s *vectors.Stream) string { return s.Alg }) {
		driversOf(t, alg, func(t *testing.T, d ucrypt.Driver) {
			calls := 0
			for i := range k.Streams {
				if k.Streams[i].Alg != alg {
					continue
				}
				for j, c := range k.Streams[i].Calls() {
					calls++
					what := fmt.Sprintf("stream %d, call %d", i, j)
					s, err := ucrypt.NewSkcipher(d.DriverName, c.Key)
					if err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					if !c.Refused {
						check(t, what, s, c.Encrypt, c.In, c.IV, c.Out, c.NextIV)
						continue
					}
					crypt := s.Decrypt
					if c.Encrypt {
						crypt = s.Encrypt
					}
					if err := crypt(make([]byte, len(c.In)), c.In, bytes.Clone(c.IV)); !errors.As(err, new(*ucrypt.LengthError)) {
						t.Errorf("%s: %d bytes: error %v, the kernel refused the length", what, len(c.In), err)
					}
				}
			}
			if calls == 0 {
				t.Error("no call was compared")
			}
		})
	}
}

// TestKernelRefusals: our drivers take and refuse the keys and the lengths that the
// kernel takes and refuses.
func TestKernelRefusals(t *testing.T) {
	k := readKernel(t)
	for _, alg := range names(k.Refusals, func(r *vectors.Refusal) string { return r.Alg }) {
		rows := slices.DeleteFunc(slices.Clone(k.Refusals), func(r vectors.Refusal) bool { return r.Alg != alg || !r.Compared() })
		if len(rows) == 0 {
			continue // rules of the socket only
		}
		driversOf(t, alg, func(t *testing.T, d ucrypt.Driver) {
			test := testRefusal
			switch d.Type {
			case ucrypt.TypeSkcipher:
			case ucrypt.TypeShash:
				test = testHashRefusal
			case ucrypt.TypeAEAD:
				test = testAEADRefusal
			default:
				t.Skipf("no test for the kernel's refusals of type %s", d.Type)
			}
			for i := range rows {
				test(t, d, &rows[i])
			}
		})
	}
}

func testRefusal(t *testing.T, d ucrypt.Driver, r *vectors.Refusal) {
	var err error
	var typed bool
	if n, equalHalves, ok := r.KeyLength(); ok {
		key := make([]byte, n)
		for i := range key {
			if key[i] = byte(i); equalHalves {
				key[i] = byte(i % (n / 2))
			}
		}
		_, err = ucrypt.NewSkcipher(d.DriverName, key)
		typed = errors.As(err, new(*ucrypt.KeySizeError))
	} else if encrypt, n, ok := r.Message(); ok {
		s, keyErr := ucrypt.NewSkcipher(d.DriverName, make([]byte, d.MinKeySize))
		if keyErr != nil {
			t.Fatal(keyErr)
		}
		crypt := s.Decrypt
		if encrypt {
			crypt = s.Encrypt
		}
		err = crypt(make([]byte, n), make([]byte, n), make([]byte, d.IVSize))
		typed = errors.As(err, new(*ucrypt.LengthError))
	} else {
		t.Logf("not compared: %s, which the kernel answers with %s", r.Case, r.Result)
		return
	}
	judge(t, r, err, typed)
}

// judge compares what a call gave with what the kernel said to it.
func judge(t *testing.T, r *vectors.Refusal, err error, typed bool) {
	t.Helper()
	switch {
	case r.Result == "OK" && err != nil:
		t.Errorf("%s: error %v, the kernel takes it", r.Case, err)
	case r.Result == "EINVAL" && !typed:
		t.Errorf("%s: error %v, the kernel refuses it", r.Case, err)
	case r.Result != "OK" && r.Result != "EINVAL":
		t.Errorf("%s: the kernel's answer %s is not expected", r.Case, r.Result)
	}
}

// testHashRefusal: only keys are refused. The kernel refuses to set an empty one, which
// for NewHash is to have none.
func testHashRefusal(t *testing.T, d ucrypt.Driver, r *vectors.Refusal) {
	n, _, ok := r.KeyLength()
	if !ok {
		t.Logf("not compared: %s, which the kernel answers with %s", r.Case, r.Result)
		return
	}
	_, err := ucrypt.NewHash(d.DriverName, make([]byte, n))
	if n == 0 && d.MinKeySize == 0 {
		if err != nil {
			t.Errorf("%s: error %v, an empty key is none", r.Case, err)
		}
		return
	}
	judge(t, r, err, errors.As(err, new(*ucrypt.KeySizeError)))
}
