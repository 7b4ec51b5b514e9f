//go:build !purego

package arm64

import (
	"slices"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/routinetest"
)

var tiers = routinetest.GHASH{
	{Name: "PMULL", Init: InitPMULL, Update: UpdatePMULL, Stride: 8, Size: 256, Needs: []cpu.Feature{cpu.ASIMD, cpu.PMULL}},
}

func TestRoutines(t *testing.T) { tiers.Test(t) }

// BenchmarkRoutine is for internal/icount too.
func BenchmarkRoutine(b *testing.B) { tiers.Benchmark(b) }

// TestAllocations keeps all buffers on the caller's stack.
func TestAllocations(t *testing.T) {
	for name, f := range map[string]func(){
		"PMULL": func() {
			var powers [1024]byte
			var h, acc, p [16]byte
			InitPMULL(&powers, &h)
			UpdatePMULL(&powers, &acc, &p[0], 1)
		},
	} {
		i := slices.IndexFunc(tiers, func(r routinetest.GHASHTier) bool { return r.Name == name })
		if len(cpu.Missing(tiers[i].Needs)) > 0 {
			continue
		}
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
