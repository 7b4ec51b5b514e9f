package blake2s

import (
	"slices"

	"ucrypt/internal/cpu"
	"ucrypt/internal/selection"
)

// Tier names a routine. Tiers are ordered: a later one is faster on a processor
// that has both, unless Preferred says otherwise.
type Tier uint8

const (
	Generic Tier = iota
	Arm
	Arm64
	X86 // general registers
	SSE41
	AVX512
	numTiers
)

var facts = [numTiers]selection.Facts{
	Generic: {Name: "generic"},
	Arm:     {Name: "arm", Archs: []string{"arm"}},
	Arm64:   {Name: "arm64", Archs: []string{"arm64"}},
	X86:     {Name: "x86", Archs: []string{"amd64"}},
	SSE41:   {Name: "sse41", Archs: []string{"amd64", "386"}, Features: []cpu.Feature{cpu.SSSE3, cpu.SSE41}},
	AVX512:  {Name: "avx512", Archs: []string{"amd64"}, Features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.AVX512}},
}

var tierTable = selection.NewTable[Tier](assembly, facts[:])

// Tiers lists all tiers, slowest first, built in or not.
func Tiers() []Tier { return tierTable.All() }

func (t Tier) String() string { return facts[t].Name }

// ConstantTime reports that no branch or address depends on a key or on data.
func (t Tier) ConstantTime() bool { return true }

// Features names the processor features that the tier needs.
func (t Tier) Features() []string { return cpu.Names(facts[t].Features) }

// Available says why the tier cannot run here, and returns nil if it can. It does
// not run the self-test.
func (t Tier) Available() error { return tierTable.Available(t) }

// Check says why the tier must not be used: see Available; or its known
// answers, which are computed on the first call, are wrong.
func (t Tier) Check() error { return tierTable.Check(t, selfTest) }

// SelfTest computes the tier's known answers on the first call and returns
// their verdict on every call. The tier must be Available, or be Generic.
func (t Tier) SelfTest() error { return tierTable.SelfTest(t, selfTest) }

// Preferred lists all tiers, fastest first on this processor's family. On AMD's
// Zen 5 the general registers win: one message cannot hide the latency that its
// vector instructions have. A tier can be asked for by its name all the same,
// and with UCRYPT_DISABLE=x86 the vectors serve there too.
func Preferred() []Tier { return preferred(cpu.Zen5()) }

func preferred(zen5 bool) []Tier {
	all := Tiers()
	if zen5 {
		all = append(slices.DeleteFunc(all, func(t Tier) bool { return t == X86 }), X86)
	}
	slices.Reverse(all)
	return all
}

// Best returns the fastest tier that may be used. Generic is the floor: it
// serves even when it is disabled, since a message must be hashed by something.
func Best() Tier { return tierTable.Best(Preferred, selfTest) }

// SetFault makes every digest that tier t starts wrong in one bit of its
// chaining value, and forgets t's verdict; undo repairs both. It is for tests.
func SetFault(t Tier) (undo func()) { return tierTable.SetFault(t) }
