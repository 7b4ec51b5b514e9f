package blake2s

import (
	"encoding/binary"
	"slices"

	"ucrypt/internal/cpu"
	"ucrypt/internal/selection"
)

// Many messages at once: a routine takes blocks of several messages, each in a
// lane of its own, into their chaining values. SumMany deals the messages out to
// the lanes.

// ManyTier names a routine for many messages. They are ordered as Tiers are.
type ManyTier uint8

const (
	OneByOne ManyTier = iota // with the best Tier
	ManyAVX2
	ManyAVX512
	numManyTiers
)

const (
	// maxLanes is the largest number of lanes.
	maxLanes = 16

	// maxMany is how many blocks a routine takes of each message in one call.
	maxMany = 64

	// few is how many messages take no longer one by one than all lanes do.
	few = 2
)

// manyArchs is the only GOARCH whose assembly holds routines for many messages.
var manyArchs = []string{"amd64"}

var manyFacts = [numManyTiers]selection.Facts{
	OneByOne:   {Name: "one by one"},
	ManyAVX2:   {Name: "avx2", Archs: manyArchs, Features: []cpu.Feature{cpu.AVX, cpu.AVX2}},
	ManyAVX512: {Name: "avx512", Archs: manyArchs, Features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.AVX512}},
}

var manyTable = selection.NewTable[ManyTier](assembly, manyFacts[:])

// ManyTiers lists all tiers for many messages, slowest first, built in or not.
func ManyTiers() []ManyTier { return manyTable.All() }

func (t ManyTier) String() string { return manyFacts[t].Name }

// Lanes returns how many messages the routine takes at once.
func (t ManyTier) Lanes() int {
	return [numManyTiers]int{OneByOne: 1, ManyAVX2: 8, ManyAVX512: 16}[t] // the last one 8 too
}

// Features names the processor features that the tier needs.
func (t ManyTier) Features() []string { return cpu.Names(manyFacts[t].Features) }

// Available is as Tier.Available.
func (t ManyTier) Available() error { return manyTable.Available(t) }

// Check is as Tier.Check.
func (t ManyTier) Check() error { return manyTable.Check(t, selfTestMany) }

// SelfTest is as Tier.SelfTest.
func (t ManyTier) SelfTest() error { return manyTable.SelfTest(t, selfTestMany) }

// BestMany returns the fastest tier for many messages that may be used.
func BestMany() ManyTier { return manyTable.Best(nil, selfTestMany) }

// SetManyFault is SetFault for a ManyTier.
func SetManyFault(t ManyTier) (undo func()) { return manyTable.SetFault(t) }

// lanes is what the routines work on: of the message in lane i, word j of the
// chaining value is h[j][i], the lower and the upper half of the counter are
// counter[0][i] and counter[1][i].
type lanes struct {
	h       [8][maxLanes]uint32
	counter [2][maxLanes]uint32
	last    [maxLanes]uint32
}

func (l *lanes) set(i int, h *[8]uint32, counter uint64) {
	i &= maxLanes - 1 // no bounds checks
	for j, x := range h {
		l.h[j][i] = x
	}
	l.setCounter(i, counter)
}

func (l *lanes) get(i int) (h [8]uint32, counter uint64) {
	for j := range h {
		h[j] = l.h[j][i]
	}
	return h, uint64(l.counter[1][i])<<32 | uint64(l.counter[0][i])
}

func (l *lanes) setCounter(i int, counter uint64) {
	l.counter[0][i], l.counter[1][i] = uint32(counter), uint32(counter>>32)
}

// finish makes the next block of lane i the last one, with n bytes.
func (l *lanes) finish(i, n int) {
	counter := uint64(l.counter[1][i])<<32 | uint64(l.counter[0][i])
	l.setCounter(i, counter+uint64(n)-BlockSize) // to which the routine adds 64
	l.last[i] = ^uint32(0)
}

// sum writes as much of the digest in lane i as there is room for.
func (l *lanes) sum(i int, sum []byte) {
	if len(sum) == Size {
		out := (*[Size]byte)(sum)
		i &= maxLanes - 1 // no bounds checks
		for j := range l.h {
			binary.LittleEndian.PutUint32(out[4*j:], l.h[j][i])
		}
		return
	}
	var out [Size]byte
	h, _ := l.get(i)
	put(&out, &h)
	copy(sum, out[:])
}

// SumMany computes the digests of independent messages with tier t: that of
// messages[i] is written to sums[i*size:][:size]. Sizes and the key are as with
// NewTier, sums must have room and must not overlap the messages.
//
// As soon as a message ends, the next one takes its lane.
func SumMany(t ManyTier, sums []byte, size int, key []byte, messages [][]byte) {
	one := Best()
	if t == OneByOne || len(messages) <= few {
		for i, m := range messages {
			var out [Size]byte
			Sum(one, &out, size, key, m)
			copy(sums[i*size:][:size], out[:])
		}
		return
	}
	width := t.Lanes()
	if len(messages) <= 8 {
		width = 8
	}

	var fresh [8]uint32
	one.start(&fresh, size, len(key))
	fresh[0] ^= manyTable.FaultBit(t)
	// The block of the key is the same for all, and is taken in once.
	start, counter := fresh, uint64(0)
	var keyBlock alignedBlock
	if len(key) > 0 {
		copy(keyBlock.b[:], key)
		one.compressSome(&start, 0, 0, keyBlock.b[:])
		counter = BlockSize
	}

	// What each lane has to do. All is in variables of this function: if a method
	// put the address of one into another, the compiler would allocate them.
	var (
		l       lanes
		owner   [maxLanes]int          // number of the message
		current [maxLanes][]byte       // blocks that are next; none if the lane is idle
		rest    [maxLanes][]byte       // what of the message comes behind them
		more    [maxLanes]bool         // there is something behind them
		final   [maxLanes]alignedBlock // last blocks that are not whole
		p       [maxLanes]*byte
		next    int // message that has no lane yet
	)
	n := 0
	for {
		done := n * BlockSize
		n = maxMany
		active := 0
		var some *byte
		for i := 0; i < width && i < maxLanes; i++ {
			if len(current[i]) > 0 {
				current[i] = current[i][done:]
			}
			if len(current[i]) == 0 {
				if l.last[i] != 0 {
					l.last[i] = 0
					l.sum(i, sums[owner[i]*size:][:size])
				}
				switch {
				case more[i]:
				case next == len(messages):
					continue
				case len(messages[next]) == 0 && len(key) > 0: // the key is the last block
					owner[i], rest[i] = next, keyBlock.b[:]
					l.set(i, &fresh, 0)
					next++
				default:
					owner[i], rest[i] = next, messages[next]
					l.set(i, &start, counter)
					next++
				}
				if m := rest[i]; len(m) > BlockSize {
					whole := (len(m) - 1) / BlockSize * BlockSize
					current[i], rest[i], more[i] = m[:whole], m[whole:], true
				} else {
					current[i], more[i] = m, false
					if len(m) < BlockSize {
						b := &final[i].b
						clear(b[copy(b[:], m):])
						current[i] = b[:]
					}
					l.finish(i, len(m))
				}
			}
			p[i] = &current[i][0]
			some = p[i]
			active++
			n = min(n, len(current[i])/BlockSize)
		}
		if active <= few && next == len(messages) {
			break
		}
		if active < width {
			for i := range current {
				if len(current[i]) == 0 {
					p[i] = some // whose work an idle lane repeats
				}
			}
		}
		compressMany(t, width, &l, &p, n)
	}
	for i := range current {
		if len(current[i]) == 0 {
			continue
		}
		h, counter := l.get(i)
		one.compress(&h, counter, l.last[i], current[i])
		if more[i] {
			one.finish(&h, counter+uint64(len(current[i])), rest[i])
		}
		var out [Size]byte
		put(&out, &h)
		copy(sums[owner[i]*size:][:size], out[:])
	}
}

// selfTestMany runs the known answers on the routines of tier t: in every lane,
// with other messages among them that end earlier.
func selfTestMany(t ManyTier) error {
	for _, n := range []int{8, t.Lanes() + 5} {
		err := checkAnswers(func(size int, key, message []byte) []byte {
			messages := slices.Repeat([][]byte{message}, n)
			half := message[:len(message)/2]
			messages[n/3], messages[n-1] = half, half
			sums := make([]byte, n*size)
			SumMany(t, sums, size, key, messages)
			sum := func(i int) []byte { return sums[i*size:][:size] }
			for i := range n - 1 {
				like := 0
				if i == n/3 {
					like = n - 1
				}
				if string(sum(i)) != string(sum(like)) {
					return nil
				}
			}
			return sum(0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
