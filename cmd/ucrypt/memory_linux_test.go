package main

import (
	"os"
	"syscall"
)

// maxMemory returns the most memory, in bytes, that a process had at a time.
func maxMemory(p *os.ProcessState) int64 {
	return int64(p.SysUsage().(*syscall.Rusage).Maxrss) << 10
}
