package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"ucrypt/blake2s"
)

// sumFiles are the files that sums are made of, beside a folder d.
func sumFiles(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{0, 1, 64, 65, 4096, 65535, 65536, 65537, 1<<20 + 3} {
		write(fmt.Sprint("f", n), randomBytes(n))
	}
	write("sp ace", []byte("s"))
	write(" lead", []byte("l"))
	write("*star", []byte("*"))
	write("a)b", []byte(")"))
	if runtime.GOOS != "windows" {
		write(`b\s`, []byte("b"))
		write("n\nl", []byte("n"))
		write("c\rr", []byte("c"))
	}
	if err := os.Mkdir(filepath.Join(folder, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

// outcome is what a command did.
type outcome struct {
	status         int
	stdout, stderr string
}

func (o outcome) String() string {
	return fmt.Sprintf("status %d, output %+q, messages %+q", o.status, o.stdout, o.stderr)
}

// execute runs a command in a folder.
func execute(t *testing.T, folder, stdin string, args ...string) outcome {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Stdin = folder, strings.NewReader(stdin)
	c.Env = append(os.Environ(), "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// needB2sum skips a test without the b2sum whose manners ours are, or fails it in CI.
func needB2sum(t *testing.T) {
	t.Helper()
	needCommand(t)
	out, err := exec.Command("b2sum", "--version").Output()
	if err != nil {
		missing(t, "b2sum is not installed")
	}
	if !bytes.HasPrefix(out, []byte("b2sum (GNU coreutils) ")) {
		missing(t, "b2sum is not that of GNU coreutils")
	}
	if escapes := execute(t, sumFiles(t), "", "b2sum", "c\rr"); !strings.HasPrefix(escapes.stdout, `\`) {
		missing(t, "b2sum is older than coreutils 9.0: it does not escape a carriage return")
	}
}

// TestSumIsB2sum compares sum with coreutils' b2sum: output, messages and exit status.
func TestSumIsB2sum(t *testing.T) {
	needB2sum(t)
	folder := sumFiles(t)
	all := []string{"f0", "f1", "f64", "f65", "f4096", "f65535", "f65536", "f65537", "f1048579",
		"sp ace", " lead", "*star", "a)b", `b\s`, "n\nl", "c\rr"}
	b2sum := func(args ...string) string {
		t.Helper()
		return execute(t, folder, "text", append([]string{"b2sum"}, args...)...).stdout
	}
	write := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain := b2sum(all...)
	f64 := b2sum("f64")
	digest, _, _ := strings.Cut(f64, " ")
	wrong := strings.Replace(f64, f64[:1], string("01"[f64[0]&1]), 1)
	if wrong == f64 {
		wrong = "f" + f64[1:]
	}
	var reversed strings.Builder
	for line := range strings.Lines(b2sum("f1", "f64", "sp ace")) {
		reversed.WriteString(strings.Replace(line, "  ", " ", 1))
	}
	write("plain", plain)
	write("binary", b2sum(append([]string{"-b"}, all...)...))
	write("tags", b2sum(append([]string{"--tag"}, all...)...))
	write("short", b2sum("-l", "128", "f1")+b2sum("-l", "8", "f1")+b2sum("-l", "504", "--tag", "f1")+b2sum("-l", "160", "--tag", `b\s`))
	write("upper", strings.ToUpper(digest)+"  f64\n")
	write("crlf", strings.ReplaceAll(b2sum("f1", "f64"), "\n", "\r\n"))
	write("cut", strings.TrimSuffix(f64, "\n"))
	write("comments", "# comment\n\n"+f64+"  \n#\n")
	write("wrong", wrong)
	write("two wrong", wrong+wrong)
	write("wrong and right", wrong+plain)
	write("missing", digest+"  nowhere\n"+f64+digest+"  no where\n")
	write("all missing", digest+"  nowhere\n"+digest+"  else\n")
	write("a folder", digest+"  d\n"+f64)
	write("wrong name", digest+"  f1\n\\"+digest+"  n\\nl\n")
	write("standard", digest+"  -\n")
	write("reversed", reversed.String())
	write("reversed then plain", reversed.String()+f64+digest+" *f64\n")
	write("plain then reversed", f64+reversed.String())
	write("one letter", digest+"  a\n"+digest+" a\n")
	tag := func(s string) string { return strings.ReplaceAll(s, "D", digest) + "\n" }
	for i, line := range []string{
		"D", "D ", "D  ", "D f", "D\tf64", "D \tf64", " D  f64", "\tD  f64", `\D  f64`, `\D  f\64`, `\D  f64\`, `\D  f\\64`, `\\D  f64`, "0D  f64", "00D  f64", "D0  f64",
		"1  f64", "12  f64", "123  f64", "xD  f64", "Dx  f64", "BLAKE2b (f64) = D", "BLAKE2b(f64)= D", "BLAKE2b (f64) =D", "BLAKE2b  (f64) = D",
		"BLAKE2b (f64)  =  D", "BLAKE2b (f64) = D ", "BLAKE2b (f64 = D", "BLAKE2b f64) = D", "BLAKE2b (f64) D", "BLAKE2b-512 (f64) = D",
		"BLAKE2b-256 (f64) = D", "BLAKE2b-0 (f64) = D", "BLAKE2b-520 (f64) = D", "BLAKE2b-12 (f64) = 123", "BLAKE2b-8 (f64) = 12", "BLAKE2b-x (f64) = D",
		"BLAKE2b- (f64) = D", "BLAKE2b-512(f64)= D", "BLAKE2b-512", "BLAKE2b", "BLAKE2b (f64)", "BLAKE2b-512  (f64) = D", "BLAKE2b   (f64) = D", "12 ", "1 ", "BLAKE2b (a)b) = D", "BLAKE2b () = D", "MD5 (f64) = D",
		` \BLAKE2b (f64) = D`, `\BLAKE2b (n\nl) = D`, `\BLAKE2b (n\xl) = D`, `\BLAKE2b (n\) = D`, "BLAKE2b (f64) = x", "BLAKE2b (f64) = ",
	} {
		write(fmt.Sprint("line", i), tag(line)+f64)
	}
	lines, err := filepath.Glob(filepath.Join(folder, "line*"))
	if err != nil || len(lines) < 40 {
		t.Fatal(lines, err)
	}
	tests := [][]string{
		{}, {"-"}, {"-", "-"}, {"f1", "-", "f64", "-"}, append([]string{"-b"}, all...), append([]string{"-t"}, all...), append([]string{"--tag"}, all...),
		append([]string{"-z"}, all...), append([]string{"--tag", "-z", "-l", "256"}, all...), append([]string{"-l", "160"}, all...), append([]string{"-bl504"}, all...),
		{"--tag", "-"}, {"-l", "0", "f1"}, {"-l", "512", "--tag", "f1"}, {"--length=8", "f1"}, {"-l", " 16", "f1"}, {"-l", "+16", "f1"},
		{"-l", "7", "f1"}, {"-l", "520", "f1"}, {"-l", "1000", "f1"}, {"-l", "x", "f1"}, {"-l", "", "f1"}, {"-l", "-8", "f1"}, {"-l", "0x10", "f1"}, {"-l", "16 ", "f1"},
		{"-l", "1_6", "f1"}, {"-l", "++16", "f1"}, {"-l", "2147483648", "f1"}, {"-l", "99999999999999999999999", "f1"},
		{"nowhere"}, {"f1", "nowhere", "f64"}, {"d", "f1"}, {"--", "-b"}, {"f1", "-b"}, {"f1/x"},
		{"no where", "it's", "t\tab", "", "a:b", "*", "#x", "x#", "{}", "{", "a\"b", "it's $", "n\nl\x01z", "~x", `a\b`, "%+,-.@_", "a=b", "]", "^", "x'"},
		{"-b", "-t", "f1"}, {"-t", "-b", "f1"}, {"--tag", "-t", "f1"}, {"--tag", "-b", "f1"}, {"-t", "--tag", "f1"}, {"--tag", "-t", "-b", "f1"},
		{"--ignore-missing", "f1"}, {"--quiet", "f1"}, {"--status", "f1"}, {"--strict", "f1"}, {"-w", "f1"}, {"--warn", "f1"}, {"--quiet", "--status", "f1"}, {"--strict", "-w", "f1"},
		{"-c", "--tag", "plain"}, {"-c", "-b", "plain"}, {"-c", "-t", "plain"}, {"-c", "-z", "plain"}, {"-c", "--tag", "-z", "-t", "plain"},
		{"-c", "plain"}, {"-c", "plain", "tags", "binary"}, {"-c", "nofile"}, {"-c", "no file", "plain"}, {"-c", "d"}, {"-c", "d", "plain"}, {"-c", "f0"}, {"-c", "f4096"}, {"-c"}, {"-c", "-"},
		{"-c", "--quiet", "--warn", "line0"}, {"-c", "--warn", "--quiet", "line0"}, {"-c", "--warn", "--status", "line0"}, {"-c", "--status", "--warn", "line0"},
		{"-c", "standard"}, {"-c", "-l", "128", "plain"}, {"-c", "-l", "7", "plain"}, {"-cw", "plain"}, {"-wc", "line0"},
	}
	for _, name := range []string{"plain", "binary", "tags", "short", "upper", "crlf", "cut", "comments", "wrong", "two wrong", "wrong and right", "missing", "all missing",
		"a folder", "wrong name", "reversed", "reversed then plain", "plain then reversed", "one letter"} {
		for _, options := range []string{"-c", "-c --quiet", "-c --status", "-c -w", "-c --strict", "-c --ignore-missing", "-c --ignore-missing --quiet",
			"-c --ignore-missing --status", "-c --strict -w", "-c --strict --status"} {
			tests = append(tests, append(strings.Fields(options), name))
		}
	}
	for _, line := range lines {
		tests = append(tests, []string{"-cw", filepath.Base(line)}, []string{"-c", "--strict", filepath.Base(line)})
	}
	if testing.Short() { // as under the race detector, where each run takes long
		for i := range tests {
			if i%7 == 0 {
				tests[i/7] = tests[i]
			}
		}
		tests = tests[:len(tests)/7]
	}
	for _, args := range tests {
		want := execute(t, folder, "text", append([]string{"b2sum"}, args...)...)
		// Where b2sum explains itself in several lines, the command does in one.
		var messages []string
		for line := range strings.Lines(want.stderr) {
			line = strings.TrimSuffix(strings.Replace(line, "b2sum: ", "ucrypt sum: ", 1), "\n")
			switch {
			case strings.HasPrefix(line, "Try '"):
			case len(messages) > 0 && strings.HasPrefix(messages[0], "ucrypt sum: invalid length"):
				messages[0] += strings.TrimPrefix(line, "ucrypt sum")
			default:
				messages = append(messages, line)
			}
		}
		want.stderr = strings.Join(append(messages, ""), "\n")
		got := execute(t, folder, "text", append([]string{"ucrypt", "sum"}, args...)...)
		if got != want {
			t.Errorf("%q:\n%v, want\n%v", args, got, want)
		}
	}
	// What one wrote the other reads; standard input may hold the lines.
	for _, options := range [][]string{{}, {"-b"}, {"--tag"}, {"-l", "256"}, {"-l", "24", "--tag"}} {
		text := execute(t, folder, "", append(append([]string{"ucrypt", "sum"}, options...), all...)...).stdout
		want := execute(t, folder, text, "b2sum", "-c", "--strict")
		if got := execute(t, folder, text, "ucrypt", "sum", "-c", "--strict"); got != want || got.status != 0 {
			t.Errorf("%q: %v, want %v", options, got, want)
		}
	}
}

// TestSumIsOpenSSL compares the digests of BLAKE2s with openssl's, and checks the lines
// that it prints.
func TestSumIsOpenSSL(t *testing.T) {
	needCommand(t)
	if err := exec.Command("openssl", "dgst", "-blake2s256", os.DevNull).Run(); err != nil {
		missing(t, "there is no openssl with blake2s256")
	}
	folder := sumFiles(t)
	files := []string{"f0", "f1", "f64", "f65", "f4096", "f65535", "f65536", "f65537", "f1048579", "sp ace", " lead", "a)b"}
	lines := execute(t, folder, "", append([]string{"openssl", "dgst", "-blake2s256"}, files...)...).stdout
	got := execute(t, folder, "", append([]string{"ucrypt", "sum", "-a", "blake2s-256", "--tag"}, files...)...)
	want := strings.NewReplacer("BLAKE2S-256(", "BLAKE2s (", ")= ", ") = ").Replace(lines)
	if got != (outcome{0, want, ""}) {
		t.Errorf("%v, want\n%v", got, want)
	}
	reversed := execute(t, folder, "", append([]string{"openssl", "dgst", "-r", "-blake2s256"}, files...)...).stdout
	got = execute(t, folder, "", append([]string{"ucrypt", "sum", "-a", "blake2s", "-b"}, files...)...)
	if got != (outcome{0, reversed, ""}) {
		t.Errorf("%v, want\n%v", got, reversed)
	}
	lines += execute(t, folder, "", "openssl", "dgst", "-blake2b512", "f4096").stdout
	ok := outcome{0, strings.Join(files, ": OK\n") + ": OK\nf4096: OK\n", ""}
	if got := execute(t, folder, lines, "ucrypt", "sum", "-c", "--strict"); got != ok {
		t.Errorf("openssl's lines: %v, want %v", got, ok)
	}
	if got := execute(t, folder, reversed, "ucrypt", "sum", "-a", "blake2s-128", "-c", "--strict", "-"); got.status != 0 {
		t.Errorf("openssl's lines without a tag: %v", got)
	}
}

// TestSumKinds: digests of all lengths of both hashes, with a key and without, whichever
// way they are asked for, and by many workers at once.
func TestSumKinds(t *testing.T) {
	needCommand(t)
	folder := sumFiles(t)
	key := randomBytes(32)
	if err := os.WriteFile(filepath.Join(folder, "key"), key, 0o666); err != nil {
		t.Fatal(err)
	}
	var files []string
	for range 40 {
		files = append(files, "f0", "f65", "f4096", "f65536", "f1", "f65537")
	}
	for _, bits := range []int{8, 128, 136, 160, 224, 256, 384, 504, 512} {
		for _, f := range families {
			for _, key := range [][]byte{nil, key} {
				if bits > f.maxBits {
					continue
				}
				args := []string{"ucrypt", "sum", "-a", f.name, "-l", fmt.Sprint(bits)}
				if key != nil {
					args = append(args, "--key-file", "key")
				}
				digests := map[string]string{}
				var want strings.Builder
				for _, file := range files {
					if digests[file] == "" {
						text, err := os.ReadFile(filepath.Join(folder, file))
						if err != nil {
							t.Fatal(err)
						}
						h, err := blake2b.New(bits/8, key)
						if f.name == "blake2s" {
							h, err = blake2s.New(bits/8, key)
						}
						if err != nil {
							t.Fatal(err)
						}
						h.Write(text)
						digests[file] = hex.EncodeToString(h.Sum(nil))
					}
					want.WriteString(digests[file] + "  " + file + "\n")
				}
				if got := execute(t, folder, "", append(args, files...)...); got != (outcome{0, want.String(), ""}) {
					t.Errorf("%q: status %d, messages %q, output differs", args, got.status, got.stderr)
				}
				digest := 4
				if key != nil {
					digest = 6 // a MAC's length is not the line's to say
				}
				check := append(append(args[:digest:digest], "-c", "--quiet", "--strict"), args[6:]...)
				if got := execute(t, folder, want.String(), check...); got != (outcome{0, "", ""}) {
					t.Errorf("%q: %v", check, got)
				}
				if key == nil || bits == f.maxBits {
					continue
				}
				check = append(append(args[:4:4], "-c"), args[6:]...)
				if got := execute(t, folder, want.String(), check...); got.status != 1 || got.stdout != "" {
					t.Errorf("%q of MACs that are cut: %v", check, got)
				}
			}
		}
	}
}

// TestSumCrowd: many more files than wait at once, and more workers than processors.
func TestSumCrowd(t *testing.T) {
	needCommand(t)
	folder := sumFiles(t)
	t.Setenv("GOMAXPROCS", "16")
	for _, hash := range []string{"blake2b", "blake2s"} {
		line := execute(t, folder, "", "ucrypt", "sum", "-a", hash, "f65").stdout
		args := []string{"ucrypt", "sum", "-a", hash}
		for range 5 * inFlight {
			args = append(args, "f65")
		}
		lines := strings.Repeat(line, 5*inFlight)
		if got := execute(t, folder, "", args...); got != (outcome{0, lines, ""}) {
			t.Errorf("%s: status %d, messages %q, output differs", hash, got.status, got.stderr)
		}
		mixed := strings.ReplaceAll(lines, "\n", "\nno line\n") // a message after each
		want := outcome{1, strings.Repeat("f65: OK\n", 5*inFlight), fmt.Sprintf("ucrypt sum: WARNING: %d lines are improperly formatted\n", 5*inFlight)}
		if got := execute(t, folder, mixed, "ucrypt", "sum", "-a", hash, "-c", "--strict"); got != want {
			t.Errorf("%s: check: status %d, messages %q", hash, got.status, got.stderr)
		}
	}
}

// TestSumOutput: what cannot be written is a failure.
func TestSumOutput(t *testing.T) {
	needCommand(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	c := exec.Command("ucrypt", "sum", os.DevNull)
	c.Stdout = full
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); c.ProcessState.ExitCode() != 1 || stderr.String() != "ucrypt sum: standard output: no space left on device\n" {
		t.Errorf("%v: %q", err, stderr.String())
	}
}

func TestQuoteName(t *testing.T) {
	for name, want := range map[string]string{
		"plain-name_1.txt": "plain-name_1.txt", "": "''", "é": "é", "é x": "'é x'", "\xff": `''$'\377'`, "a\u200bb": `'a'$'\342\200\213''b'`,
		"it's": `"it's"`, "it's\n": `'it'\''s'$'\n'`, "\ufffd": "\ufffd", "{}": "{}", "{": "'{'", "#": "'#'", "a#": "a#",
	} {
		if got := quoteName(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
