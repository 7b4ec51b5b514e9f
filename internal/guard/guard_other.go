//go:build !unix

package guard

import "os"

// Available reports whether the pages around a Buffer really are inaccessible.
const Available = false

func newBuffer(n int) (*Buffer, error) {
	page := os.Getpagesize()
	data := make([]byte, max(n+page-1, page)/page*page)
	return &Buffer{data: data, whole: data}, nil
}

func free([]byte) error { return nil }
