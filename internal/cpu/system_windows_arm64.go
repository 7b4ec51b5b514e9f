package cpu

import (
	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/windows/registry"
)

// isar0 is ID_AA64ISAR0_EL1 as the system shows it, or 0. Windows lets no
// program read the register, and has no other word for FEAT_SM4; but it keeps
// each processor's registers in the registry, under CP and the register's
// encoding.
var isar0 = func() uint64 {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`, registry.QUERY_VALUE)
	if err != nil {
		return 0
	}
	defer key.Close()
	value, _, err := key.GetIntegerValue("CP 4030")
	if err != nil {
		return 0
	}
	return value
}()

// system knows the features that the detection library does not ask Windows
// for, which is all of them.
func system(id cpuid.FeatureID) bool {
	switch id {
	case cpuid.ASIMD:
		return true // Windows takes it for granted
	case cpuid.AESARM:
		return isar0>>4&0xf != 0
	case cpuid.PMULL:
		return isar0>>4&0xf >= 2
	case cpuid.SM4:
		return isar0>>40&0xf != 0
	}
	return false
}
