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

// Verdict is the outcome of a tier's known answers, which are computed on first
// use.
type Verdict struct {
	once sync.Once
	err  error
}

// Get returns the verdict, running test if it is not known yet.
func (v *Verdict) Get(test func() error) error {
	v.once.Do(func() {
		if err := test(); err != nil {
			v.err = fmt.Errorf("%w: %w", ErrSelfTest, err)
		}
	})
	return v.err
}

// Choice remembers which tier is the best, since working that out takes longer
// than a key expansion.
type Choice struct {
	tier atomic.Int32 // the tier and 1, or 0 if it is not known yet
}

// Get returns the choice, which choose makes if it is not known yet.
func (c *Choice) Get(choose func() uint8) uint8 {
	t := c.tier.Load()
	if t == 0 {
		t = int32(choose()) + 1
		c.tier.Store(t)
	}
	return uint8(t - 1)
}

// Fault is a test's request to damage a tier: all its answers are then wrong. It
// exists for the tests that show that a broken driver is never chosen.
type Fault struct {
	tier atomic.Int32 // 0 for none
}

// Set damages tier t and forgets its verdict v and the choice c; undo repairs
// both.
func (f *Fault) Set(t uint8, v *Verdict, c *Choice) (undo func()) {
	set := func(tier int32) {
		f.tier.Store(tier)
		v.once, v.err = sync.Once{}, nil
		c.tier.Store(0)
	}
	set(int32(t) + 1)
	return func() { set(0) }
}

// Hits reports whether tier t is to be damaged.
func (f *Fault) Hits(t uint8) bool { return f.tier.Load() == int32(t)+1 }

// Bit is 1 if tier t is to be damaged, else 0.
func (f *Fault) Bit(t uint8) uint32 {
	if f.Hits(t) {
		return 1
	}
	return 0
}
