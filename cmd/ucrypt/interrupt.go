package main

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
)

// atExit holds what a signal must undo before it ends the command, such as a
// temporary file. Whoever holds mu cannot be interrupted.
var atExit struct {
	mu   sync.Mutex
	undo []*func()
}

// watchSignals ends the command with status 1 and one line when a signal asks
// for it. That does not depend on what the command is doing: it may be blocked
// in a read.
func watchSignals(name string) {
	ignoreSignals()
	stop := make(chan os.Signal, 1)
	for _, s := range stopSignals {
		if !signal.Ignored(s) { // as nohup has set it
			signal.Notify(stop, s)
		}
	}
	go func() {
		s := <-stop
		atExit.mu.Lock()
		for _, undo := range atExit.undo {
			(*undo)()
		}
		fmt.Fprintf(os.Stderr, "%s: stopped by signal: %s\n", name, s)
		os.Exit(1)
	}()
}

// onSignal has undo called if a signal ends the command before forget is called.
// Both it and forget are to be called by a function given to uninterrupted.
func onSignal(undo func()) (forget func()) {
	entry := &undo
	atExit.undo = append(atExit.undo, entry)
	return func() {
		atExit.undo = slices.DeleteFunc(atExit.undo, func(u *func()) bool { return u == entry })
	}
}

// uninterrupted calls f, which a signal cannot cut short.
func uninterrupted(f func()) {
	atExit.mu.Lock()
	defer atExit.mu.Unlock()
	f()
}
