package speed

import (
	"cmp"
	"os"
	"runtime"
	"strings"

	"ucrypt/internal/cpu"
)

// Machine is what figures depend on besides the code.
type Machine struct {
	Processor string // as it names itself
	System    string // "linux/amd64"
	Go        string
	Disabled  []string // words of UCRYPT_DISABLE
	Emulated  string   // what shows that the processor is emulated; empty if nothing does
}

// EmulatedVariable is the environment variable that says that the processor is
// emulated, where that cannot be found out.
const EmulatedVariable = "UCRYPT_EMULATED"

// ThisMachine describes the machine that the program runs on.
func ThisMachine() Machine {
	read := func(name string) string { b, _ := os.ReadFile(name); return string(b) }
	info := read("/proc/cpuinfo")
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	m.Processor = cmp.Or(strings.TrimSpace(cpu.Brand()), cpuinfoName(info), systemName(), "unknown processor")
	if model := cpuinfoModel(info); model != "" {
		m.Processor += " (" + model + ")"
	}
	m.Disabled, _ = cpu.DisabledWords()
	m.Emulated = emulated(runtime.GOARCH, m.Processor, info, read("/proc/self/comm"), os.Getenv(EmulatedVariable))
	return m
}

// field finds the value of a "name : value" line of /proc/cpuinfo.
func field(info, name string) string {
	for line := range strings.Lines(info) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func cpuinfoName(info string) string {
	for _, name := range []string{"model name", "Model Name", "cpu model", "cpu", "uarch", "isa", "Hardware", "vendor_id"} {
		if v := field(info, name); v != "" {
			return v
		}
	}
	return ""
}

// cpuinfoModel gives the numbers behind an x86 processor's name, which
// hypervisors often cut to the maker's.
func cpuinfoModel(info string) string {
	family, model := field(info, "cpu family"), field(info, "model")
	if family == "" || model == "" {
		return ""
	}
	return "family " + family + ", model " + model
}

// emulated says what shows that the processor is emulated.
func emulated(arch, processor, info, comm, variable string) string {
	x86 := arch == "amd64" || arch == "386"
	switch {
	case variable != "" && variable != "0":
		return EmulatedVariable + " is set"
	case strings.HasPrefix(comm, "qemu-"):
		return "runs under qemu-user"
	case strings.Contains(processor, "TCG") || strings.Contains(info, "TCG"):
		return "the processor is qemu's"
	case !x86 && (strings.Contains(info, "GenuineIntel") || strings.Contains(info, "AuthenticAMD")):
		return "an " + arch + " program on an x86 processor"
	}
	return ""
}
