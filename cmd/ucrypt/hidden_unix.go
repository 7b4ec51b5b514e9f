//go:build unix

package main

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// readHidden reads a line from a terminal without showing it, or io.EOF if the
// terminal's input ends (^D) before it. term.ReadPassword would go on waiting
// then.
func readHidden(terminal *os.File) ([]byte, error) {
	fd := int(terminal.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	hidden := *old
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	hidden.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	defer unix.IoctlSetTermios(fd, setTermios, old)
	var line []byte
	piece := make([]byte, 4096) // a line at most, or what is before a ^D
	defer clear(piece)
	for {
		n, err := terminal.Read(piece)
		if err != nil {
			return nil, err
		}
		line = append(line, piece[:n]...)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return line[:i], nil
		}
	}
}
