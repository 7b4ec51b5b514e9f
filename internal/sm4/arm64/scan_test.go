package arm64

import (
	"strings"
	"testing"

	"ucrypt/internal/routinetest"
)

// These tests read the assembly, so they run on every architecture.

func TestRegisters(t *testing.T) { routinetest.Arm64Registers(t, 4) }

// TestInstructions: the routines of tier neon have no instruction of an
// extension, those of aese only AES's, those of ce only SM4's.
func TestInstructions(t *testing.T) {
	counts := routinetest.Arm64Instructions(t, "internal/sm4/arm64", func(routine string) string {
		switch {
		case strings.HasSuffix(routine, "NEON"):
			return ""
		case strings.HasSuffix(routine, "AESE"):
			return "aes"
		case strings.HasSuffix(routine, "CE"):
			return "sm4"
		}
		t.Fatalf("%s: routine of no tier", routine)
		return ""
	})
	// The scan must have seen what it looks for.
	if counts[[2]string{"", ""}] < 500 || counts[[2]string{"aes", "aes"}] < 16 || counts[[2]string{"sm4", "sm4"}] < 300 {
		t.Errorf("too few instructions: %v", counts)
	}
}
