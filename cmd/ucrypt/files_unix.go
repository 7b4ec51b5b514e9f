//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

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
