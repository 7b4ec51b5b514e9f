//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// ignoreSignals makes a closed pipe and a file over the size limit errors of
// the write, which are reported and cleaned up after like any other.
func ignoreSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
