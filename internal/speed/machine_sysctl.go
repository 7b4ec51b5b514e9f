//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package speed

import "syscall"

// systemName asks the system for the processor's name.
func systemName() string {
	for _, name := range []string{"machdep.cpu.brand_string", "hw.model"} {
		if s, err := syscall.Sysctl(name); err == nil && s != "" {
			return s
		}
	}
	return ""
}
