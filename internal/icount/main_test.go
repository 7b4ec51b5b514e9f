package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	symbols := []symbol{{"a", 0x1000, 0x1010}, {"b", 0x1010, 0x1020}, {"c", 0x2000, 0x2004}}
	counts := map[string]float64{}
	// Two runs: the second has twice the iterations, here 10 and 20.
	for run, lines := range []string{
		"1000 4 11\n100c 2 10\n2000 2 1\nfff 1 1\n",
		"1000 4 21\n100c 2 20\n2000 2 1\nfff 1 1\n",
	} {
		if err := addCounts(counts, symbols, lines, float64(2*run-1)/10); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]float64{"a": 4 + 1, "b": 1, "c": 0, "(elsewhere)": 0} {
		if got := counts[name]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: %v instructions, want %v", name, got, want)
		}
	}
	if err := addCounts(counts, symbols, "x\n", 1); err == nil {
		t.Error("a line that is no count is accepted")
	}
	var out strings.Builder
	report(&out, "Benchmark/10", map[string]float64{"a": 5, "b": 1, "tiny": 0.001}, 10, true, regexp.MustCompile("^a$"))
	const want = `Benchmark/10
instructions   by byte
         6.0      0.60  all
         5.0      0.50  functions matching ^a$
         5.0      0.50    a
         1.0      0.10    b
`
	if out.String() != want {
		t.Errorf("report:\n%s\nwant:\n%s", out.String(), want)
	}
	if got := anchored("BenchmarkX/10$"); got != "^BenchmarkX$/^10$" {
		t.Errorf("anchored: %s", got)
	}
}

// TestEndToEnd counts a benchmark whose routine takes a known number of
// instructions for every block, whatever the machine.
func TestEndToEnd(t *testing.T) {
	if testing.Short() || os.Getenv("UCRYPT_EMULATED") == "1" {
		t.Skip("not run: builds the tests of another package for arm64")
	}
	if _, err := newCounter(t.TempDir(), "arm64", ""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("not run: counting instructions: ", err)
	}
	var out strings.Builder
	args := strings.Fields("-arch arm64 -n 10 -func arm64.Compress -C ../.. ./blake2s BenchmarkSum256/64 BenchmarkSum256/4096")
	if err := run(args, &out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "functions matching"); lines != 2 {
		t.Errorf("report:\n%s", out.String())
	}
	for _, m := range regexp.MustCompile(`(\d+\.\d) +\S+  functions matching`).FindAllStringSubmatch(out.String(), -1) {
		if !strings.HasSuffix(m[1], ".0") {
			t.Errorf("%s instructions: not the same in every iteration", m[1])
		}
	}
	out.Reset()
	err := run(strings.Fields("-C ../.. -table arm64 -drivers ^sm4-ce$"), &out)
	if _, _, missing := llvm(); missing != nil && err != nil && err.Error() == missing.Error() {
		t.Log("not run: cycle estimates: ", err)
	} else if err != nil {
		t.Error(err)
	} else if !strings.Contains(out.String(), "\n| ecb-sm4-ce | ") {
		t.Errorf("no cycle estimates:\n%s", out.String())
	}
	if !regexp.MustCompile("(?m)^\\| `sm4-ce` \\| 128 \\| encrypt \\| \\d+ \\(\\d+\\.\\d\\d\\) \\|$").MatchString(out.String()) {
		t.Errorf("no line of sm4-ce:\n%s", out.String())
	}
	for _, args := range []string{"-table arm64 . Benchmark", "-table s390x", "-arch s390x . Benchmark", "-C ../.. ./blake2s BenchmarkNone", "-func ( ./x B"} {
		if err := run(strings.Fields(args), &out); err == nil {
			t.Errorf("icount %s: no error", args)
		}
	}
}
