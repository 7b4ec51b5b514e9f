package blake2s_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"ucrypt/internal/blake2s"
	"ucrypt/internal/guard"
	"ucrypt/internal/kat"
	"ucrypt/internal/selection"
)

// forManyTiers is forTiers for many messages.
func forManyTiers(t *testing.T, f func(t *testing.T, tier blake2s.ManyTier)) {
	for _, tier := range blake2s.ManyTiers() {
		err := tier.Available()
		if err != nil && strings.HasPrefix(err.Error(), "this build has no") {
			continue
		}
		t.Run(tier.String(), func(t *testing.T) {
			if err != nil {
				t.Skip(err)
			}
			f(t, tier)
		})
	}
}

// checkMany holds SumMany against Sum of the generic code.
func checkMany(t *testing.T, tier blake2s.ManyTier, size int, key []byte, messages [][]byte) {
	t.Helper()
	sums := bytes.Repeat([]byte{0xa5}, len(messages)*size+1)
	blake2s.SumMany(tier, sums, size, key, messages)
	for i, m := range messages {
		if got, want := sums[i*size:][:size], sum(blake2s.Generic, size, key, m); !bytes.Equal(got, want) {
			t.Errorf("message %d of %d, of %d bytes, key of %d, digest of %d: %x, want %x", i, len(messages), len(m), len(key), size, got, want)
		}
	}
	if sums[len(sums)-1] != 0xa5 {
		t.Errorf("%d messages: written behind the digests", len(messages))
	}
}

// TestMany: all numbers of messages, of all lengths and of mixed ones.
func TestMany(t *testing.T) {
	data := pattern(8192 + 600)
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 41 {
			for _, keyLen := range []int{0, 1, 32} {
				key := kat.Key(keyLen)
				for _, longest := range []int{0, 1, 64, 65, 128, 300, 5000} {
					messages := make([][]byte, n)
					for i := range messages {
						messages[i] = data[r.IntN(200):][:r.IntN(longest+1)]
					}
					checkMany(t, tier, 1+r.IntN(32), key, messages)
				}
				for _, length := range []int{0, 1, 63, 64, 65, 127, 128, 129, 4096, 4097, 8192} {
					messages := make([][]byte, n)
					for i := range messages {
						messages[i] = data[i:][:length]
					}
					checkMany(t, tier, 32, key, messages)
				}
			}
		}
		// Every length at every place of every lane's life.
		messages := make([][]byte, 301)
		for i := range messages {
			messages[i] = data[:i]
		}
		for range 5 {
			for _, keyLen := range []int{0, 32} {
				checkMany(t, tier, 32, kat.Key(keyLen), messages)
			}
			r.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		}
		messages[7] = nil
		checkMany(t, tier, 32, nil, messages)
		checkMany(t, tier, 32, kat.Key(5), messages)
		// One is much longer than the others.
		for i := range 20 {
			messages := slices.Repeat([][]byte{data[:70]}, 20)
			messages[i] = data
			checkMany(t, tier, 32, nil, messages)
		}
	})
}

// TestManyRoutine holds the routines alone against the generic code: counters
// that carry in some lanes, and finalisation words.
func TestManyRoutine(t *testing.T) {
	data := pattern(64*64 + 16)
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		if tier == blake2s.OneByOne {
			return // has no routine
		}
		r := rand.New(rand.NewPCG(5, 6))
		for _, n := range []int{1, 2, 3, 7, 64} {
			for round := range 40 {
				width := tier.Lanes()
				if round%2 == 0 {
					width = 8
				}
				var in blake2s.Lanes
				var p [16]*byte
				var offset [16]int
				for i := range p {
					offset[i] = r.IntN(len(data) - 64*n + 1)
					p[i] = &data[offset[i]]
					in.H[0][i], in.H[3][i], in.H[7][i] = r.Uint32(), r.Uint32(), r.Uint32()
					in.Counter[0][i] = -uint32(r.IntN(64 * 8))
					in.Counter[1][i] = []uint32{0, 1, ^uint32(0)}[r.IntN(3)]
					in.Last[i] = -uint32(r.IntN(2))
				}
				out := in
				blake2s.CompressMany(tier, width, &out, &p, n)
				for i := range p {
					var h [8]uint32
					for j := range h {
						h[j] = in.H[j][i]
					}
					counter := uint64(in.Counter[1][i])<<32 | uint64(in.Counter[0][i])
					if i < width {
						blake2s.Generic.Compress(&h, counter, in.Last[i], data[offset[i]:][:64*n])
						counter += 64 * uint64(n)
					}
					for j := range h {
						if out.H[j][i] != h[j] {
							t.Fatalf("%d blocks, lane %d of %d, counter %#x: word %d is %#x, want %#x", n, i, width, counter, j, out.H[j][i], h[j])
						}
					}
					if got := uint64(out.Counter[1][i])<<32 | uint64(out.Counter[0][i]); got != counter || out.Last[i] != in.Last[i] {
						t.Fatalf("%d blocks, lane %d: counter %#x, want %#x", n, i, got, counter)
					}
				}
			}
		}
	})
}

// TestManyGuardPages: nothing is read outside the messages, wherever they end,
// and nothing is written outside the digests.
func TestManyGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("this system has no inaccessible pages")
	}
	const count = 19
	buffers := make([]*guard.Buffer, count+1)
	for i := range buffers {
		b, err := guard.New(8192)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		buffers[i] = b
	}
	data := pattern(8192)
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		lengths := []int{4095, 4096, 4097, 8192}
		for n := range 200 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			for _, side := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Left, (*guard.Buffer).Right} {
				messages := make([][]byte, count)
				for i := range messages {
					messages[i] = side(buffers[i], (n*(1+i%3)+i%2)%8193)
					copy(messages[i], data)
				}
				for _, keyLen := range []int{0, 32} {
					sums := side(buffers[count], 32*count)
					blake2s.SumMany(tier, sums, 32, kat.Key(keyLen), messages)
					for i, m := range messages {
						if got, want := sums[32*i:][:32], sum(blake2s.Generic, 32, kat.Key(keyLen), data[:len(m)]); !bytes.Equal(got, want) {
							t.Fatalf("message of %d bytes, key of %d: %x, want %x", len(m), keyLen, got, want)
						}
					}
				}
			}
		}
	})
}

// TestManyAllocations: with arrays on the caller's stack nothing is allocated.
func TestManyAllocations(t *testing.T) {
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		n := testing.AllocsPerRun(20, func() {
			var sums [20 * 32]byte
			var key [32]byte
			var data [300]byte
			var messages [20][]byte
			for i := range messages {
				messages[i] = data[:10*i]
			}
			blake2s.SumMany(tier, sums[:], 32, key[:], messages[:])
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestManyGoroutines: calls share nothing, also on stacks that grow.
func TestManyGoroutines(t *testing.T) {
	data := pattern(1000)
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		messages := make([][]byte, 33)
		var want []byte
		for i := range messages {
			messages[i] = data[:30*i]
			want = append(want, sum(blake2s.Generic, 32, nil, messages[i])...)
		}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range 50 {
					sums := make([]byte, len(want))
					blake2s.SumMany(tier, sums, 32, nil, messages)
					if !bytes.Equal(sums, want) {
						t.Error("wrong digests")
					}
				}
			})
		}
		wg.Wait()
	})
}

// TestManyFault is TestFault for many messages.
func TestManyFault(t *testing.T) {
	forManyTiers(t, func(t *testing.T, tier blake2s.ManyTier) {
		if err := tier.SelfTest(); err != nil {
			t.Error(err)
		}
	})
	best := blake2s.BestMany()
	if best == blake2s.OneByOne {
		t.Skip("no routine that could be damaged")
	}
	undo := blake2s.SetManyFault(best)
	if err := best.SelfTest(); !errors.Is(err, selection.ErrSelfTest) {
		t.Errorf("damaged tier %s: self-test says %v", best, err)
	}
	if next := blake2s.BestMany(); next == best {
		t.Errorf("damaged tier %s is still the best", best)
	}
	undo()
	if again := blake2s.BestMany(); again != best {
		t.Errorf("%s is the best now, it was %s", again, best)
	}
}
