package aes

import (
	"ucrypt/internal/selection"

	"errors"
	"testing"
)

func TestSelfTest(t *testing.T) {
	for _, tier := range Tiers() {
		if tier.Available() == nil {
			if err := tier.Check(); err != nil {
				t.Errorf("%v: %v", tier, err)
			}
		}
	}
}

// A tier that gives wrong answers is not chosen, and the next one is.
func TestFault(t *testing.T) {
	best := Best()
	undo := SetFault(best)
	err := best.SelfTest()
	next := Best()
	undo()
	if !errors.Is(err, selection.ErrSelfTest) {
		t.Errorf("%v with a fault: %v, want a failed self-test", best, err)
	}
	if next == best && best != Go {
		t.Errorf("%v is chosen with a fault", best)
	}
	if Best() != best {
		t.Errorf("%v without the fault, want %v", Best(), best)
	}
}

func BenchmarkSelfTest(b *testing.B) {
	for _, tier := range Tiers() {
		if tier.Available() != nil {
			continue
		}
		b.Run(tier.String(), func(b *testing.B) {
			for range b.N {
				if err := selfTest(tier); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
