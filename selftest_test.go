package ucrypt_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"ucrypt"
	"ucrypt/internal/selftest"
)

// TestMatrix runs every driver through every property. A failure's line has the seed:
// UCRYPT_SEED=… runs the same cases again. With -short, or under an emulator, the seed
// chooses a sample of them.
func TestMatrix(t *testing.T) {
	o := selftest.Options{Sampled: testing.Short()}
	if s := os.Getenv("UCRYPT_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("UCRYPT_SEED: %v", err)
		}
		o.Seed = seed
	}
	suite, err := selftest.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d", suite.Seed)
	var drivers []string
	of := map[string][]*selftest.Check{}
	for _, c := range suite.Checks {
		if of[c.Driver] == nil {
			drivers = append(drivers, c.Driver)
		}
		of[c.Driver] = append(of[c.Driver], c)
	}
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			for _, c := range of[driver] {
				t.Run(c.Property, func(t *testing.T) {
					switch r := c.Run(); r.Status {
					case selftest.Skip:
						t.Skip(r.Reason)
					case selftest.Fail:
						for _, f := range r.Failures {
							t.Error(f)
						}
						t.Errorf("%d of %d cases failed", r.Failed, r.Cases)
					}
				})
			}
		})
	}
}

// TestAllocations: no call allocates, also when dst, src and iv lie on the caller's stack.
// Drivers over the standard library are exempt: it works on a copy from a pool, which the
// garbage collector, and the race detector on purpose, may empty at any time.
func TestAllocations(t *testing.T) {
	for _, d := range ucrypt.Drivers() {
		if d.Type != ucrypt.TypeSkcipher || strings.Contains(d.DriverName, "aes-go") {
			continue
		}
		t.Run(d.DriverName, func(t *testing.T) {
			var key [64]byte
			s, err := ucrypt.NewSkcipher(d.DriverName, key[:d.MinKeySize])
			if err != nil {
				t.Skip(err)
			}
			for _, n := range []int{0, 16, 48, 1024, 4096} {
				if s.Encrypt(make([]byte, n), make([]byte, n), make([]byte, d.IVSize)) != nil {
					continue // not a length of this mode
				}
				allocs := testing.AllocsPerRun(20, func() {
					var dst, src [4096]byte
					var iv [16]byte
					if err := s.Encrypt(dst[:n], src[:n], iv[:d.IVSize]); err != nil {
						t.Error(err)
					}
					if err := s.Decrypt(src[:n], dst[:n], iv[:d.IVSize]); err != nil {
						t.Error(err)
					}
				})
				if allocs != 0 {
					t.Errorf("%d bytes: %v allocations for one call in each direction", n, allocs)
				}
			}
			if s.EncryptUnits(nil, nil, 512, 0) != nil {
				return // a mode without data units
			}
			allocs := testing.AllocsPerRun(20, func() {
				var dst, src [4096]byte
				if err := s.EncryptUnits(dst[:], src[:], 512, 1); err != nil {
					t.Error(err)
				}
				if err := s.DecryptUnits(src[:], dst[:], 512, 1); err != nil {
					t.Error(err)
				}
			})
			if allocs != 0 {
				t.Errorf("data units: %v allocations for one call in each direction", allocs)
			}
		})
	}
}

// TestHashAllocations: no call of a hash allocates, with a key or without, unless it is over
// the standard library. (The memory is the heap's: what is passed through an interface, as
// hash.Hash is, always lies there.)
func TestHashAllocations(t *testing.T) {
	for _, d := range ucrypt.Drivers() {
		if d.Type != ucrypt.TypeShash || strings.Contains(d.DriverName, "aes-go") {
			continue
		}
		t.Run(d.DriverName, func(t *testing.T) {
			for _, key := range [][]byte{nil, make([]byte, d.MaxKeySize)} {
				if len(key) < d.MinKeySize {
					continue // a MAC
				}
				h, err := ucrypt.NewHash(d.DriverName, key)
				if err != nil {
					t.Skip(err)
				}
				message, sum := make([]byte, 4096), make([]byte, 0, h.Size())
				for _, n := range []int{0, 1, d.BlockSize, d.BlockSize + 1, 1000, 4096} {
					allocs := testing.AllocsPerRun(20, func() {
						h.Reset()
						h.Write(message[:n])
						sum = h.Sum(sum[:0])
					})
					if allocs != 0 {
						t.Errorf("key of %d bytes, message of %d: %v allocations", len(key), n, allocs)
					}
				}
			}
		})
	}
}
