package ghash

import (
	"ucrypt/internal/cpu"
	"ucrypt/internal/selection"
)

// Tier names a set of routines. Tiers are ordered: a later one is faster.
type Tier uint8

const (
	Generic Tier = iota
	CLMUL
	VPCLMULAVX2
	VPCLMULAVX512
	PMULL // Armv8's multiplication of polynomials
	numTiers
)

var facts = [numTiers]selection.Facts{
	Generic: {Name: "generic", ConstantTime: true},
	CLMUL:   {Name: "clmulni", Archs: []string{"amd64"}, Features: []cpu.Feature{cpu.AVX, cpu.PCLMULQDQ}, ConstantTime: true},
	VPCLMULAVX2: {
		Name: "vpclmul-avx2", Archs: []string{"amd64"}, ConstantTime: true,
		Features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.PCLMULQDQ, cpu.VPCLMULQDQ},
	},
	VPCLMULAVX512: {
		Name: "vpclmul-avx512", Archs: []string{"amd64"}, ConstantTime: true,
		Features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.PCLMULQDQ, cpu.VPCLMULQDQ, cpu.AVX512},
	},
	PMULL: {Name: "pmull", Archs: []string{"arm64"}, Features: []cpu.Feature{cpu.ASIMD, cpu.PMULL}, ConstantTime: true},
}

// verdicts holds the outcome of each tier's known answers.
var verdicts [numTiers]selection.Verdict

// choice is the tier that Best found.
var choice selection.Choice

// Tiers lists all tiers, slowest first, built in or not.
func Tiers() []Tier {
	all := make([]Tier, numTiers)
	for i := range all {
		all[i] = Tier(i)
	}
	return all
}

func (t Tier) String() string     { return facts[t].Name }
func (t Tier) ConstantTime() bool { return facts[t].ConstantTime }

// Features names the processor features that the tier needs.
func (t Tier) Features() []string { return cpu.Names(facts[t].Features) }

// Available says why the tier cannot run here, and returns nil if it can. It does
// not run the self-test.
func (t Tier) Available() error { return facts[t].Available(assembly) }

// Check says why the tier must not be used: see Available; or its known
// answers, which are computed on the first call, are wrong.
func (t Tier) Check() error {
	if err := t.Available(); err != nil {
		return err
	}
	return t.SelfTest()
}

// SelfTest computes the tier's known answers on the first call and returns
// their verdict on every call. The tier must be Available, or be Generic.
func (t Tier) SelfTest() error {
	return verdicts[t].Get(func() error { return selfTest(t) })
}

// Best returns the fastest tier that may be used. Generic is the floor: it
// serves even when it is disabled, since a key must be usable by something.
func Best() Tier {
	return Tier(choice.Get(func() uint8 {
		for t := numTiers - 1; t > Generic; t-- {
			if t.Check() == nil {
				return uint8(t)
			}
		}
		return uint8(Generic)
	}))
}

// fault damages the keys of one tier.
var fault selection.Fault

// SetFault makes every key of tier t wrong in one bit, and forgets t's verdict;
// undo repairs both. It is for tests.
func SetFault(t Tier) (undo func()) { return fault.Set(uint8(t), &verdicts[t], &choice) }
