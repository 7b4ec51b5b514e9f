// Command blake2s sets ucrypt's BLAKE2s beside golang.org/x/crypto/blake2s, tier by
// tier, and many messages beside one.
//
//	cd bench && go run ./blake2s [--rounds 7] [--time 30ms]
//
// Both sides of a line work in turns, in one program and on one thread, in samples of at
// most half a millisecond; a ratio is the median of the rounds' ratios. It judges the
// figures against the bars and exits with status 0 whatever they are.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	xcrypto "golang.org/x/crypto/blake2s"

	"ucrypt/bench/bars"
	direct "ucrypt/blake2s"
	"ucrypt/internal/blake2s"
	"ucrypt/internal/speed"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds")
	each := flag.Duration("time", 30*time.Millisecond, "time for a figure in a round")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each); err != nil {
		fmt.Fprintln(os.Stderr, "blake2s:", err)
		os.Exit(1)
	}
}

// line is one comparison: the time of peer over that of ours.
type line struct {
	what       string
	bytes      int // of a message
	ours, peer side
	bar        float64 // least ratio; 0 for none
}

// side is one of the two that a line compares.
type side struct {
	name string
	once func()
}

// lines are the comparisons: those that there are bars for, and each tier.
func lines() []line {
	var all []line
	best := blake2s.Best()
	for _, t := range blake2s.Tiers() {
		if t == blake2s.Generic || t.Check() != nil {
			continue
		}
		for _, n := range []int{64, 4096} {
			bar := 0.0
			if t == best { // which serves here
				bar = map[int]float64{64: 1, 4096: 1.08}[n]
			}
			all = append(all, line{"Sum256", n, sum256(t, n), xcryptoSum256(n), bar})
		}
	}
	all = append(all, line{"MAC, one-shot", 32, mac256(32), xcryptoMAC256(32), 1.4})
	for _, t := range blake2s.ManyTiers() {
		if t == blake2s.OneByOne || t.Check() != nil {
			continue
		}
		one, bar := best, 6.5
		if t == blake2s.ManyAVX2 {
			bar = 4
			if blake2s.SSE41.Check() == nil {
				one = blake2s.SSE41 // the best where there is no AVX-512
			}
		}
		n := t.Lanes()
		all = append(all, line{fmt.Sprintf("%d messages", n), 4096, many(t, n, 4096), inTurn(one, n, 4096), bar})
	}
	return all
}

func sum256(t blake2s.Tier, n int) side {
	data := make([]byte, n)
	var out [blake2s.Size]byte
	return side{t.String(), func() { blake2s.Sum(t, &out, blake2s.Size, nil, data) }}
}

func xcryptoSum256(n int) side {
	data := make([]byte, n)
	return side{"x/crypto", func() { xcrypto.Sum256(data) }}
}

func mac256(n int) side {
	key, data := make([]byte, 32), make([]byte, n)
	return side{"MAC256", func() { direct.MAC256(key, data) }}
}

func xcryptoMAC256(n int) side {
	key, data, out := make([]byte, 32), make([]byte, n), make([]byte, 0, 32)
	return side{"x/crypto New256", func() {
		h, err := xcrypto.New256(key)
		if err != nil {
			panic(err)
		}
		h.Write(data)
		h.Sum(out)
	}}
}

// many hashes messages side by side.
func many(t blake2s.ManyTier, count, n int) side {
	messages, sums := texts(count, n), make([]byte, count*blake2s.Size)
	return side{t.String(), func() { blake2s.SumMany(t, sums, blake2s.Size, nil, messages) }}
}

// inTurn hashes them one after the other.
func inTurn(t blake2s.Tier, count, n int) side {
	messages := texts(count, n)
	var out [blake2s.Size]byte
	return side{t.String() + ", in turn", func() {
		for _, m := range messages {
			blake2s.Sum(t, &out, blake2s.Size, nil, m)
		}
	}}
}

func texts(count, n int) [][]byte {
	data, messages := make([]byte, count*n), make([][]byte, count)
	for i := range messages {
		messages[i] = data[i*n:][:n]
	}
	return messages
}

func run(w io.Writer, rounds int, each time.Duration) error {
	if err := bars.Heading(w, rounds, each, "medians", ""); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-14s%6s  %-8s%9s  %-16s%9s%8s%7s\n", "", "bytes", "tier", "ns", "over", "ns", "ratio", "bar")
	met, judged := 0, 0
	for _, l := range lines() {
		ours, theirs, err := measure(l, rounds, each)
		if err != nil {
			return fmt.Errorf("%s, %d bytes: %w", l.what, l.bytes, err)
		}
		ratio := bars.Median(bars.Quotients(theirs, ours))
		fmt.Fprintf(w, "%-14s%6d  %-8s%9.1f  %-16s%9.1f%8.2f", l.what, l.bytes, l.ours.name, 1e9*bars.Median(ours), l.peer.name, 1e9*bars.Median(theirs), ratio)
		if l.bar > 0 {
			judged++
			verdict := "BELOW"
			if ratio >= l.bar {
				met++
				verdict = "met"
			}
			fmt.Fprintf(w, "%7.2f  %s", l.bar, verdict)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%d of %d bars met\n", met, judged)
	return nil
}

// measure returns the seconds of each round for both sides.
func measure(l line, rounds int, each time.Duration) (ours, theirs []float64, err error) {
	work := func(s side) speed.Work {
		return func(n int) error {
			for range n {
				s.once()
			}
			return nil
		}
	}
	return bars.Turns(work(l.ours), work(l.peer), rounds, each, bars.Seconds)
}
