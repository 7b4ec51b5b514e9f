package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ucrypt"
)

// fakeOracle answers as a generic driver does, except for one algorithm, and
// not at all for another.
type fakeOracle struct{ wrong, missing string }

func (fakeOracle) name() (string, error) { return "Other 1.0", nil }

func (o fakeOracle) answer(q question) ([]byte, error) {
	if q.algorithm == o.missing {
		return nil, errNotThere
	}
	d, err := ucrypt.Lookup(strings.TrimSuffix(q.algorithm, ")") + "-generic)")
	if err != nil {
		return nil, err
	}
	out, err := ours(d, q)
	if q.algorithm == o.wrong && len(out) == 4096 {
		out[7] ^= 1
	}
	return out, err
}

func TestAgainst(t *testing.T) {
	var out bytes.Buffer
	if err := against(&out, fakeOracle{missing: "ecb(sm4)"}, []string{"[ec]?b(sm4)", "ctr(sm4)"}, 7); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"not run: ecb(sm4): Other 1.0 cannot be asked for it\n", "\ncfb(sm4) ", "\nctr(sm4) ", ": equal\n", "\nseed 7: ", " 0 differ\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	err := against(&out, fakeOracle{wrong: "ctr(sm4)"}, []string{"ctr(sm4)"}, 7)
	if err == nil || isUsage(err) || !strings.Contains(out.String(), "DIFFERS ctr(sm4-generic), decrypt false, 4096 bytes, key ") {
		t.Errorf("wrong answers: %v\n%s", err, out.String())
	}
	if err := against(&out, fakeOracle{missing: "ctr(sm4)"}, []string{"ctr(sm4)"}, 7); err == nil || isUsage(err) {
		t.Errorf("nothing was compared: %v", err)
	}
	if err := against(&out, fakeOracle{}, []string{"nothing"}, 7); !isUsage(err) {
		t.Errorf("no such algorithm: %v", err)
	}
}

// TestAgainstOthers asks whoever is here.
func TestAgainstOthers(t *testing.T) {
	for name, o := range oracles {
		if _, err := o.name(); err != nil {
			if name == "openssl" && os.Getenv("CI") == "true" && !errors.Is(err, exec.ErrNotFound) {
				t.Error(err)
			}
			fmt.Fprintf(os.Stderr, "not run: %s against %s: %v\n", t.Name(), name, err)
			continue
		}
		var out bytes.Buffer
		if err := against(&out, o, []string{"ctr(sm4)", "cbc(aes)", "cts*(cbc(aes))", "xts(aes)", "cmac(aes)", "blake2s-256", "blake2b-160"}, 3); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
