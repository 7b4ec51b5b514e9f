//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// replaced reports whether the standard file f is what Go's runtime puts in the
// place of a closed one: the null device, open for reading and for writing. Shells
// open it for one of these; a caller that opens it for both, as Python's
// subprocess.DEVNULL does, cannot be told from one that has closed the file.
func replaced(f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}

// syncFolder puts a folder's entries on the disk, where the file system can.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return nil // it may be written to but not read
		}
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// keepOwner gives f the owner and the group of old, as far as that is allowed.
func keepOwner(f *os.File, old os.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
