//go:build !unix

package main

import (
	"os"

	"golang.org/x/term"
)

// readHidden reads a line from a terminal without showing it.
func readHidden(terminal *os.File) ([]byte, error) { return term.ReadPassword(int(terminal.Fd())) }
