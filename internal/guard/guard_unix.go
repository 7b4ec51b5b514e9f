//go:build unix

package guard

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Available reports whether the pages around a Buffer really are inaccessible.
const Available = true

func newBuffer(n int) (*Buffer, error) {
	page := os.Getpagesize()
	size := max(n+page-1, page) / page * page
	// Everything starts inaccessible, and only the middle is opened.
	whole, err := unix.Mmap(-1, 0, page+size+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("guard: mmap of %d bytes: %w", page+size+page, err)
	}
	data := whole[page : page+size : page+size]
	if err := unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		unix.Munmap(whole)
		return nil, fmt.Errorf("guard: mprotect: %w", err)
	}
	return &Buffer{data: data, whole: whole}, nil
}

func free(whole []byte) error { return unix.Munmap(whole) }
