//go:build !linux

package main

import "os"

// maxMemory returns 0: it is not known how this system counts.
func maxMemory(*os.ProcessState) int64 { return 0 }
