// Command aead sets ucrypt's AEADs and CMAC of SM4 beside
// github.com/emmansun/gmsm, whose assembly is on, and the drivers beside the
// templates of the same tier.
//
//	cd bench && go run ./aead [--rounds 7] [--time 30ms] [--match TEXT]
//
// Both sides of a line work in turns, in one program, on one thread and on the
// same buffers. A round's figure is the median of its fastest tenth, since other
// programs on the machine interrupt a megabyte of the slower side more often than
// one of the faster; the figure of a line is the median of the rounds, and its
// ratio that of the rounds' ratios. Messages are not in place, have 8 bytes of associated data, a
// nonce of 12 bytes and a tag of 16. It judges the figures against the bars and
// exits with status 0 whatever they are.
package main

import (
	"crypto/cipher"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gmsmcipher "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"

	"ucrypt"
	"ucrypt/bench/bars"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds")
	each := flag.Duration("time", 30*time.Millisecond, "time for a figure in a round")
	match := flag.String("match", "", "only lines whose name and size contain `text`, as \"open 4096\"")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each, *match); err != nil {
		fmt.Fprintln(os.Stderr, "aead:", err)
		os.Exit(1)
	}
}

// line is one comparison: the time of peer over that of ours.
type line struct {
	what       string
	bytes      int
	ours, peer side
	bar        float64 // least ratio; 0 if there is none
}

// side is one of the two that a line compares.
type side struct {
	name string
	open func(b *buffers) (speed.Work, error)
}

func (l line) String() string {
	return fmt.Sprintf("%s %d %s over %s", l.what, l.bytes, l.ours.name, l.peer.name)
}

// buffers are those of a line, for both sides.
type buffers struct{ text, sealed []byte }

const (
	nonceSize = 12
	tagSize   = 16
)

// aead is the side of an AEAD, keyed once.
func aead(name string, decrypt bool, newAEAD func(key []byte) (cipher.AEAD, error)) side {
	return side{name, func(b *buffers) (speed.Work, error) {
		a, err := newAEAD(bars.Pattern(16))
		if err != nil {
			return nil, err
		}
		nonce := bars.Pattern(nonceSize)
		seal := func() { a.Seal(b.sealed[:0], nonce, b.text, peers.AssociatedData) }
		if decrypt {
			seal()
			return func(n int) error {
				for range n {
					if _, err := a.Open(b.text[:0], nonce, b.sealed, peers.AssociatedData); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		return func(n int) error {
			for range n {
				seal()
			}
			return nil
		}, nil
	}}
}

// driver is the side of a driver of the registry.
func driver(name string, decrypt bool) side {
	return aead(name, decrypt, func(key []byte) (cipher.AEAD, error) {
		return ucrypt.NewAEAD(name, key, nonceSize, tagSize)
	})
}

// gmsm is the side of gmsm's mode.
func gmsm(mode string, decrypt bool) side {
	return aead("gmsm", decrypt, func(key []byte) (cipher.AEAD, error) {
		b, err := sm4.NewCipher(key)
		if err != nil {
			return nil, err
		}
		if mode == "ccm" {
			return gmsmcipher.NewCCM(b)
		}
		return cipher.NewGCM(b)
	})
}

// hash is the side of a MAC of the registry.
func hash(name string) side {
	return side{name, func(b *buffers) (speed.Work, error) {
		h, err := ucrypt.NewHash(name, bars.Pattern(16))
		if err != nil {
			return nil, err
		}
		sum := make([]byte, 0, h.Size())
		return func(n int) error {
			for range n {
				h.Reset()
				h.Write(b.text)
				h.Sum(sum)
			}
			return nil
		}, nil
	}}
}

// lines are the comparisons. The bars are for what serves on the processor; the
// other tiers' drivers stand beside their templates without one.
func lines() []line {
	gcm, ccm, cmac := bars.Best("gcm(sm4)"), bars.Best("ccm(sm4)"), bars.Best("cmac(sm4)")
	var all []line
	for _, l := range []struct {
		decrypt bool
		bytes   int
		bar     float64
	}{{false, 16, 2}, {false, 64, 2}, {false, 4 << 10, 5.5}, {false, 1 << 20, 6}, {true, 4 << 10, 5.5}, {true, 1 << 20, 6}} {
		what := "gcm(sm4) seal"
		if l.decrypt {
			what = "gcm(sm4) open"
		}
		all = append(all, line{what, l.bytes, driver(gcm, l.decrypt), gmsm("gcm", l.decrypt), l.bar})
	}
	all = append(all,
		line{"ccm(sm4) seal", 64, driver(ccm, false), gmsm("ccm", false), 4},
		line{"ccm(sm4) seal", 4 << 10, driver(ccm, false), gmsm("ccm", false), 2.4},
		line{"cmac(sm4)", 4 << 10, hash(cmac), oneTable(), 2.1},
		line{"cmac(sm4)", 4 << 10, hash(cmac), hash("cbcmac(sm4-generic)"), 0})
	for _, d := range ucrypt.Drivers() {
		suite, ok := strings.CutPrefix(d.DriverName, "gcm-")
		if !ok || d.Status == ucrypt.Unavailable {
			continue
		}
		template := templateOf(suite)
		for _, l := range []struct {
			bytes int
			bar   float64
		}{{64, 1.2}, {4 << 10, 1.05}} {
			for _, decrypt := range []bool{false, true} {
				what := "gcm(sm4) seal, driver"
				if decrypt {
					what = "gcm(sm4) open, driver"
				}
				bar := l.bar
				if d.DriverName != gcm {
					bar = 0
				}
				all = append(all, line{what, l.bytes, driver(d.DriverName, decrypt), driver(template, decrypt), bar})
			}
		}
	}
	return all
}

// templateOf is the template of gcm over a suite's ctr.
func templateOf(suite string) string {
	for _, d := range ucrypt.Drivers() {
		if strings.HasPrefix(d.DriverName, "gcm_base(ctr-"+suite+",") {
			return d.DriverName
		}
	}
	return "gcm_base(ctr-" + suite + ")"
}

func run(w io.Writer, rounds int, each time.Duration, match string) error {
	if err := bars.Heading(w, rounds, each, "medians of the fastest tenths", ", 8 bytes of associated data"); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-22s%8s  %-22s%9s  %-47s%9s%8s%7s\n", "", "bytes", "driver", "MB/s", "over", "MB/s", "ratio", "bar")
	var tally bars.Tally
	all := slices.DeleteFunc(lines(), func(l line) bool { return !strings.Contains(l.String(), match) })
	for _, l := range all {
		ours, theirs, err := measure(l, rounds, each)
		if err != nil {
			return fmt.Errorf("%s, %d bytes: %w", l.what, l.bytes, err)
		}
		ratio := bars.Median(bars.Quotients(theirs, ours))
		rate := func(seconds []float64) float64 { return float64(l.bytes) / bars.Median(seconds) / 1e6 }
		fmt.Fprintf(w, "%-22s%8d  %-22s%9.1f  %-47s%9.1f%8.2f%s\n",
			l.what, l.bytes, l.ours.name, rate(ours), l.peer.name, rate(theirs), ratio, tally.Judge(ratio, l.bar))
	}
	n, err := allocations(all)
	if err != nil {
		return err
	}
	verdict := "met"
	if n != 0 {
		verdict = "BELOW"
	}
	fmt.Fprintf(w, "\nallocations of a call of ucrypt's, the most of all lines: %v, bar 0  %s\n", n, verdict)
	fmt.Fprintf(w, "%v of speed met\n", tally)
	return nil
}

func (l line) open() (ours, theirs speed.Work, err error) {
	b := &buffers{bars.Pattern(l.bytes), make([]byte, l.bytes+tagSize)}
	if ours, err = l.ours.open(b); err != nil {
		return nil, nil, err
	}
	theirs, err = l.peer.open(b)
	return ours, theirs, err
}

// measure returns the seconds of each round for both sides.
func measure(l line, rounds int, each time.Duration) (ours, theirs []float64, err error) {
	a, b, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	return bars.Turns(a, b, rounds, each, func(s speed.Stats) float64 { return slices.Min(s.Groups) })
}

// allocations returns the most that a call allocates.
func allocations(all []line) (most float64, err error) {
	for _, l := range all {
		work, _, err := l.open()
		if err != nil {
			return 0, err
		}
		most = max(most, testing.AllocsPerRun(10, func() {
			if e := work(1); e != nil {
				err = e
			}
		}))
		if err != nil {
			return 0, err
		}
	}
	return most, nil
}
