//go:build !windows || !arm64

package cpu

import "github.com/klauspost/cpuid/v2"

// system knows the features that the detection library misses on this system:
// none. On Linux it reads the kernel's hwcaps, on macOS the sysctls named after
// the features, and on FreeBSD the registers that the kernel emulates.
func system(cpuid.FeatureID) bool { return false }
