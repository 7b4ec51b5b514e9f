package speed

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

func openInstructions() func() uint64 {
	name := os.Getenv(InstructionsVariable)
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	count := (*uint64)(unsafe.Pointer(&b[0]))
	return func() uint64 { return atomic.LoadUint64(count) }
}
