// Icount counts the instructions that a benchmark executes on an emulated
// processor. The count is the same in every run, on any machine, and needs no
// hardware of that architecture:
//
//	go run ./internal/icount -arch arm -goarm 6 ./blake2s 'BenchmarkSum256/4096'
//	go run ./internal/icount -arch arm64 -func 'arm64.Compress' ./blake2s 'BenchmarkSum256/4096'
//
// The first argument is a package, the others are benchmarks of its tests, in
// the form of go test's -bench. It prints, for each, how many instructions one
// iteration takes, in all and by function. If the last element of the
// benchmark's name is a number, or -bytes is given, it prints them by the byte
// too.
//
// Each benchmark runs twice, with N and 2N iterations, under qemu-user with a
// plugin that counts what the benchmark's thread executes while its timer runs;
// the difference is N iterations, and what goes before and after falls out.
//
//	go run ./internal/icount -table arm64
//	go run ./internal/icount -table arm -drivers '^blake2s'
//
// prints tables in Markdown of what whole calls through the registry take, for
// each driver and length, and for arm64 what llvm-mca estimates that the
// routines' inner loops take on five processors.
//
// Instructions are not cycles: a figure is good for comparing code of the same
// kind.
package main

import (
	"bytes"
	"cmp"
	"debug/elf"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed plugin/count.c
var pluginSource []byte

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "icount:", err)
		os.Exit(1)
	}
}

// emulators are the programs of qemu-user by GOARCH. Only processors whose
// instructions are all 4 bytes long are here: a block's count is divided among
// functions by address.
var emulators = map[string]string{"arm": "qemu-arm", "arm64": "qemu-aarch64"}

const instructionSize = 4

// quiet is the environment of a benchmark: one thread, no garbage collection and
// no preemption, so that it does only what it is told to.
var quiet = []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1"}

// counter runs the benchmarks of one test binary.
type counter struct {
	dir      string // for the binary, the plugin and its output
	emulator []string
	plugin   string
	symbols  []symbol
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("icount", flag.ContinueOnError)
	arch := flags.String("arch", "arm64", "GOARCH: arm or arm64")
	goarm := flags.String("goarm", "7", "GOARM: 5, 6 or 7")
	cpu := flags.String("cpu", "", "processor to emulate, as qemu's -cpu")
	tags := flags.String("tags", "", "build tags")
	dir := flags.String("C", ".", "directory of the package's module")
	n := flags.Int("n", 500, "iterations")
	size := flags.Float64("bytes", 0, "bytes of an iteration")
	tableOf := flags.String("table", "", "print the tables of a `GOARCH`: arm or arm64")
	drivers := flags.String("drivers", "", "with -table: only drivers that match this `regexp`")
	only := flags.String("func", "", "also print the sum of the functions that match this `regexp`")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: icount [flags] PACKAGE BENCHMARK...\n       icount [flags] -table GOARCH")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	target := flags.Arg(0)
	switch {
	case *tableOf == "" && flags.NArg() >= 2:
	case *tableOf != "" && flags.NArg() == 0:
		target, *arch, *cpu = "ucrypt", *tableOf, cmp.Or(*cpu, "max")
	default:
		flags.Usage()
		return flag.ErrHelp
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "icount")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	c, err := newCounter(work, *arch, *cpu)
	if err != nil {
		return err
	}
	build := exec.Command("go", "test", "-c", "-tags", *tags, "-o", c.binary(), target)
	build.Dir = *dir
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+*arch, "GOARM="+*goarm, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	if c.symbols, err = readSymbols(c.binary()); err != nil {
		return err
	}
	if *tableOf != "" {
		if err := table(w, c, *drivers); err != nil || *arch != "arm64" {
			return err
		}
		return cycles(w, c.binary())
	}
	for _, benchmark := range flags.Args()[1:] {
		counts, err := c.benchmark(benchmark, *n)
		if err != nil {
			return err
		}
		length := *size
		if length == 0 {
			last := benchmark[strings.LastIndex(benchmark, "/")+1:]
			length, _ = strconv.ParseFloat(strings.TrimSuffix(last, "$"), 64)
		}
		report(w, benchmark, counts, length, *only != "", match)
	}
	return nil
}

// newCounter checks that everything is here and builds the plugin.
func newCounter(dir, arch, cpu string) (*counter, error) {
	emulator, ok := emulators[arch]
	if !ok {
		return nil, fmt.Errorf("no emulator for GOARCH %s, only for arm and arm64", arch)
	}
	for program, debian := range map[string]string{emulator: "qemu-user", "gcc": "gcc"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%s is not installed (Debian: %s)", program, debian)
		}
	}
	c := &counter{dir: dir, emulator: []string{emulator}}
	if cpu != "" {
		c.emulator = append(c.emulator, "-cpu", cpu)
	}
	source := filepath.Join(dir, "plugin.c")
	c.plugin = filepath.Join(dir, "plugin.so")
	if err := os.WriteFile(source, pluginSource, 0o600); err != nil {
		return nil, err
	}
	if out, err := exec.Command("gcc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-o", c.plugin, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return c, nil
}

func (c *counter) binary() string { return filepath.Join(c.dir, "binary.test") }
func (c *counter) output() string { return filepath.Join(c.dir, "counts") }

// benchmark returns how many instructions of each function an iteration takes.
func (c *counter) benchmark(name string, n int) (map[string]float64, error) {
	on, err := address(c.symbols, "testing.(*B).StartTimer")
	if err != nil {
		return nil, err
	}
	off, err := address(c.symbols, "testing.(*B).StopTimer")
	if err != nil {
		return nil, err
	}
	plugin := fmt.Sprintf("%s,on=%#x,off=%#x,out=%s", c.plugin, on, off, c.output())
	counts := map[string]float64{}
	for _, times := range []int{1, 2} {
		args := append(slices.Clone(c.emulator[1:]), "-plugin", plugin, c.binary(), "-test.run=^$", "-test.bench="+anchored(name),
			fmt.Sprintf("-test.benchtime=%dx", times*n), "-test.cpu=1")
		cmd := exec.Command(c.emulator[0], args...)
		cmd.Env = append(os.Environ(), quiet...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		if ran := bytes.Count(out, []byte(" ns/op")); ran != 1 {
			return nil, fmt.Errorf("%s: %d benchmarks match, expected 1", name, ran)
		}
		file, err := os.ReadFile(c.output())
		if err != nil {
			return nil, err
		}
		if err := addCounts(counts, c.symbols, string(file), float64(2*times-3)/float64(n)); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// anchored makes each element of a benchmark's name match that name only.
func anchored(name string) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + strings.TrimSuffix(strings.TrimPrefix(e, "^"), "$") + "$"
	}
	return strings.Join(elements, "/")
}

// symbol is a function of the binary and where it begins and ends.
type symbol struct {
	name   string
	lo, hi uint64
}

func readSymbols(path string) ([]symbol, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	var s []symbol
	for _, e := range all {
		if elf.ST_TYPE(e.Info) == elf.STT_FUNC && e.Size > 0 {
			s = append(s, symbol{e.Name, e.Value, e.Value + e.Size})
		}
	}
	slices.SortFunc(s, func(a, b symbol) int { return cmp.Compare(a.lo, b.lo) })
	return s, nil
}

func address(symbols []symbol, name string) (uint64, error) {
	for _, s := range symbols {
		if s.name == name {
			return s.lo, nil
		}
	}
	return 0, fmt.Errorf("the test binary has no %s", name)
}

// addCounts adds the plugin's lines, each count times factor, to the functions
// that they lie in.
func addCounts(counts map[string]float64, symbols []symbol, lines string, factor float64) error {
	for line := range strings.Lines(lines) {
		var address, instructions, times uint64
		if _, err := fmt.Sscanf(line, "%x %d %d", &address, &instructions, &times); err != nil {
			return fmt.Errorf("plugin's line %q: %w", line, err)
		}
		for i := range instructions {
			counts[function(symbols, address+i*instructionSize)] += float64(times) * factor
		}
	}
	return nil
}

// function names the function that an address lies in.
func function(symbols []symbol, address uint64) string {
	i, found := slices.BinarySearchFunc(symbols, address, func(s symbol, a uint64) int { return cmp.Compare(s.lo, a) })
	if !found {
		i--
	}
	if i < 0 || address >= symbols[i].hi {
		return "(elsewhere)"
	}
	return symbols[i].name
}

// shown is the share of the whole from which a function gets a line.
const shown = 0.005

func report(w io.Writer, benchmark string, counts map[string]float64, size float64, sum bool, match *regexp.Regexp) {
	line := func(name string, count float64) {
		perByte := ""
		if size > 0 {
			perByte = strconv.FormatFloat(count/size, 'f', 2, 64)
		}
		fmt.Fprintf(w, "%12.1f %9s  %s\n", count, perByte, name)
	}
	var total, matching float64
	names := make([]string, 0, len(counts))
	for name, count := range counts {
		total += count
		if match.MatchString(name) {
			matching += count
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	fmt.Fprintf(w, "%s\n%12s %9s\n", benchmark, "instructions", "by byte")
	line("all", total)
	if sum {
		line("functions matching "+match.String(), matching)
	}
	for _, name := range names {
		if counts[name] >= shown*total {
			line("  "+name, counts[name])
		}
	}
}
