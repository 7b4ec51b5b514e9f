package blake2s

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ucrypt/internal/cpu"
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

// tierFacts is what the registry prints of a tier.
type tierFacts struct {
	name     string
	archs    []string // GOARCHs whose assembly has the routine; empty for generic
	features []cpu.Feature
}

var facts = [numTiers]tierFacts{
	Generic: {name: "generic"},
	Arm:     {name: "arm", archs: []string{"arm"}},
	Arm64:   {name: "arm64", archs: []string{"arm64"}},
	X86:     {name: "x86", archs: []string{"amd64"}},
	SSE41:   {name: "sse41", archs: []string{"amd64", "386"}, features: []cpu.Feature{cpu.SSSE3, cpu.SSE41}},
	AVX512:  {name: "avx512", archs: []string{"amd64"}, features: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.AVX512}},
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

// ConstantTime reports that no branch or address depends on a key or on data.
func (t Tier) ConstantTime() bool { return true }

// Features names the processor features that the tier needs.
func (t Tier) Features() []string { return cpu.Names(facts[t].features) }

// Available says why the tier cannot run here: it is not part of this build,
// was disabled, or the processor or the system lacks a feature. It returns nil
// if the tier can run. It does not run the self-test.
func (t Tier) Available() error {
	f := &facts[t]
	if cpu.Disabled(f.name) {
		return fmt.Errorf("disabled by %s=%s", cpu.DisableVariable, f.name)
	}
	if len(f.archs) > 0 && !slices.Contains(f.archs, assembly) {
		return fmt.Errorf("this build has no %s assembly", strings.Join(f.archs, " or "))
	}
	if missing := cpu.Missing(f.features); len(missing) > 0 {
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

// best is one more than the tier that Best found, 0 if nothing has asked yet: a
// hash of 32 bytes takes less time than looking through the tiers.
var best atomic.Uint32

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
func Best() Tier {
	if b := best.Load(); b != 0 {
		return Tier(b - 1)
	}
	for _, t := range Preferred() {
		if t == Generic || t.Check() == nil {
			best.Store(uint32(t) + 1)
			return t
		}
	}
	return Generic
}

// damage is what is wrong with the chaining value that a tier starts from:
// nothing, but for a test's SetFault.
var damage [numTiers]atomic.Uint32

// SetFault makes every digest that tier t starts wrong in one bit of its
// chaining value, so that all its answers are wrong, and forgets t's verdict;
// undo repairs both. It exists for the tests that show that a broken driver is
// never chosen.
func SetFault(t Tier) (undo func()) {
	set := func(d uint32) {
		damage[t].Store(d)
		verdicts[t].once, verdicts[t].err = sync.Once{}, nil
		best.Store(0)
	}
	set(1)
	return func() { set(0) }
}
