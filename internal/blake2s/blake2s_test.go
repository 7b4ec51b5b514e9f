package blake2s_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"ucrypt/internal/blake2s"
	"ucrypt/internal/guard"
	"ucrypt/internal/kat"
	"ucrypt/internal/selection"
	"ucrypt/internal/vectors"
)

// emulated says that the processor is emulated: long tests take a sample.
var emulated = os.Getenv("UCRYPT_EMULATED") == "1"

// forTiers runs f for every tier that can run here. A tier of another processor
// is left out without a word; one that is disabled or lacks a feature is skipped
// with its reason.
func forTiers(t *testing.T, f func(t *testing.T, tier blake2s.Tier)) {
	for _, tier := range blake2s.Tiers() {
		err := tier.Available()
		if err != nil && strings.HasPrefix(err.Error(), "this build has no") {
			continue
		}
		t.Run(tier.String(), func(t *testing.T) {
			if err != nil && tier != blake2s.Generic {
				t.Skip(err)
			}
			f(t, tier)
		})
	}
}

// pattern returns n bytes that depend on nothing but n's prefix.
func pattern(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	r.Read(b)
	return b
}

func sum(tier blake2s.Tier, size int, key, data []byte) []byte {
	var out [blake2s.Size]byte
	blake2s.Sum(tier, &out, size, key, data)
	return out[:size]
}

// TestEverySize holds every message length, key length and digest length
// against the reference, at once, and each message length also by a Digest that
// goes on after each Sum.
func TestEverySize(t *testing.T) {
	longest := 1100
	if testing.Short() || emulated {
		longest = 200
	}
	data := pattern(longest)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		t.Parallel()
		for keyLen := range blake2s.KeySize + 1 {
			for size := 1; size <= blake2s.Size; size++ {
				if emulated && (7*keyLen+size)%16 != 0 && keyLen*size != 0 && keyLen*size != 32*32 {
					continue
				}
				key := kat.Key(keyLen)
				want := referenceSums(size, key, data, 0)
				d := blake2s.NewTier(tier, size, key)
				for n, w := range want {
					if got := sum(tier, size, key, data[:n]); !bytes.Equal(got, w) {
						t.Fatalf("key of %d bytes, message of %d, digest of %d: %x, want %x", keyLen, n, size, got, w)
					}
					// The Sums of a Digest share its code with Write, not with
					// the key and digest lengths.
					if size == keyLen {
						if n > 0 {
							d.Write(data[n-1 : n])
						}
						if got := d.Sum(nil); !bytes.Equal(got, w) {
							t.Fatalf("Digest, key and digest of %d bytes, message of %d: %x, want %x", size, n, got, w)
						}
					}
				}
			}
		}
	})
}

// TestCompress holds the routine alone against the generic code: every number of
// blocks, alignment and finalisation word, and counters that carry.
func TestCompress(t *testing.T) {
	data := pattern(2*blake2s.MaxCall + 5*64 + 16)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		check := func(counter uint64, last uint32, blocks []byte) {
			t.Helper()
			var want, got [8]uint32
			for i := range want {
				want[i] = uint32(counter)*0x9e3779b9 + uint32(i*i)<<20
			}
			got = want
			blake2s.Generic.Compress(&want, counter, last, blocks)
			tier.Compress(&got, counter, last, blocks)
			if got != want {
				t.Errorf("%d blocks, counter %#x, last %#x: %x, want %x", len(blocks)/64, counter, last, got, want)
			}
		}
		for n := range 20 {
			for offset := range 16 {
				for _, last := range []uint32{0, ^uint32(0)} {
					check(uint64(n*offset)<<6, last, data[offset:][:64*n])
				}
			}
		}
		// 2^32 is passed before, in and after every block, and 2^64.
		for _, top := range []uint64{1 << 32, 2 << 32, 1 << 63, 0xffffffff << 32, 0} {
			for back := range uint64(8 * 64) {
				check(top-back, uint32(-int32(back&1)), data[:6*64])
			}
		}
		for _, n := range []int{blake2s.MaxCall, blake2s.MaxCall + 64, 2 * blake2s.MaxCall, 2*blake2s.MaxCall + 5*64} {
			check(1<<32-blake2s.MaxCall/2, 0, data[:n])
			check(1<<33-blake2s.MaxCall-64, 0, data[1:][:n])
		}
	})
}

// TestCounterCarry lets the counter pass 2^32 in a Digest: in a Write, in a Sum,
// and when the key block is compressed.
func TestCounterCarry(t *testing.T) {
	data := pattern(300)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		for _, keyLen := range []int{0, 32} {
			key := kat.Key(keyLen)
			for back := range uint64(6) {
				counter := 1<<32 - back*64
				want := referenceSums(32, key, data, counter)
				for n := range len(data) + 1 {
					d := blake2s.NewTier(tier, 32, key)
					d.SetCounter(counter)
					d.Write(data[:n/2])
					d.Write(data[n/2 : n])
					if got := d.Sum(nil); !bytes.Equal(got, want[n]) {
						t.Fatalf("counter %#x, key of %d bytes, message of %d: %x, want %x", counter, keyLen, n, got, want[n])
					}
				}
			}
		}
	})
}

// TestSplits: however a message comes in pieces, its digest is the same.
func TestSplits(t *testing.T) {
	data := pattern(260)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		for _, keyLen := range []int{0, 32} {
			key := kat.Key(keyLen)
			want := referenceSums(32, key, data, 0)
			d := blake2s.NewTier(tier, 32, key)
			for a := range 131 {
				for b := range 131 {
					d.Write(data[:a])
					d.Write(data[a : a+b])
					if got := d.Sum(nil); !bytes.Equal(got, want[a+b]) {
						t.Fatalf("key of %d bytes, %d + %d bytes: %x, want %x", keyLen, a, b, got, want[a+b])
					}
					d.Reset()
				}
			}
		}
		// Pieces of all kinds in a long message.
		long := pattern(3*blake2s.MaxCall + 77)
		want := sum(blake2s.Generic, 32, nil, long)
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			d := blake2s.NewTier(tier, 32, nil)
			for rest := long; len(rest) > 0; {
				n := min(len(rest), r.IntN(1<<r.IntN(16))+1)
				d.Write(rest[:n])
				rest = rest[n:]
			}
			if got := d.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%d bytes in pieces: %x, want %x", len(long), got, want)
			}
		}
	})
}

// TestDigest: Sum changes nothing and appends, Reset and Clone do what they say.
func TestDigest(t *testing.T) {
	data := pattern(500)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		for _, keyLen := range []int{0, 1, 32} {
			key := kat.Key(keyLen)
			d := blake2s.NewTier(tier, 20, key)
			if d.Size() != 20 || d.BlockSize() != 64 || d.Tier() != tier {
				t.Errorf("Size %d, BlockSize %d, Tier %s", d.Size(), d.BlockSize(), d.Tier())
			}
			for n := range len(data) + 1 {
				want := sum(tier, 20, key, data[:n])
				d.Write(data[:n])
				for range 2 {
					if got := d.Sum([]byte("before")); string(got) != "before"+string(want) {
						t.Fatalf("message of %d bytes: Sum gives %x, want %x", n, got, want)
					}
				}
				c, err := d.Clone()
				if err != nil {
					t.Fatal(err)
				}
				c.Write(data)
				d.Write(data[:1])
				both := sum(tier, 20, key, slices.Concat(data[:n], data))
				if got := c.Sum(nil); !bytes.Equal(got, both) {
					t.Fatalf("message of %d bytes: the clone goes on to %x, want %x", n, got, both)
				}
				d.Reset()
			}
		}
	})
}

var _ hash.Cloner = (*blake2s.Digest)(nil)

// TestMarshal: a state that is written out mid-way goes on anywhere.
func TestMarshal(t *testing.T) {
	data := pattern(300)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		for n := range len(data) + 1 {
			d := blake2s.NewTier(tier, 28, nil)
			d.Write(data[:n])
			state, err := d.AppendBinary([]byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.MarshalBinary(); err != nil || !bytes.Equal(again, state[1:]) {
				t.Fatalf("MarshalBinary gives %x, %v, AppendBinary %x", again, err, state[1:])
			}
			for _, other := range []blake2s.Tier{blake2s.Generic, tier} {
				e := blake2s.NewTier(other, 1, nil)
				e.Write(data[:70])
				if err := e.UnmarshalBinary(state[1:]); err != nil {
					t.Fatal(err)
				}
				e.Write(data[n:])
				if got, want := e.Sum(nil), sum(tier, 28, nil, data); !bytes.Equal(got, want) {
					t.Fatalf("after %d bytes, to %s: %x, want %x", n, other, got, want)
				}
			}
		}
	})
	d := blake2s.New(32, []byte{1})
	if _, err := d.MarshalBinary(); err == nil || err.Error() != "crypto/blake2s: cannot marshal MACs" {
		t.Errorf("a MAC's state: %v", err)
	}
	good, _ := blake2s.New(32, nil).MarshalBinary()
	change := func(i int, x byte) []byte { c := bytes.Clone(good); c[i] = x; return c }
	for _, c := range []struct {
		state []byte
		err   string
	}{
		{nil, "crypto/blake2s: invalid hash state identifier"},
		{change(0, 'x'), "crypto/blake2s: invalid hash state identifier"},
		{good[:len(good)-1], "crypto/blake2s: invalid hash state size"},
		{append(bytes.Clone(good), 0), "crypto/blake2s: invalid hash state size"},
		{change(43, 0), "crypto/blake2s: invalid hash state"},
		{change(43, 33), "crypto/blake2s: invalid hash state"},
		{change(len(good)-1, 65), "crypto/blake2s: invalid hash state"},
	} {
		if err := blake2s.New(32, nil).UnmarshalBinary(c.state); err == nil || err.Error() != c.err {
			t.Errorf("UnmarshalBinary(%x): %v, want %s", c.state, err, c.err)
		}
	}
}

// TestVectors runs the published vectors, TestKernel the kernel's answers.
func TestVectors(t *testing.T) {
	for name, tests := range map[string]int{"blake2s-128": 216, "blake2s-160": 45, "blake2s-224": 45, "blake2s-256": 434, "blake2s-any": 150} {
		f, err := vectors.For(name)
		if err != nil || f == nil {
			t.Fatalf("%s: %v, %v", name, f, err)
		}
		if len(f.Tests) != tests {
			t.Errorf("%s: %d tests, want %d", name, len(f.Tests), tests)
		}
		forTiers(t, func(t *testing.T, tier blake2s.Tier) {
			for _, v := range f.Tests {
				if got := sum(tier, len(v.Tag), v.Key, v.Plaintext); !v.Valid() || !bytes.Equal(got, v.Tag) {
					t.Errorf("%s: %x, want %s", v.ID, got, v.Tag)
				}
			}
		})
	}
}

func TestKernel(t *testing.T) {
	k, err := vectors.ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		n := 0
		for i := range k.Vectors {
			v := &k.Vectors[i]
			if !strings.HasPrefix(v.Alg, "blake2s-") {
				continue
			}
			n++
			if want := fmt.Sprintf("blake2s-%d", 8*len(v.Ciphertext)); v.Alg != want {
				t.Errorf("vector %d, %s has a digest of %s", i, v.Alg, want)
			}
			if got := sum(tier, len(v.Ciphertext), v.Key, v.Plaintext); !bytes.Equal(got, v.Ciphertext) {
				t.Errorf("%s, key of %d bytes, message of %d: %x, the kernel gives %s", v.Alg, len(v.Key), v.Len, got, v.Ciphertext)
			}
		}
		if n != 4*108 {
			t.Errorf("%d answers of the kernel, want %d", n, 4*108)
		}
	})
}

// TestMillion is a million times "a". The digest was computed with openssl dgst.
func TestMillion(t *testing.T) {
	const want = "bec0c0e6cde5b67acb73b81f79a67a4079ae1c60dac9d2661af18e9f8b50dfa5"
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		if got := hex.EncodeToString(sum(tier, 32, nil, bytes.Repeat([]byte("a"), 1e6))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestGuardPages: nothing is read outside the message, the key or the state.
func TestGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("this system has no inaccessible pages")
	}
	message, err := guard.New(1 << 13)
	if err != nil {
		t.Fatal(err)
	}
	defer message.Close()
	secret, err := guard.New(32)
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	data := pattern(message.Cap())
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		lengths := make([]int, 331)
		for i := range lengths {
			lengths[i] = i
		}
		for _, n := range append(lengths, 4095, 4096, message.Cap()) {
			for keyLen := 0; keyLen <= 32; keyLen += 16 {
				want := sum(blake2s.Generic, 32, kat.Key(keyLen), data[:n])
				for _, side := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
					m, k := side(message, n), side(secret, keyLen)
					copy(m, data)
					copy(k, kat.Key(keyLen))
					if got := sum(tier, 32, k, m); !bytes.Equal(got, want) {
						t.Errorf("message of %d bytes, key of %d: %x, want %x", n, keyLen, got, want)
					}
					d := blake2s.NewTier(tier, 32, k)
					d.Write(m)
					if got := d.Sum(nil); !bytes.Equal(got, want) {
						t.Errorf("Digest, message of %d bytes, key of %d: %x, want %x", n, keyLen, got, want)
					}
					if !bytes.Equal(m, data[:n]) {
						t.Fatalf("message of %d bytes was changed", n)
					}
				}
			}
		}
	})
}

// TestAllocations: with arrays on the caller's stack nothing is allocated.
func TestAllocations(t *testing.T) {
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		n := testing.AllocsPerRun(20, func() {
			var out [blake2s.Size]byte
			var key [32]byte
			var data [300]byte
			blake2s.Sum(tier, &out, 32, key[:], data[:])
			var d blake2s.Digest
			d.Init(tier, 20, key[:])
			d.Write(data[:])
			d.Sum(out[:0])
			d.Finish(&out)
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestGoroutines: Digests share nothing, and one that is not written to may be
// summed and cloned by many.
func TestGoroutines(t *testing.T) {
	data := pattern(1000)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		want := sum(blake2s.Generic, 32, nil, data)
		shared := blake2s.NewTier(tier, 32, nil)
		shared.Write(data)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range 50 {
					d := blake2s.NewTier(tier, 32, nil)
					d.Write(data)
					c, _ := shared.Clone()
					for _, got := range [][]byte{d.Sum(nil), shared.Sum(nil), c.Sum(nil), sum(tier, 32, nil, data)} {
						if !bytes.Equal(got, want) {
							t.Errorf("%x, want %x", got, want)
						}
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestFault: a tier whose answers are wrong fails its self-test and is not
// chosen; the next one is.
func TestFault(t *testing.T) {
	best := blake2s.Best()
	undo := blake2s.SetFault(best)
	if err := best.SelfTest(); !errors.Is(err, selection.ErrSelfTest) {
		t.Errorf("damaged tier %s: self-test says %v", best, err)
	}
	if best != blake2s.Generic {
		if next := blake2s.Best(); next == best {
			t.Errorf("damaged tier %s is still the best", best)
		} else if got, want := sum(next, 32, nil, nil), referenceSums(32, nil, nil, 0)[0]; !bytes.Equal(got, want) {
			t.Errorf("tier %s instead: %x, want %x", next, got, want)
		}
	}
	undo()
	if err := best.SelfTest(); err != nil {
		t.Errorf("tier %s after the damage was repaired: %v", best, err)
	}
	if again := blake2s.Best(); again != best {
		t.Errorf("%s is the best now, it was %s", again, best)
	}
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		if err := tier.SelfTest(); err != nil {
			t.Error(err)
		}
	})
}

// TestRequired: REQUIRE_DRIVERS may name blake2s drivers; those must have run.
func TestRequired(t *testing.T) {
	for _, name := range strings.Split(os.Getenv("REQUIRE_DRIVERS"), ",") {
		rest, ok := strings.CutPrefix(name, "blake2s-")
		_, word, cut := strings.Cut(rest, "-")
		if !ok || !cut {
			continue
		}
		if !slices.ContainsFunc(blake2s.Tiers(), func(tier blake2s.Tier) bool {
			return tier.String() == word && tier.Check() == nil
		}) {
			t.Errorf("REQUIRE_DRIVERS names %s, whose tier %q cannot be used here", name, word)
		}
	}
}
