// Command wireguard measures handshakes of golang.zx2c4.com/wireguard, with
// golang.org/x/crypto/blake2s as it comes and with ucrypt/blake2s in its place.
//
//	cd bench && go run ./wireguard [--rounds 15] [--time 100ms]
//	cd bench && go run ./wireguard --goarm 7    # instructions, under qemu-arm
//
// A handshake is the work of both sides, on one thread: scalar multiplications on
// Curve25519, which BLAKE2s does not speed, and about a hundred hashes. A second is one of the processor's. The module is fetched and copied, its imports of BLAKE2s are replaced
// in one of two copies, and their benchmarks run in turns.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ucrypt/internal/speed"
)

// module is that of the drop-in test of package blake2s.
const module = "golang.zx2c4.com/wireguard@v0.0.0-20260522210424-ecfc5a8d5446"

//go:embed handshake.txt
var benchmark []byte

func main() {
	rounds := flag.Int("rounds", 15, "rounds")
	each := flag.Duration("time", 100*time.Millisecond, "time for each package in a round")
	goarm := flag.String("goarm", "", "count instructions on 32-bit Arm of this `GOARM`, in an emulator")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *each, *goarm); err != nil {
		fmt.Fprintln(os.Stderr, "wireguard:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, rounds int, each time.Duration, goarm string) error {
	if rounds < 1 || each <= 0 {
		return errors.New("--rounds and --time must be more than 0")
	}
	root, err := command("", "go", "list", "-m", "-f", "{{.Dir}}", "ucrypt")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	dir, err := os.MkdirTemp("", "wireguard")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, err := fetch(dir)
	if err != nil {
		return err
	}
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	if err := copyModule(before, source, root, false); err != nil {
		return err
	}
	if err := copyModule(after, source, root, true); err != nil {
		return err
	}
	m := speed.ThisMachine()
	fmt.Fprintf(w, "%s, %s, %s, %s\n", m.Processor, m.System, m.Go, module)
	if goarm != "" {
		return instructions(w, dir, root, before, after, goarm)
	}
	return times(w, before, after, rounds, each)
}

// times prints handshakes a second.
func times(w io.Writer, before, after string, rounds int, each time.Duration) error {
	copies := []string{before, after}
	for _, dir := range copies {
		if _, err := command(dir, "go", "test", "-mod=mod", "-c", "-o", "device.test", "./device"); err != nil {
			return err
		}
	}
	var rates [2][]float64
	var ratios []float64
	for range rounds {
		for i, dir := range copies {
			out, err := command(dir, filepath.Join(dir, "device.test"), "-test.run=^$", "-test.bench=^BenchmarkHandshake$", "-test.cpu=1", "-test.benchtime="+each.String())
			if err != nil {
				return err
			}
			ns, err := figure(out, timePattern)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], 1e9/ns)
		}
		ratios = append(ratios, rates[1][len(ratios)]/rates[0][len(ratios)])
	}
	fmt.Fprintf(w, "medians of %d rounds of %v, one thread, by processor time\n\n", rounds, each)
	fmt.Fprintf(w, "handshakes a second: golang.org/x/crypto/blake2s %.0f, ucrypt/blake2s %.0f, ratio %.3f\n", median(rates[0]), median(rates[1]), median(ratios))
	return nil
}

// instructions prints how many instructions a handshake takes.
func instructions(w io.Writer, dir, root, before, after, goarm string) error {
	icount := filepath.Join(dir, "icount")
	if _, err := command(root, "go", "build", "-o", icount, "./internal/icount"); err != nil {
		return err
	}
	var counts [2]float64
	for i, dir := range []string{before, after} {
		out, err := command(dir, icount, "-C", dir, "-n", "50", "-arch", "arm", "-goarm", goarm, "./device", "BenchmarkHandshake")
		if err != nil {
			return err
		}
		if counts[i], err = figure(out, countPattern); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "instructions of a handshake, GOARM %s: golang.org/x/crypto/blake2s %.0f, ucrypt/blake2s %.0f, ratio %.3f\n", goarm, counts[0], counts[1], counts[0]/counts[1])
	return nil
}

// fetch downloads the module, unless it is there already, and returns its folder.
func fetch(outside string) (string, error) {
	out, err := command(outside, "go", "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var answer struct{ Dir string }
	err = json.Unmarshal([]byte(out), &answer)
	return answer.Dir, err
}

// copyModule copies the module with the benchmark and, if ours, with the package that it
// imports replaced.
func copyModule(dir, source, root string, ours bool) error {
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(dir, name), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if ours && filepath.Ext(name) == ".go" {
			text = []byte(strings.ReplaceAll(string(text), `"golang.org/x/crypto/blake2s"`, `"ucrypt/blake2s"`))
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o600)
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "device", "handshake_bench_test.go"), benchmark, 0o600); err != nil {
		return err
	}
	// Both need the same module, so that both have the same versions of all others.
	_, err = command(dir, "go", "mod", "edit", "-go=1.26", "-require=ucrypt@v0.0.0", "-replace=ucrypt="+root)
	return err
}

// command runs a command in a folder and returns its output.
func command(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	if dir != "" {
		c.Env = append(c.Env, "GOFLAGS=-mod=mod")
	}
	var messages strings.Builder
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), err, out, messages.String())
	}
	return string(out), nil
}

// What stands for a figure in the output of the benchmark and of icount.
const (
	timePattern  = `([\d.]+) cpu-ns/op`
	countPattern = `(?m)^\s*([\d.]+)\s+all$`
)

// figure finds a number in a program's output.
func figure(out, pattern string) (float64, error) {
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no figure in %.300q", out)
	}
	return strconv.ParseFloat(m[1], 64)
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[n/2] + s[(n-1)/2]) / 2
}
