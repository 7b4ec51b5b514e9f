package speed

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCycleRate(t *testing.T) {
	if r := CycleRate(Machine{}); !(r > 1e6 && r < 1e11) {
		t.Errorf("%g cycles a second", r)
	}
	if r := CycleRate(Machine{Emulated: "runs under qemu-user"}); r != 0 {
		t.Errorf("%g cycles a second of an emulated processor", r)
	}
}

func TestCyclesPerByte(t *testing.T) {
	r := Result{Op: Digest, Bytes: 500, Stats: Stats{Seconds: 1e-6}, CycleRate: 4e9}
	if got := r.CyclesPerByte(); got != 8 {
		t.Errorf("%g", got)
	}
	line, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(line), `"cycles_per_byte":8`) {
		t.Errorf("%s, %v", line, err)
	}
	r.CycleRate = 0
	line, err = json.Marshal(r)
	if got := r.CyclesPerByte(); got != 0 || err != nil || strings.Contains(string(line), "cycles") {
		t.Errorf("rate unknown: %g, %s, %v", got, line, err)
	}
}
