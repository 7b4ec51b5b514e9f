//go:build amd64 && !purego

package amd64

import (
	"slices"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/routinetest"
)

var tiers = routinetest.GHASH{
	{Name: "CLMUL", Init: InitCLMUL, Update: UpdateCLMUL, Stride: 8, Size: 192, Needs: []cpu.Feature{cpu.AVX, cpu.PCLMULQDQ}},
	{Name: "VPCLMULAVX2", Init: InitVPCLMULAVX2, Update: UpdateVPCLMULAVX2, Stride: 16, Size: 384, Needs: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.PCLMULQDQ, cpu.VPCLMULQDQ}},
	{Name: "VPCLMULAVX512", Init: InitVPCLMULAVX512, Update: UpdateVPCLMULAVX512, Stride: 32, Size: 768, Needs: []cpu.Feature{cpu.AVX, cpu.AVX2, cpu.AVX512, cpu.PCLMULQDQ, cpu.VPCLMULQDQ}},
}

func TestRoutines(t *testing.T) { tiers.Test(t) }

// BenchmarkRoutine is for internal/icount too.
func BenchmarkRoutine(b *testing.B) { tiers.Benchmark(b) }

// TestAllocations keeps all buffers on the caller's stack.
func TestAllocations(t *testing.T) {
	for name, f := range map[string]func(){
		"CLMUL": func() {
			var powers [1024]byte
			var h, acc, p [16]byte
			InitCLMUL(&powers, &h)
			UpdateCLMUL(&powers, &acc, &p[0], 1)
		},
		"VPCLMULAVX2": func() {
			var powers [1024]byte
			var h, acc, p [16]byte
			InitVPCLMULAVX2(&powers, &h)
			UpdateVPCLMULAVX2(&powers, &acc, &p[0], 1)
		},
		"VPCLMULAVX512": func() {
			var powers [1024]byte
			var h, acc, p [16]byte
			InitVPCLMULAVX512(&powers, &h)
			UpdateVPCLMULAVX512(&powers, &acc, &p[0], 1)
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
