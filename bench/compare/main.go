// Command compare sets ucrypt's SM4 drivers beside github.com/emmansun/gmsm: its
// pure Go build, which the bars are over, and its default one.
//
//	cd bench && go run ./compare [--rounds 7] [--time 30ms] [--bytes 16,256,4096]
//
// It builds a program of each and has them measure every case in turns, several
// rounds long, one after the other on one thread. A figure is the median of the
// rounds, and a ratio the median of the rounds' ratios, so that load meets both
// sides alike. It judges the figures against the bars and exits with status 0
// whatever they are.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ucrypt/bench/bars"
	"ucrypt/bench/serve"
	"ucrypt/internal/speed"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds")
	each := flag.Duration("time", 30*time.Millisecond, "time for a figure in a round")
	lengths := flag.String("bytes", "16,256,4096", "message lengths, multiples of 16")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each, *lengths); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// operation is a mode in one direction. That of ctr is the same both ways.
type operation struct {
	mode    string
	decrypt bool
}

var operations = []operation{{"ecb", false}, {"ecb", true}, {"cbc", false}, {"cbc", true}, {"cfb", false}, {"cfb", true}, {"ctr", false}}

func (o operation) String() string {
	if o.decrypt {
		return o.mode + " dec"
	}
	return o.mode + " enc"
}

// serial reports whether a block cannot begin before the one before it is done.
func (o operation) serial() bool { return !o.decrypt && (o.mode == "cbc" || o.mode == "cfb") }

// bar is the least ratio to gmsm's pure Go build, or 0 if there is none.
func bar(driver string, o operation, bytes int) float64 {
	generic := strings.Contains(driver, "generic")
	switch {
	case generic && o.mode == "ecb" && bytes == 4096:
		return 1.3
	case generic:
		return 0
	case o.serial() || bytes == 16:
		return 0.6 // no table look-ups, which one block in flight pays for
	case bytes == 4096 && strings.HasSuffix(driver, "-aesni-avx"):
		return 6
	case bytes == 4096 && strings.HasSuffix(driver, "-aesni-avx2"):
		return 9.5
	}
	return 0
}

// program is a running program of package serve.
type program struct {
	serve.Hello
	in  *json.Encoder
	out *json.Decoder
}

// start builds and starts a program, and returns what ends it.
func start(dir, name, pkg string, tags ...string) (*program, func(), error) {
	exe := filepath.Join(dir, name)
	build := exec.Command("go", append(append([]string{"build", "-o", exe}, tags...), pkg)...)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	c := exec.Command(exe)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := c.Start(); err != nil {
		return nil, nil, err
	}
	p := &program{in: json.NewEncoder(in), out: json.NewDecoder(out)}
	stop := func() { in.Close(); c.Wait() }
	if err := p.out.Decode(&p.Hello); err != nil {
		stop()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, stop, nil
}

// measure asks for a figure, in seconds an operation.
func (p *program) measure(q serve.Request) (float64, error) {
	if err := p.in.Encode(q); err != nil {
		return 0, err
	}
	var a serve.Answer
	if err := p.out.Decode(&a); err != nil {
		return 0, err
	}
	if a.Error != "" {
		return 0, fmt.Errorf("%+v: %s", q, a.Error)
	}
	return a.Seconds, nil
}

func run(w io.Writer, rounds int, each time.Duration, lengths string) error {
	var sizes []int
	for _, s := range strings.Split(lengths, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 16 || n%16 != 0 {
			return fmt.Errorf("--bytes %s: want multiples of 16", lengths)
		}
		sizes = append(sizes, n)
	}
	if rounds < 1 || each <= 0 {
		return fmt.Errorf("--rounds and --time must be more than 0")
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, stop, err := start(dir, "ours", "./compare/ours")
	if err != nil {
		return err
	}
	defer stop()
	pure, stop, err := start(dir, "gmsm-purego", "./compare/gmsm", "-tags", "purego")
	if err != nil {
		return err
	}
	defer stop()
	native, stop, err := start(dir, "gmsm", "./compare/gmsm")
	if err != nil {
		return err
	}
	defer stop()
	if pure.Tags != "purego" || native.Tags != "" || ours.Tags != "" {
		return fmt.Errorf("built with tags %q, %q and %q, want none, purego and none; is GOFLAGS set?", ours.Tags, pure.Tags, native.Tags)
	}

	m := speed.ThisMachine()
	const peer = "github.com/emmansun/gmsm"
	fmt.Fprintf(w, "%s, %s, %s, %s %s\n", m.Processor, m.System, m.Go, peer, pure.Versions[peer])
	if m.Emulated != "" {
		fmt.Fprintf(w, "emulated (%s): these times mean nothing\n", m.Emulated)
	}
	fmt.Fprintf(w, "medians of %d rounds of %v, one thread, in place; a new mode or stream for each message of gmsm's\n\n", rounds, each)
	fmt.Fprintf(w, "%-8s%6s  %-20s%9s%12s%8s%7s%7s%11s%8s\n", "", "bytes", "driver", "MB/s", "gmsm purego", "ratio", "bar", "", "gmsm asm", "ratio")
	below, judged := 0, 0
	for _, o := range operations {
		for _, n := range sizes {
			var drivers []string
			for _, d := range ours.Drivers {
				if strings.HasPrefix(d, o.mode) {
					drivers = append(drivers, d)
				}
			}
			figures, err := measure(ours, pure, native, drivers, serve.Request{Mode: o.mode, Decrypt: o.decrypt, Bytes: n, Time: each}, rounds)
			if err != nil {
				return err
			}
			for i, d := range drivers {
				mb := func(seconds []float64) float64 { return float64(n) / bars.Median(seconds) / 1e6 }
				f := figures[i]
				ratio := bars.Median(bars.Quotients(figures[len(drivers)], f))
				limit, verdict := "", ""
				if b := bar(d, o, n); b > 0 {
					judged++
					limit, verdict = fmt.Sprintf("%.1f", b), "met"
					if ratio < b {
						below++
						verdict = "BELOW"
					}
				}
				fmt.Fprintf(w, "%-8s%6d  %-20s%9.1f%12.1f%8.2f%7s%7s%11.1f%8.2f\n", o, n, d, mb(f), mb(figures[len(drivers)]), ratio,
					limit, verdict, mb(figures[len(drivers)+1]), bars.Median(bars.Quotients(figures[len(drivers)+1], f)))
			}
		}
	}
	fmt.Fprintf(w, "\n%d of %d bars met\n", judged-below, judged)
	return nil
}

// measure returns the seconds of each round: of each driver, then of gmsm's
// pure build, then of its default one.
func measure(ours, pure, native *program, drivers []string, q serve.Request, rounds int) ([][]float64, error) {
	figures := make([][]float64, len(drivers)+2)
	for range rounds {
		for i := range figures {
			p, q := ours, q
			switch i {
			case len(drivers):
				p = pure
			case len(drivers) + 1:
				p = native
			default:
				q.Driver = drivers[i]
			}
			seconds, err := p.measure(q)
			if err != nil {
				return nil, err
			}
			figures[i] = append(figures[i], seconds)
		}
	}
	return figures, nil
}
