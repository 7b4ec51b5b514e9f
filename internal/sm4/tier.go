package sm4

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"ucrypt/internal/cpu"
)

// Tier names a set of routines. Tiers are ordered: a later one is faster.
type Tier uint8

const (
	Generic Tier = iota
	AESNIAVX
	AESNIAVX2
	VAESAVX2
	GFNIAVX2
	GFNIAVX512
	NEON // Armv8 without and with its AES and its SM4 instructions
	AESE
	CE
	numTiers
)

// tierFacts is what the registry prints of a tier.
type tierFacts struct {
	name         string
	arch         string // GOARCH whose assembly holds the routines; empty if there is none
	features     []cpu.Feature
	constantTime bool
}

var facts = [numTiers]tierFacts{
	Generic:   {name: "generic"},
	AESNIAVX:  {name: "aesni-avx", arch: "amd64", features: []cpu.Feature{cpu.AES, cpu.AVX}, constantTime: true},
	AESNIAVX2: {name: "aesni-avx2", arch: "amd64", features: []cpu.Feature{cpu.AES, cpu.AVX, cpu.AVX2}, constantTime: true},
	VAESAVX2:  {name: "vaes-avx2", arch: "amd64", features: []cpu.Feature{cpu.AES, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ}, constantTime: true},
	GFNIAVX2:  {name: "gfni-avx2", arch: "amd64", features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.GFNI, cpu.VPCLMULQDQ}, constantTime: true},
	GFNIAVX512: {
		name: "gfni-avx512", arch: "amd64", constantTime: true,
		features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.GFNI, cpu.VPCLMULQDQ, cpu.AVX512},
	},
	NEON: {name: "neon", arch: "arm64", features: []cpu.Feature{cpu.ASIMD}, constantTime: true},
	AESE: {name: "aese", arch: "arm64", features: []cpu.Feature{cpu.ASIMD, cpu.AES}, constantTime: true},
	CE:   {name: "ce", arch: "arm64", features: []cpu.Feature{cpu.ASIMD, cpu.SM4}, constantTime: true},
}

// verdicts holds the outcome of each tier's known answers, found on first use.
var verdicts [numTiers]struct {
	once sync.Once
	err  error
}

// ErrSelfTest is wrapped by the error of a tier whose known answers came out
// wrong.
var ErrSelfTest = errors.New("self-test failed")

// Tiers lists all tiers, slowest first, built in or not.
func Tiers() []Tier {
	all := make([]Tier, numTiers)
	for i := range all {
		all[i] = Tier(i)
	}
	return all
}

func (t Tier) String() string     { return facts[t].name }
func (t Tier) ConstantTime() bool { return facts[t].constantTime }

// Features names the processor features that the tier needs.
func (t Tier) Features() []string { return cpu.Names(facts[t].features) }

// Available says why the tier cannot run here: it is not part of this build,
// was disabled, or the processor or the system lacks a feature. It returns nil
// if the tier can run. It does not run the self-test.
func (t Tier) Available() error {
	if cpu.Disabled(facts[t].name) {
		return fmt.Errorf("disabled by %s=%s", cpu.DisableVariable, facts[t].name)
	}
	if arch := facts[t].arch; arch != "" && arch != assembly {
		return fmt.Errorf("this build has no %s assembly", arch)
	}
	if missing := cpu.Missing(facts[t].features); len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	return nil
}

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
	v := &verdicts[t]
	v.once.Do(func() {
		if err := selfTest(t); err != nil {
			v.err = fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
	})
	return v.err
}

// Best returns the fastest tier that may be used. Generic is the floor: it
// serves even when it is disabled, since a key must be usable by something.
func Best() Tier {
	for t := numTiers - 1; t > Generic; t-- {
		if t.Check() == nil {
			return t
		}
	}
	return Generic
}

// fault is a test's request to damage one tier: see SetFault.
var fault atomic.Int32

// SetFault makes every key schedule that tier t expands wrong in one bit, so
// that all its answers are wrong, and forgets t's verdict; undo repairs both.
// It exists for the tests that show that a broken driver is never chosen.
func SetFault(t Tier) (undo func()) {
	forget := func() { verdicts[t].once, verdicts[t].err = sync.Once{}, nil }
	fault.Store(int32(t) + 1)
	forget()
	return func() { fault.Store(0); forget() }
}
