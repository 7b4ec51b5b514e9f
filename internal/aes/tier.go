package aes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ucrypt/internal/cpu"
)

// Tier names a set of routines. Tiers are ordered: a later one is faster.
type Tier uint8

const (
	Go Tier = iota // crypto/aes, one block at a time
	AESNI
	VAESAVX2
	VAESAVX512
	CE // Armv8's AES instructions
	numTiers
)

// tierFacts is what the registry prints of a tier.
type tierFacts struct {
	name         string
	archs        []string // GOARCHes whose assembly holds the routines; none are needed for Go
	features     []cpu.Feature
	constantTime bool
}

var facts = [numTiers]tierFacts{
	Go: {name: "go"},
	AESNI: {
		name: "aesni", archs: []string{"amd64", "386"},
		features: []cpu.Feature{cpu.AES, cpu.SSSE3}, constantTime: true,
	},
	VAESAVX2: {
		name: "vaes-avx2", archs: []string{"amd64"},
		features: []cpu.Feature{cpu.AES, cpu.SSSE3, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ}, constantTime: true,
	},
	VAESAVX512: {
		name: "vaes-avx512", archs: []string{"amd64"},
		features: []cpu.Feature{cpu.AES, cpu.SSSE3, cpu.AVX, cpu.AVX2, cpu.VAES, cpu.VPCLMULQDQ, cpu.AVX512}, constantTime: true,
	},
	CE: {
		name: "ce", archs: []string{"arm64"},
		features: []cpu.Feature{cpu.ASIMD, cpu.AES}, constantTime: true,
	},
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

func (t Tier) String() string { return facts[t].name }

// ConstantTime reports whether no branch and no address depends on a key or on
// data. Of crypto/aes this is not promised: on processors for which Go has no
// AES instructions it looks bytes up in tables.
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
	if archs := facts[t].archs; len(archs) > 0 && !slices.Contains(archs, assembly) {
		return fmt.Errorf("this build has no %s assembly", strings.Join(archs, " or "))
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
// their verdict on every call. The tier must be Available, or be Go.
func (t Tier) SelfTest() error {
	v := &verdicts[t]
	v.once.Do(func() {
		if err := selfTest(t); err != nil {
			v.err = fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
	})
	return v.err
}

// Best returns the fastest tier that may be used. Go is the floor: it serves
// even when it is disabled, since a key must be usable by something.
func Best() Tier {
	for t := numTiers - 1; t > Go; t-- {
		if t.Check() == nil {
			return t
		}
	}
	return Go
}

// fault is a test's request to damage one tier: see SetFault.
var fault atomic.Int32

// SetFault makes every key that tier t expands wrong in one bit, so that all its
// answers are wrong, and forgets t's verdict; undo repairs both. It exists for
// the tests that show that a broken driver is never chosen.
func SetFault(t Tier) (undo func()) {
	forget := func() { verdicts[t].once, verdicts[t].err = sync.Once{}, nil }
	fault.Store(int32(t) + 1)
	forget()
	return func() { fault.Store(0); forget() }
}
