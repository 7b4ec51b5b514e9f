// Command aes sets ucrypt's AES drivers beside their peers: Go's crypto/cipher,
// golang.org/x/crypto/xts, github.com/jcmturner/aescts/v2, openssl's own speed
// command, and templates of the same tier.
//
//	cd bench && go run ./aes [--rounds 7] [--time 30ms] [--only "xts dec"]
//	GOARCH=386 go run ./aes
//
// Both sides of a line work in turns, in one program and on one thread, in
// samples of at most half a millisecond; a ratio is the median of the rounds'
// ratios. Messages are encrypted in place, and short ones are eight of their own:
// were each the ciphertext of the one before, its first round would wait for that
// one's last, and AES's latency would hide what the call costs. Only openssl is a program of its own, with one second for a round. It
// judges the figures against the bars and exits with status 0 whatever they are.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ucrypt"
	"ucrypt/bench/bars"
	"ucrypt/bench/peers"
	"ucrypt/internal/speed"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds")
	each := flag.Duration("time", 30*time.Millisecond, "time for a figure in a round")
	only := flag.String("only", "", "comparisons whose line contains this")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each, *only); err != nil {
		fmt.Fprintln(os.Stderr, "aes:", err)
		os.Exit(1)
	}
}

// line is one comparison: the time of peer over that of ours.
type line struct {
	what       string
	bytes      int
	ours, peer side
	bar        float64 // least ratio
}

func (l line) String() string {
	return fmt.Sprintf("%s, %d bytes, %s over %s", l.what, l.bytes, l.ours.name, l.peer.name)
}

// side is one of the two that a line compares.
type side struct {
	name string
	open func() (speed.Work, error)
}

// driver is the side of a driver of the registry, keyed once.
func driver(name string, decrypt bool, keyBits, bytes int) side {
	return side{name, func() (speed.Work, error) {
		d, err := ucrypt.Lookup(name)
		if err != nil {
			return nil, err
		}
		s, err := ucrypt.NewSkcipher(d.DriverName, bars.Pattern(keyBits/8))
		if err != nil {
			return nil, err
		}
		bufs, iv := messages(bytes), bars.Pattern(d.IVSize)
		if decrypt {
			return func(n int) error {
				for i := range n {
					buf := bufs[uint(i)%uint(len(bufs))]
					if err := s.Decrypt(buf, buf, iv); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}
		return func(n int) error {
			for i := range n {
				buf := bufs[uint(i)%uint(len(bufs))]
				if err := s.Encrypt(buf, buf, iv); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// units is the side of data units in one call.
func units(name string, decrypt bool, keyBits, bytes, unitSize int) side {
	return side{name, func() (speed.Work, error) {
		s, err := ucrypt.NewSkcipher(name, bars.Pattern(keyBits/8))
		if err != nil {
			return nil, err
		}
		crypt := s.EncryptUnits
		if decrypt {
			crypt = s.DecryptUnits
		}
		buf := bars.Pattern(bytes)
		return func(n int) error {
			for range n {
				if err := crypt(buf, buf, unitSize, 1); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// peer is the side of another library.
func peer(name string, decrypt bool, keyBits, bytes int) side {
	return side{name, func() (speed.Work, error) {
		crypt, err := peers.OpenAES(name, decrypt, bars.Pattern(keyBits/8))
		if err != nil {
			return nil, err
		}
		bufs, iv := messages(bytes), bars.Pattern(16)
		return func(n int) error {
			for i := range n {
				buf := bufs[uint(i)%uint(len(bufs))]
				if err := crypt(buf, iv); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// messages returns eight messages of n bytes, the same one eight times if they
// are long.
func messages(n int) (m [8][]byte) {
	for i := range m {
		if i > 0 && n > 256 {
			m[i] = m[0]
		} else {
			m[i] = bars.Pattern(n)
		}
	}
	return m
}

// direction names what a line measures.
func direction(decrypt bool) string {
	if decrypt {
		return "dec"
	}
	return "enc"
}

var directions = []bool{false, true}

// lines are the comparisons that there are bars for.
func lines() []line {
	var all []line
	cts, cbc, xts := bars.Best("cts(cbc(aes))"), bars.Best("cbc(aes)"), bars.Best("xts(aes)")
	for _, tier := range []string{"aesni", "vaes-avx2", "vaes-avx512"} {
		d, template := "cts-cbc-aes-"+tier, "cts(cbc-aes-"+tier+")"
		if !bars.Usable(d) || !bars.Usable(template) {
			continue
		}
		for _, bits := range []int{128, 192, 256} {
			for _, bytes := range []int{32, 64, 128, 256, 4096} {
				for _, decrypt := range directions {
					all = append(all, line{fmt.Sprintf("cts %s, AES-%d", direction(decrypt), bits), bytes,
						driver(d, decrypt, bits, bytes), driver(template, decrypt, bits, bytes), templateBar(bytes, decrypt)})
				}
			}
		}
	}
	if runtime.GOARCH == "386" {
		for _, bits := range []int{128, 192, 256} {
			for _, decrypt := range directions {
				all = append(all, line{fmt.Sprintf("cts %s, AES-%d", direction(decrypt), bits), 64,
					driver(cts, decrypt, bits, 64), driver("cts(cbc(aes-go))", decrypt, bits, 64), 5})
			}
		}
		return all // the other bars are those of x86-64
	}
	for _, decrypt := range directions {
		all = append(all, line{"cts " + direction(decrypt) + ", AES-256", 32, driver(cts, decrypt, 256, 32), peer("aescts", decrypt, 256, 32), 8})
	}
	all = append(all,
		line{"cts dec, AES-256", 4096, driver(cts, true, 256, 4096), peer("aescts", true, 256, 4096), 10},
		line{"cbc dec, AES-256", 4096, driver(cbc, true, 256, 4096), peer("crypto/cipher", true, 256, 4096), 9.5},
		line{"cbc enc, AES-128", 4096, driver(cbc, false, 128, 4096), peer("crypto/cipher", false, 128, 4096), 1.45})
	for _, decrypt := range directions {
		d := direction(decrypt)
		all = append(all,
			line{"xts " + d + ", AES-128", 4096, driver(xts, decrypt, 256, 4096), peer("x/crypto/xts", decrypt, 256, 4096), 36},
			line{"xts " + d + ", AES-256", 4096, driver(xts, decrypt, 512, 4096), peer("x/crypto/xts", decrypt, 512, 4096), 30},
			line{"xts " + d + ", AES-256", 512, driver(xts, decrypt, 512, 512), peer("x/crypto/xts", decrypt, 512, 512), 17})
	}
	for _, decrypt := range directions {
		one := driver(xts, decrypt, 512, 4096)
		one.name = "one unit of 4 KiB"
		all = append(all, line{"xts " + direction(decrypt) + ", AES-256, 8 units of 512", 4096, units(xts, decrypt, 512, 4096, 512), one, 0.85})
	}
	return all
}

// templateBar is the least ratio of the cts driver to the template.
func templateBar(bytes int, decrypt bool) float64 {
	switch {
	case bytes == 32:
		return 2
	case bytes == 64:
		return 1.5
	case bytes <= 256:
		return 1.2
	case decrypt:
		return 1.05
	}
	return 1
}

func run(w io.Writer, rounds int, each time.Duration, only string) error {
	if err := bars.Heading(w, rounds, each, "medians", ", in place"); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-34s%6s  %-24s%9s  %-26s%9s%8s%7s\n", "", "bytes", "driver", "ns", "over", "ns", "ratio", "bar")
	met, judged := 0, 0
	print := func(l line, ours, theirs []float64) {
		ratio, verdict := bars.Median(bars.Quotients(theirs, ours)), "BELOW"
		if judged++; ratio >= l.bar {
			met++
			verdict = "met"
		}
		fmt.Fprintf(w, "%-34s%6d  %-24s%9.1f  %-26s%9.1f%8.2f%7.2f  %s\n", l.what, l.bytes, l.ours.name, 1e9*bars.Median(ours), l.peer.name, 1e9*bars.Median(theirs), ratio, l.bar, verdict)
	}
	for _, l := range lines() {
		if !strings.Contains(l.String(), only) {
			continue
		}
		ours, theirs, err := measure(l, rounds, each)
		if err != nil {
			return fmt.Errorf("%v: %w", l, err)
		}
		print(l, ours, theirs)
	}
	if runtime.GOARCH != "386" {
		l := line{what: "xts enc, AES-128", bytes: 16384, ours: driver(bars.Best("xts(aes)"), false, 256, 16384), peer: side{name: "openssl speed"}, bar: 1.8}
		if strings.Contains(l.String(), only) {
			ours, theirs, err := measureOpenSSL(l, rounds, each)
			if err != nil {
				fmt.Fprintf(w, "not run: %v: %v\n", l, err)
			} else {
				print(l, ours, theirs)
			}
		}
	}
	fmt.Fprintf(w, "\n%d of %d bars met\n", met, judged)
	return nil
}

// measure returns the seconds of each round for both sides.
func measure(l line, rounds int, each time.Duration) (ours, theirs []float64, err error) {
	a, err := l.ours.open()
	if err != nil {
		return nil, nil, err
	}
	b, err := l.peer.open()
	if err != nil {
		return nil, nil, err
	}
	return bars.Turns(a, b, rounds, each, bars.Seconds)
}

// measureOpenSSL lets openssl measure itself, a second a round, after each of
// our rounds.
func measureOpenSSL(l line, rounds int, each time.Duration) (ours, theirs []float64, err error) {
	work, err := l.ours.open()
	if err != nil {
		return nil, nil, err
	}
	for range rounds {
		stats, err := speed.Measure([]speed.Work{work}, speed.Options{Time: each})
		if err != nil {
			return nil, nil, err
		}
		out, err := exec.Command("openssl", "speed", "-seconds", "1", "-bytes", strconv.Itoa(l.bytes), "-evp", "aes-128-xts").Output()
		if err != nil {
			return nil, nil, err
		}
		rate, err := opensslRate(string(out))
		if err != nil {
			return nil, nil, err
		}
		ours, theirs = append(ours, stats[0].Seconds), append(theirs, float64(l.bytes)/rate)
	}
	return ours, theirs, nil
}

// opensslRate finds the bytes a second in the last line of "openssl speed", such
// as "AES-128-XTS    8123456.78k".
func opensslRate(out string) (float64, error) {
	fields := strings.Fields(out)
	if len(fields) == 0 {
		return 0, errors.New("openssl speed printed nothing")
	}
	thousands, ok := strings.CutSuffix(fields[len(fields)-1], "k")
	rate, err := strconv.ParseFloat(thousands, 64)
	if !ok || err != nil || rate <= 0 {
		return 0, fmt.Errorf("openssl speed printed %q where its rate was expected", fields[len(fields)-1])
	}
	return rate * 1e3, nil
}
