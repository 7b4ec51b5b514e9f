package speed

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCountInstructions(t *testing.T) {
	count, calls := uint64(0), 0
	// An operation takes 100; what surrounds a run takes 1000, and every third one is
	// disturbed.
	w := func(n int) error {
		count += uint64(100*n) + 1000
		if calls++; calls%3 == 0 {
			count += 777
		}
		return nil
	}
	stats, err := measureInstructions([]Work{w, w}, func() uint64 { return count })
	if err != nil || len(stats) != 2 || stats[1].Instructions != 100 {
		t.Fatalf("%+v, %v", stats, err)
	}
	b, err := json.Marshal(Result{Bytes: 50, Stats: stats[0]})
	if err != nil || !strings.Contains(string(b), `"ops_per_s":0,"mb_per_s":0,`) || !strings.Contains(string(b), `"instructions":100`) || strings.Contains(string(b), `"ns"`) {
		t.Errorf("%s, %v", b, err)
	}
}

// TestGuest is what TestEmulated runs in the emulator.
func TestGuest(t *testing.T) {
	if !CountsInstructions() {
		t.Skip("runs in TestEmulated")
	}
	d, err := Registry.Lookup("ctr(sm4-generic)")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{64, 4096} {
		for range 2 {
			w, err := Registry.Open(d, Encrypt, 128, n)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := Measure([]Work{w}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("instructions %d %.1f\n", n, stats[0].Instructions)
		}
	}
}

// TestEmulated counts the instructions of an arm64 program, twice, with the same
// result.
func TestEmulated(t *testing.T) {
	if testing.Short() || os.Getenv("QEMU_CPU") != "" {
		t.Skip("builds a program for another architecture")
	}
	for _, program := range []string{"gcc", "qemu-aarch64", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	run := func(env []string, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	plugin, binary, file := filepath.Join(dir, "count.so"), filepath.Join(dir, "guest"), filepath.Join(dir, "count")
	run(nil, "gcc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-o", plugin, "plugin/count.c")
	run([]string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS="}, "go", "test", "-c", "-o", binary, ".")
	out := run([]string{InstructionsVariable + "=" + file, "GOGC=off", "GODEBUG=asyncpreemptoff=1"},
		"qemu-aarch64", "-plugin", plugin+",count="+file, binary, "-test.run=^TestGuest$", "-test.v")
	var first, second [2]float64
	i := 0
	for line := range strings.Lines(out) {
		var bytes int
		var count float64
		if _, err := fmt.Sscanf(line, "instructions %d %f", &bytes, &count); err == nil && i < 4 {
			if i%2 == 0 {
				first[i/2] = count
			} else {
				second[i/2] = count
			}
			i++
		}
	}
	if i != 4 {
		t.Fatalf("%d counts in\n%s", i, out)
	}
	for i := range first {
		if d := first[i] - second[i]; first[i] < 1000 || d > first[i]/100 || -d > first[i]/100 {
			t.Errorf("%v, then %v instructions", first[i], second[i])
		}
	}
	if perByte := (first[1] - first[0]) / (4096 - 64); perByte < 2 || perByte > 100 {
		t.Errorf("%v instructions a byte", perByte)
	}
	t.Log(strings.TrimSpace(out))
}
