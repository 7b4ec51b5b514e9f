package arm64

import (
	"testing"

	"ucrypt/internal/routinetest"
)

// These tests read the assembly, so they run on every architecture.

func TestRegisters(t *testing.T) { routinetest.Arm64Registers(t, 2) }

// TestInstructions: the routines need FEAT_AES and no other.
func TestInstructions(t *testing.T) {
	counts := routinetest.Arm64Instructions(t, "internal/aes/arm64", func(string) string { return "aes" })
	// The scan must have seen what it looks for.
	if counts[[2]string{"aes", ""}] < 1000 || counts[[2]string{"aes", "aes"}] < 2000 {
		t.Errorf("too few instructions: %v", counts)
	}
}
