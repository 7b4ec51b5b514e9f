package guard

import "fmt"

// Buffer is writable memory between two inaccessible pages. Close frees it; its slices
// must not be used afterwards.
type Buffer struct {
	data  []byte // a whole number of pages
	whole []byte // data and the page on each side
}

// New makes a Buffer that holds at least n bytes.
func New(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("guard: buffer of %d bytes", n)
	}
	return newBuffer(n)
}

// Cap is the length of the writable memory.
func (b *Buffer) Cap() int { return len(b.data) }

// Left returns the first n bytes: an inaccessible page ends right before them.
func (b *Buffer) Left(n int) []byte { return b.data[:n:n] }

// Right returns the last n bytes: an inaccessible page begins right after them.
func (b *Buffer) Right(n int) []byte { return b.data[len(b.data)-n:] }

// Close gives the memory back.
func (b *Buffer) Close() error {
	whole := b.whole
	b.data, b.whole = nil, nil
	if whole == nil {
		return nil
	}
	return free(whole)
}
