package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ucrypt/internal/cpu"
)

// Facts describes a tier.
type Facts struct {
	Name         string
	Archs        []string // GOARCHs whose assembly holds the routines; none for portable code
	Features     []cpu.Feature
	ConstantTime bool
}

// Available says why the tier cannot run here: it was disabled, is not part of
// this build, whose assembly is that of the given GOARCH, or the processor or
// the system lacks a feature. It returns nil if the tier can run.
func (f *Facts) Available(assembly string) error {
	if cpu.Disabled(f.Name) {
		return fmt.Errorf("disabled by %s=%s", cpu.DisableVariable, f.Name)
	}
	if len(f.Archs) > 0 && !slices.Contains(f.Archs, assembly) {
		return fmt.Errorf("this build has no %s assembly", strings.Join(f.Archs, " or "))
	}
	if missing := cpu.Missing(f.Features); len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	return nil
}

// ErrSelfTest is wrapped by the error of a tier, or of a driver, whose known
// answers came out wrong.
var ErrSelfTest = errors.New("self-test failed")

// Table is what is known of the tiers of one cipher or hash. They are numbered
// from 0 on, a later one being faster. Tier 0 is the floor: it serves even when
// it is disabled, since a key must be usable by something.
//
// A method that may need a tier's known answers takes the function that computes
// them and says what is wrong with them.
type Table[T ~uint8] struct {
	facts    []Facts
	assembly string
	verdicts []verdict
	best     atomic.Int32 // the tier that Best found and 1, or 0
	fault    atomic.Int32 // the tier that is to be damaged and 1, or 0
}

// verdict is the outcome of a tier's known answers, which are computed on first
// use.
type verdict struct {
	once sync.Once
	err  error
}

// NewTable returns the table of the tiers with these facts in a build whose
// assembly is that of the given GOARCH.
func NewTable[T ~uint8](assembly string, facts []Facts) *Table[T] {
	return &Table[T]{facts: facts, assembly: assembly, verdicts: make([]verdict, len(facts))}
}

// All lists all tiers, slowest first, built in or not.
func (t *Table[T]) All() []T {
	all := make([]T, len(t.facts))
	for i := range all {
		all[i] = T(i)
	}
	return all
}

// Available says why a tier cannot run here, and returns nil if it can. It does
// not run the self-test.
func (t *Table[T]) Available(tier T) error { return t.facts[tier].Available(t.assembly) }

// Check says why a tier must not be used: see Available; or its known answers
// are wrong.
func (t *Table[T]) Check(tier T, test func(T) error) error {
	if err := t.Available(tier); err != nil {
		return err
	}
	return t.SelfTest(tier, test)
}

// SelfTest computes a tier's known answers on the first call and returns their
// verdict on every call. The tier must be available, or be the floor.
func (t *Table[T]) SelfTest(tier T, test func(T) error) error {
	v := &t.verdicts[tier]
	v.once.Do(func() {
		if err := test(tier); err != nil {
			v.err = fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
	})
	return v.err
}

// Best returns the first tier of order that may be used, the floor if there is
// none. With nil the order is from the last tier to the first. The answer is
// remembered, since working it out takes longer than a key expansion.
func (t *Table[T]) Best(order func() []T, test func(T) error) T {
	if best := t.best.Load(); best != 0 {
		return T(best - 1)
	}
	all := t.All()
	slices.Reverse(all)
	if order != nil {
		all = order()
	}
	best := T(0)
	if i := slices.IndexFunc(all, func(tier T) bool { return tier != 0 && t.Check(tier, test) == nil }); i >= 0 {
		best = all[i]
	}
	t.best.Store(int32(best) + 1)
	return best
}

// SetFault asks for a tier to be damaged, so that all its answers are wrong, and
// forgets its verdict and the best tier; undo repairs both. It exists for the
// tests that show that a broken driver is never chosen.
func (t *Table[T]) SetFault(tier T) (undo func()) {
	set := func(fault int32) {
		t.fault.Store(fault)
		t.verdicts[tier].once, t.verdicts[tier].err = sync.Once{}, nil
		t.best.Store(0)
	}
	set(int32(tier) + 1)
	return func() { set(0) }
}

// Faulty reports whether a tier is to be damaged.
func (t *Table[T]) Faulty(tier T) bool { return t.fault.Load() == int32(tier)+1 }

// FaultBit is 1 if a tier is to be damaged, else 0.
func (t *Table[T]) FaultBit(tier T) uint32 {
	if t.Faulty(tier) {
		return 1
	}
	return 0
}
