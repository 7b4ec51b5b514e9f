//go:build unix

package main

import (
	"io"
	"syscall"
)

// sumFile is an open file without what os.File has for files that one may have to wait
// for, which costs as much again as opening a small file.
type sumFile int

func openSumFile(name string) (sumFile, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return sumFile(fd), err
		}
	}
}

func (f sumFile) Read(p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), p)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (f sumFile) Close() error { return syscall.Close(int(f)) }
