package arm64

import (
	"testing"

	"ucrypt/internal/routinetest"
)

// These tests read the assembly, so they run on every architecture.

func TestRegisters(t *testing.T) { routinetest.Arm64Registers(t, 1) }

// TestInstructions: the routines need FEAT_PMULL and no other.
func TestInstructions(t *testing.T) {
	counts := routinetest.Arm64Instructions(t, "internal/ghash/arm64", func(string) string { return "pmull" })
	// The scan must have seen what it looks for.
	if counts[[2]string{"pmull", ""}] < 100 || counts[[2]string{"pmull", "pmull"}] < 40 {
		t.Errorf("too few instructions: %v", counts)
	}
}
