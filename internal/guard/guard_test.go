package guard

import (
	"os"
	"runtime/debug"
	"testing"
	"unsafe"
)

// touch reads the byte at p and reports whether that faulted.
func touch(p unsafe.Pointer) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	sink = *(*byte)(p)
	return false
}

var sink byte

func TestPages(t *testing.T) {
	page := os.Getpagesize()
	for _, n := range []int{0, 1, 16, page - 1, page, page + 1, 3*page + 5} {
		b, err := New(n)
		if err != nil {
			t.Fatal(err)
		}
		if b.Cap() < n {
			t.Fatalf("New(%d): only %d bytes", n, b.Cap())
		}
		left, right := b.Left(b.Cap()), b.Right(b.Cap())
		if &left[0] != &right[0] || len(left) != len(right) {
			t.Fatalf("New(%d): Left and Right of everything differ", n)
		}
		for i := range left {
			left[i] = byte(i)
		}
		if n > 0 {
			if l := b.Left(n); len(l) != n || cap(l) != n || l[0] != 0 {
				t.Errorf("Left(%d): len %d, cap %d", n, len(l), cap(l))
			}
			if r := b.Right(n); len(r) != n || cap(r) != n || r[n-1] != byte(b.Cap()-1) {
				t.Errorf("Right(%d): len %d, cap %d", n, len(r), cap(r))
			}
		}
		if Available {
			first := unsafe.Pointer(&left[0])
			if touch(first) || touch(unsafe.Add(first, b.Cap()-1)) {
				t.Errorf("New(%d): the buffer itself faults", n)
			}
			if !touch(unsafe.Add(first, -1)) {
				t.Errorf("New(%d): the byte before can be read", n)
			}
			if !touch(unsafe.Add(first, b.Cap())) {
				t.Errorf("New(%d): the byte after can be read", n)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
	if !Available {
		t.Skip("no inaccessible pages on this system: only sizes were checked")
	}
	if _, err := New(-1); err == nil {
		t.Error("New(-1): no error")
	}
}
