package cpu

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Feature is a processor feature that a tier may need.
type Feature uint8

const (
	AES Feature = iota
	AVX
	AVX2
	SM4
	ASIMD // of 64-bit Arm
	SSSE3
	SSE41
	VAES
	VPCLMULQDQ
	GFNI
	AVX512 // F, BW, DQ and VL
	PCLMULQDQ
	PMULL // of 64-bit Arm
	numFeatures
)

var names = [numFeatures]string{
	AES: "aes", AVX: "avx", AVX2: "avx2", SM4: "sm4", ASIMD: "asimd",
	SSSE3: "ssse3", SSE41: "sse41", VAES: "vaes", VPCLMULQDQ: "vpclmulqdq", GFNI: "gfni", AVX512: "avx512",
	PCLMULQDQ: "pclmulqdq", PMULL: "pmull",
}

// ids are the detection library's names. One of them per processor family is
// enough: the library reports only features of the processor it runs on.
var ids = [numFeatures][]cpuid.FeatureID{
	AES:  {cpuid.AESNI, cpuid.AESARM},
	AVX:  {cpuid.AVX},
	AVX2: {cpuid.AVX2},
	SM4:  {cpuid.SM4},

	ASIMD: {cpuid.ASIMD},

	SSSE3:      {cpuid.SSSE3},
	SSE41:      {cpuid.SSE4},
	VAES:       {cpuid.VAES},
	VPCLMULQDQ: {cpuid.VPCLMULQDQ},
	GFNI:       {cpuid.GFNI},
	AVX512:     {cpuid.AVX512F},
	PCLMULQDQ:  {cpuid.CLMUL},
	PMULL:      {cpuid.PMULL},
}

// more are the features that a word stands for besides: all must be there.
var more = [numFeatures][]cpuid.FeatureID{
	AVX512: {cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL},
}

// tiers are the words that UCRYPT_DISABLE knows besides the features.
var tiers = []string{"generic", "aesni-avx", "aesni-avx2", "neon", "aese", "ce", "arm", "arm64", "x86", "go", "aesni", "vaes-avx2", "vaes-avx512", "gfni-avx2", "gfni-avx512", "clmulni", "vpclmul-avx2", "vpclmul-avx512"}

// DisableVariable is the environment variable that takes features and tiers
// away: words separated by commas.
const DisableVariable = "UCRYPT_DISABLE"

var state = detect(
	func(id cpuid.FeatureID) bool { return cpuid.CPU.Has(id) || system(id) },
	os.Getenv(DisableVariable), os.Getenv("GODEBUG"))

type detected struct {
	has      [numFeatures]bool
	reason   [numFeatures]string
	disabled []string
	err      error
}

// detect works out the state from what the processor has and from the values
// of the two environment variables.
func detect(has func(cpuid.FeatureID) bool, disable, godebug string) detected {
	var d detected
	for f := range numFeatures {
		d.has[f] = slices.ContainsFunc(ids[f], has)
		for _, id := range more[f] {
			d.has[f] = d.has[f] && has(id)
		}
		if !d.has[f] {
			d.reason[f] = "processor or system lacks " + names[f]
		}
	}
	take := func(word, by string) {
		if f := slices.Index(names[:], word); f >= 0 && d.has[f] {
			d.has[f], d.reason[f] = false, fmt.Sprintf("%s disabled by %s", word, by)
		}
	}
	for _, word := range strings.FieldsFunc(disable, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(names[:], word) && !slices.Contains(tiers, word) {
			if d.err == nil {
				d.err = fmt.Errorf("%s: unknown word %q, expected some of %s", DisableVariable, word, strings.Join(Words(), ","))
			}
			continue
		}
		d.disabled = append(d.disabled, word)
		take(word, DisableVariable)
	}
	for option := range strings.SplitSeq(godebug, ",") {
		switch name, value, _ := strings.Cut(strings.TrimPrefix(option, "cpu."), "="); {
		case !strings.HasPrefix(option, "cpu.") || value != "off":
		case name == "all":
			for _, n := range names {
				take(n, "GODEBUG")
			}
		default:
			take(name, "GODEBUG")
		}
	}
	return d
}

// Words lists what UCRYPT_DISABLE accepts.
func Words() []string { return append(slices.Clone(names[:]), tiers...) }

// DisabledWords returns the known words of UCRYPT_DISABLE, and an error if it
// holds an unknown one.
func DisabledWords() ([]string, error) { return slices.Clone(state.disabled), state.err }

// Disabled reports whether UCRYPT_DISABLE names the tier.
func Disabled(tier string) bool { return slices.Contains(state.disabled, tier) }

// Missing says, for each feature that may not be used, why.
func Missing(features []Feature) []string {
	var m []string
	for _, f := range features {
		if !state.has[f] {
			m = append(m, state.reason[f])
		}
	}
	return m
}

// Names returns the names of features.
func Names(features []Feature) []string {
	var s []string
	for _, f := range features {
		s = append(s, names[f])
	}
	return s
}

// Zen5 reports that the processor is of AMD's family 26.
func Zen5() bool { return cpuid.CPU.VendorID == cpuid.AMD && cpuid.CPU.Family == 26 }

// Brand returns the processor's name as it gives it itself, or the empty
// string.
func Brand() string { return cpuid.CPU.BrandName }
