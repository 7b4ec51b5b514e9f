//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// ignoreSignals makes a file over the size limit an error of the write, which is
// reported like any other.
func ignoreSignals() { signal.Ignore(syscall.SIGXFSZ) }

// ignoreClosedPipe makes a closed pipe an error of the write too, for output that
// must not be cut off unnoticed. Otherwise it ends the command without a word, as
// it does other commands.
func ignoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
