package cpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// processor returns what a detection library says of a processor with the
// features.
func processor(features ...cpuid.FeatureID) func(cpuid.FeatureID) bool {
	return func(id cpuid.FeatureID) bool { return slices.Contains(features, id) }
}

var (
	none    = processor()
	sse     = processor(cpuid.AESNI) // the system has not enabled the wide registers
	haswell = processor(cpuid.AESNI, cpuid.AVX, cpuid.AVX2)
	arm     = processor(cpuid.AESARM)
)

func TestDetect(t *testing.T) {
	const lacks = "processor or system lacks "
	for _, c := range []struct {
		name             string
		has              func(cpuid.FeatureID) bool
		disable, godebug string
		missing          string // reasons for AES, AVX and AVX2, joined by /
		disabled         string
		err              string
	}{
		{name: "all", has: haswell},
		{name: "none", has: none, missing: lacks + "aes/" + lacks + "avx/" + lacks + "avx2"},
		{name: "no wide registers", has: sse, missing: lacks + "avx/" + lacks + "avx2"},
		{name: "another family's name", has: arm, missing: lacks + "avx/" + lacks + "avx2"},

		{name: "a feature", has: haswell, disable: "avx2", missing: "avx2 disabled by UCRYPT_DISABLE", disabled: "avx2"},
		{name: "features", has: haswell, disable: "aes, avx,,", missing: "aes disabled by UCRYPT_DISABLE/avx disabled by UCRYPT_DISABLE", disabled: "aes avx"},
		{name: "a feature that is missing", has: sse, disable: "avx2", missing: lacks + "avx/" + lacks + "avx2", disabled: "avx2"},
		{name: "a tier", has: haswell, disable: "aesni-avx2,generic", disabled: "aesni-avx2 generic"},
		{name: "unknown words", has: haswell, disable: "avx3,avx,AES", missing: "avx disabled by UCRYPT_DISABLE", disabled: "avx",
			err: `UCRYPT_DISABLE: unknown word "avx3", expected some of ` + strings.Join(Words(), ",")},
		{name: "an upper-case word", has: haswell, disable: "AVX", err: `UCRYPT_DISABLE: unknown word "AVX", expected some of ` + strings.Join(Words(), ",")},

		{name: "GODEBUG", has: haswell, godebug: "cpu.avx2=off", missing: "avx2 disabled by GODEBUG"},
		{name: "GODEBUG among others", has: haswell, godebug: "gctrace=1,cpu.aes=off,cpu.nosuch=off,cpu.avx=off", missing: "aes disabled by GODEBUG/avx disabled by GODEBUG"},
		{name: "GODEBUG for all", has: haswell, godebug: "cpu.all=off", missing: "aes disabled by GODEBUG/avx disabled by GODEBUG/avx2 disabled by GODEBUG"},
		{name: "GODEBUG on", has: haswell, godebug: "cpu.avx2=on,avx=off,cpu.aes"},
		{name: "GODEBUG for all on little", has: sse, godebug: "cpu.all=off", missing: "aes disabled by GODEBUG/" + lacks + "avx/" + lacks + "avx2"},
		{name: "both", has: haswell, disable: "avx2", godebug: "cpu.avx2=off,cpu.avx=off", missing: "avx disabled by GODEBUG/avx2 disabled by UCRYPT_DISABLE", disabled: "avx2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func(before detected) { state = before }(state)
			state = detect(c.has, c.disable, c.godebug)
			if got := strings.Join(Missing([]Feature{AES, AVX, AVX2}), "/"); got != c.missing {
				t.Errorf("missing %q, want %q", got, c.missing)
			}
			words, err := DisabledWords()
			if got := strings.Join(words, " "); got != c.disabled {
				t.Errorf("disabled words %q, want %q", got, c.disabled)
			}
			if err == nil && c.err != "" || err != nil && err.Error() != c.err {
				t.Errorf("error %v, want %q", err, c.err)
			}
			for _, word := range Words() {
				if Disabled(word) != slices.Contains(words, word) {
					t.Errorf("Disabled(%s) is %v", word, Disabled(word))
				}
			}
		})
	}
}

// Every feature and every tier can be named, once.
func TestWords(t *testing.T) {
	words := Words()
	for f := range numFeatures {
		if names[f] == "" || len(ids[f]) == 0 {
			t.Errorf("feature %d has no name or cannot be detected", f)
		}
		if got := Names([]Feature{f}); len(got) != 1 || !slices.Contains(words, got[0]) {
			t.Errorf("feature %d is %v, which is no word", f, got)
		}
	}
	slices.Sort(words)
	if n := len(words); len(slices.Compact(words)) != n {
		t.Errorf("a word is there twice: %v", words)
	}
	// The result is the caller's.
	Words()[0] = "changed"
	if Words()[0] == "changed" || names[0] == "changed" {
		t.Error("the list can be changed from outside")
	}
}

// What was detected at start agrees with the library.
func TestHere(t *testing.T) {
	for f := range numFeatures {
		has := slices.ContainsFunc(ids[f], func(id cpuid.FeatureID) bool { return cpuid.CPU.Has(id) || system(id) })
		if missing := Missing([]Feature{f}); len(missing) == 0 && !has {
			t.Errorf("%s is not missing, and the processor lacks it", names[f])
		}
	}
	t.Logf("%s: missing %q", Brand(), Missing([]Feature{AES, AVX, AVX2}))
}
