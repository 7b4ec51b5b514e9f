package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ucrypt"
	"ucrypt/internal/speed"
)

// The kernel's lines, one pattern each, as a script has them that reads dmesg.
var (
	tcryptHeading = regexp.MustCompile(`^tcrypt: testing speed of (?:(sync|async|multibuffer) )?(\S+) \((\S+)\)(?: (encryption|decryption))?$`)
	tcryptCipher  = regexp.MustCompile(`^tcrypt: test (\d+) \((\d+) bit key, (\d+) byte blocks\): (?:(\d+) operations in (\d+) seconds \((\d+) bytes\)|1 operation in (\d+) cycles \((\d+) bytes\))$`)
	tcryptHash    = regexp.MustCompile(`^tcrypt: test *(\d+) \( *(\d+) byte blocks, *(\d+) bytes per update, *(\d+) updates\): (?: *(\d+) opers/sec, *(\d+) bytes/sec| *(\d+) cycles/operation, *(\d+) cycles/byte)$`)
	tcryptHashes  = regexp.MustCompile(`^tcrypt: test *(\d+) \( *(\d+) byte blocks, *(\d+) bytes per update, *1 updates\): (?:(\d+) operations in (\d+) seconds \((\d+) bytes\)|1 operation in (\d+) cycles \((\d+) bytes\))$`)
	tcryptMissing = regexp.MustCompile(`^tcrypt: (?:alg: aead: F|f)ailed to load transform for (\S+): -2$`)
)

// recording reads what a kernel printed and gives it the form of 6.12: without
// stamps, with the prefix on every line, and without line breaks in between.
func recording(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stamp := regexp.MustCompile(`^\[ *[0-9.]+\] ?`)
	var lines []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(stamp.ReplaceAllString(line, ""), "\n")
		text := strings.TrimPrefix(line, "tcrypt: ")
		switch last := len(lines) - 1; {
		case strings.HasPrefix(text, "test"):
			lines = append(lines, "tcrypt: "+text)
		case last >= 0 && strings.HasSuffix(lines[last], ": "):
			lines[last] += line
		}
	}
	return lines
}

// tcryptFile finds the mode and the seconds of a recording.
func tcryptFile(t *testing.T, file string) (m speed.Mode, seconds int) {
	t.Helper()
	parts := strings.Split(filepath.Base(file), "-")
	modes, err := modesOf(parts[:1])
	if err != nil {
		t.Fatal(err)
	}
	if parts[1] == "sec1" {
		seconds = 1
	}
	return modes[0], seconds
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/tcrypt/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	return files
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// TestTcryptText writes every line that a kernel printed from what the line says.
func TestTcryptText(t *testing.T) {
	for _, file := range recordings(t) {
		mode, seconds := tcryptFile(t, file)
		lines := recording(t, file)
		var heading []string
		for i, line := range lines {
			if m := tcryptHeading.FindStringSubmatch(line); m != nil {
				heading = m
				continue
			}
			trial := speed.Trial{Mode: &mode, Algorithm: heading[2], Driver: heading[3], Seconds: seconds, Op: speed.Digest}
			switch heading[4] {
			case "encryption":
				trial.Op = speed.Encrypt
			case "decryption":
				trial.Op = speed.Decrypt
			}
			if m := tcryptCipher.FindStringSubmatch(line); m != nil {
				trial.Index, trial.KeyBits, trial.Bytes = number(m[1]), number(m[2]), number(m[3])
				trial.Operations, trial.Cycles = number(m[4]), uint64(number(m[7]))
			} else if m := tcryptHash.FindStringSubmatch(line); m != nil {
				trial.Index, trial.Bytes, trial.Update = number(m[1]), number(m[2]), number(m[3])
				trial.Operations, trial.Cycles = number(m[5]), uint64(number(m[7]))
			} else {
				t.Fatalf("%s: no pattern for %q", file, line)
			}
			want := line + "\n"
			if trial.Index == 0 {
				want = lines[i-1] + "\n" + want
			}
			same(t, tcryptText(trial), want)
		}
	}
}

// tcryptSource has the drivers that a recording names, and no others. Its clock
// only moves when one of them works.
func tcryptSource(lines []string, mode speed.Mode) (src speed.Source, clock func() time.Duration) {
	now := time.Duration(0)
	var drivers []ucrypt.Driver
	for _, line := range lines {
		m := tcryptHeading.FindStringSubmatch(line)
		if m == nil || slices.ContainsFunc(drivers, func(d ucrypt.Driver) bool { return d.DriverName == m[3] }) {
			continue
		}
		for _, name := range []*string{&m[2], &m[3]} {
			if inner, ok := strings.CutPrefix(*name, "rfc4309("); ok { // which this version makes of the inner one
				*name = strings.TrimSuffix(inner, ")")
			}
		}
		d := ucrypt.Driver{Name: m[2], DriverName: m[3], Type: ucrypt.TypeSkcipher, Priority: 100, BlockSize: 1}
		switch {
		case mode.Hash:
			d.Type = ucrypt.TypeShash
		case mode.AEAD:
			d.Type = ucrypt.TypeAEAD
		case regexp.MustCompile(`^(ecb|cbc|cts|xts|lrw)\(`).MatchString(d.Name):
			d.BlockSize = 16
		}
		drivers = append(drivers, d)
	}
	work := func(bytes int) speed.Work {
		return func(n int) error {
			now += time.Duration(n) * time.Duration(bytes) * time.Microsecond
			return nil
		}
	}
	return speed.Source{
		Drivers: func() []ucrypt.Driver { return drivers },
		Lookup: func(name string) (ucrypt.Driver, error) {
			for _, d := range drivers {
				if d.Name == name || d.DriverName == name {
					return d, nil
				}
			}
			return ucrypt.Driver{}, &ucrypt.UnknownAlgorithmError{Name: name}
		},
		Open:        func(_ ucrypt.Driver, _ speed.Op, _, bytes int) (speed.Work, error) { return work(bytes), nil },
		OpenUpdates: func(_ ucrypt.Driver, bytes, _ int) (speed.Work, error) { return work(bytes), nil },
		OpenQueued: func(_ ucrypt.Driver, _ speed.Op, _, bytes, _ int, q speed.Queued) (speed.Work, func(), error) {
			return work(bytes), func() {}, nil
		},
	}, func() time.Duration { return now }
}

// TestTcryptOrder runs each recorded mode over drivers of the recording's names.
// Line for line it must be what the kernel printed, but for the figures and for
// algorithms that this kernel did not have.
func TestTcryptOrder(t *testing.T) {
	figures := regexp.MustCompile(`: +\d.*$`)
	for _, file := range recordings(t) {
		mode, seconds := tcryptFile(t, file)
		lines := recording(t, file)
		src, clock := tcryptSource(lines, mode)
		o := speed.TcryptOptions{Driver: "best", Seconds: seconds, Messages: 8, Clock: clock, Counter: func() uint64 { return uint64(clock()) }}
		var got []string
		for trial, err := range src.Tcrypt(&mode, o) {
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(tcryptText(trial)) {
				line = strings.TrimSuffix(line, "\n")
				if !tcryptMissing.MatchString(line) {
					got = append(got, line)
				}
			}
		}
		for i := range min(len(got), len(lines)) {
			if g, w := figures.ReplaceAllString(got[i], ""), figures.ReplaceAllString(lines[i], ""); g != w {
				t.Fatalf("%s, line %d: %q, want %q", file, i+1, g, w)
			}
			if !tcryptHeading.MatchString(got[i]) && !tcryptCipher.MatchString(got[i]) && !tcryptHash.MatchString(got[i]) {
				t.Errorf("%s: no pattern reads %q", file, got[i])
			}
		}
		if len(got) != len(lines) {
			t.Errorf("%s: %d lines, want %d", file, len(got), len(lines))
		}
	}
}

// TestTcryptFigures counts on a clock that the work itself moves.
func TestTcryptFigures(t *testing.T) {
	lines := []string{"tcrypt: testing speed of sync cbc(sm4) (cbc-sm4-ce) encryption"}
	mode := speed.Mode{Tests: []speed.ModeTest{{Algorithm: "lrw(sm4)", KeyBits: []int{256}}, {Algorithm: "cbc(sm4)", KeyBits: []int{128}}}, Lengths: []int{20}}
	src, clock := tcryptSource(lines, mode)
	run := func(seconds int, multi bool) string {
		var b strings.Builder
		mode.Multi = multi
		o := speed.TcryptOptions{Driver: "best", Seconds: seconds, Messages: 4, Clock: clock, Counter: func() uint64 { return uint64(clock() / time.Microsecond) }}
		for trial, err := range src.Tcrypt(&mode, o) {
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(tcryptText(trial))
		}
		return b.String()
	}
	missing := strings.Repeat("tcrypt: failed to load transform for lrw(sm4): -2\n", 2)
	both := func(kind, figure string) string {
		s := missing
		for _, way := range []string{"encryption", "decryption"} {
			s += fmt.Sprintf("tcrypt: testing speed of %s cbc(sm4) (cbc-sm4-ce) %s\ntcrypt: test 0 (128 bit key, 32 byte blocks): %s (%%s bytes)\n", kind, way, figure)
		}
		return s
	}
	// 32 bytes take 32 µs; counting ends with the first batch after the seconds.
	got := run(2, false)
	if n := number(regexp.MustCompile(`(\d+) operations`).FindStringSubmatch(got)[1]); n < 62500 || n > 62520 {
		t.Errorf("%d operations, want 62500 and less than a batch", n)
	} else {
		same(t, got, strings.ReplaceAll(both("sync", fmt.Sprintf("%d operations in 2 seconds", n)), "%s", fmt.Sprint(n*32)))
	}
	same(t, run(0, false), strings.ReplaceAll(both("sync", "1 operation in 32 cycles"), "%s", "32"))
	same(t, run(0, true), strings.ReplaceAll(both("multibuffer", "1 operation in 32 cycles"), "%s", "32"))
}

// TestTcryptHashes counts many hashes at once: only messages that come whole, as
// tcrypt's multibuffer tests of hashes did.
func TestTcryptHashes(t *testing.T) {
	for _, sec := range []string{"0", "1"} {
		src, clock := tcryptSource([]string{"tcrypt: testing speed of async blake2s-256 (blake2s-256-x86)"}, speed.Mode{Hash: true})
		modes, err := modesOf([]string{"416"})
		if err != nil {
			t.Fatal(err)
		}
		modes[0].Multi, modes[0].Async = true, false
		o := speed.TcryptOptions{Driver: "best", Seconds: number(sec), Messages: 4, Clock: clock, Counter: func() uint64 { return uint64(clock() / time.Microsecond) }}
		var lines []string
		for trial, err := range src.Tcrypt(&modes[0], o) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, strings.Split(strings.TrimSpace(tcryptText(trial)), "\n")...)
		}
		same(t, lines[0], "tcrypt: testing speed of multibuffer blake2s-256 (blake2s-256-x86)")
		var numbers []string
		for _, line := range lines[1:] {
			m := tcryptHashes.FindStringSubmatch(line)
			if m == nil || m[2] != m[3] || sec == "0" && m[7] != m[2] || sec == "1" && number(m[6]) != number(m[4])*number(m[2]) {
				t.Fatalf("%q", line)
			}
			numbers = append(numbers, m[1])
		}
		same(t, strings.Join(numbers, " "), "0 2 5 8 12 16 21")
	}
}

// TestModesOfRegistry has every mode measure the drivers that there are. The
// kernel's patterns read each line, and all that the kernel prints is there.
func TestModesOfRegistry(t *testing.T) {
	if os.Getenv("UCRYPT_EMULATED") == "1" {
		t.Skip("measures a lot for an emulator")
	}
	for _, m := range speed.Modes() {
		out := speedOutput(t, speed.Registry, "--mode", strconv.Itoa(m.Number), "--sec", "0")
		if !m.AEAD && !m.Multi {
			out += speedOutput(t, speed.Registry, "--mode", strconv.Itoa(m.Number), "--sec", "0", "--num-mb", "2")
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			read := false
			for _, pattern := range []*regexp.Regexp{tcryptHeading, tcryptCipher, tcryptHash, tcryptHashes, tcryptMissing} {
				read = read || pattern.MatchString(line)
			}
			if !read {
				t.Errorf("mode %d: no pattern reads %q", m.Number, line)
			}
		}
		for _, test := range m.Tests {
			if !strings.Contains(out, " "+test.Algorithm+" (") && !strings.Contains(out, " for "+test.Algorithm+": -2\n") {
				t.Errorf("mode %d: nothing of %s", m.Number, test.Algorithm)
			}
		}
	}
}

// TestModeFlags runs the command line.
func TestModeFlags(t *testing.T) {
	src, _ := tcryptSource(nil, speed.Mode{})
	run := func(args string) (string, error) {
		c := speedCommandOf(src)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(strings.Fields(args))
		var out bytes.Buffer
		c.SetOut(&out)
		err := c.Execute()
		return out.String(), err
	}
	var queued []speed.Queued
	for args, want := range map[string]speed.Queued{
		"--mode 518":                       {InFlight: 1, Workers: 2},
		"--mode 518 --in-flight 5":         {InFlight: 5, Workers: 2},
		"--mode 218 --async":               {InFlight: 8, Workers: 2},
		"--mode 218 --async --in-flight 3": {InFlight: 3, Workers: 2},
		"--mode 218 --in-flight 3":         {},
		"--async --format tcrypt ctr(sm4)": {InFlight: 8, Workers: 2},
		"--mode 518 --num-mb 3":            {},
	} {
		queued = nil
		src, _ := tcryptSource([]string{"tcrypt: testing speed of sync ctr(sm4) (ctr-sm4-ce) encryption"}, speed.Mode{})
		for _, d := range src.Drivers() {
			d.MinKeySize, d.MaxKeySize = 16, 16
			src.Drivers = func() []ucrypt.Driver { return []ucrypt.Driver{d} }
			src.Lookup = func(name string) (ucrypt.Driver, error) {
				if name == d.Name || name == d.DriverName {
					return d, nil
				}
				return ucrypt.Driver{}, &ucrypt.UnknownAlgorithmError{Name: name}
			}
		}
		asked := src.OpenQueued
		src.OpenQueued = func(d ucrypt.Driver, op speed.Op, bits, bytes, update int, q speed.Queued) (speed.Work, func(), error) {
			queued = append(queued, q)
			return asked(d, op, bits, bytes, update, q)
		}
		c := speedCommandOf(src)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(append(strings.Fields(args), "--sec", "0", "--workers", "2"))
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Execute(); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		for _, q := range queued {
			if q != want {
				t.Errorf("%s: %+v, want %+v", args, q, want)
			}
		}
		if strings.Contains(args, "--num-mb") && (len(queued) > 0 || !strings.Contains(out.String(), "speed of multibuffer ctr(sm4) (ctr-sm4-ce) encryption\n")) {
			t.Errorf("%s: %d queues\n%s", args, len(queued), out.String())
		}
		if want.InFlight > 0 && (len(queued) == 0 || !strings.Contains(out.String(), "speed of async ctr(sm4)")) {
			t.Errorf("%s: nothing went through a queue:\n%s", args, out.String())
		}
	}
	list, err := run("--mode")
	for _, m := range speed.Modes() {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d  \S.*%s`, m.Number, regexp.QuoteMeta(m.Tests[0].Algorithm))).MatchString(list) {
			t.Errorf("%v: mode %d is not in\n%s", err, m.Number, list)
		}
	}
	for _, args := range []string{"--mode 222", "--mode=222", "--sec 0 --mode 222 --drivers best", "--mode 222 --format tcrypt"} {
		out, err := run(args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		}
		same(t, out, strings.Repeat("tcrypt: alg: aead: Failed to load transform for gcm(sm4): -2\n", 2))
	}
	if out, err := run("--mode 222,316"); err != nil || !strings.HasSuffix(out, "tcrypt: failed to load transform for blake2s-256: -2\n") {
		t.Errorf("two modes: %q, %v", out, err)
	}
	for _, args := range []string{"--mode 219", "--mode x", "--mode=218 518", "--mode 218 --bytes 16", "--mode 218 --format csv", "--mode 218 --sec -1",
		"--mode 600 --num-mb 0", "--mode 222 --num-mb 2", "--mode 218 --async --num-mb 2", "--sec 1", "--num-mb 3", "--workers 1 x", "--async", "--async --in-flight 0 x", "--format what x", "--json --format csv x",
		"--plot x.gif x", "--plot x.svg", "--compare nothing-here x", "--format tcrypt"} {
		if out, err := run(args); err == nil || !isUsage(err) || out != "" {
			t.Errorf("%s: %q, %v, want a usage error", args, out, err)
		}
	}
}
