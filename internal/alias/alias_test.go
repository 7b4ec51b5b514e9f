package alias

import "testing"

func TestOverlap(t *testing.T) {
	var a, b [32]byte
	for _, c := range []struct {
		name         string
		x, y         []byte
		any, inexact bool
	}{
		{"nil and nil", nil, nil, false, false},
		{"nil and some", nil, a[:], false, false},
		{"empty inside the other", a[4:4], a[:], false, false},
		{"empty at the same start", a[:0], a[:], false, false},
		{"two arrays", a[:], b[:], false, false},
		{"adjacent", a[:16], a[16:], false, false},
		{"adjacent, capacity overlaps", a[:16:32], a[16:], false, false},
		{"the same", a[:], a[:], true, false},
		{"same start, shorter", a[:5], a[:], true, false},
		{"one byte later", a[:16], a[1:17], true, true},
		{"last byte shared", a[:17], a[16:], true, true},
		{"inside", a[:], a[8:9], true, true},
		{"same end", a[:], a[16:], true, true},
	} {
		for _, swapped := range []bool{false, true} {
			x, y := c.x, c.y
			if swapped {
				x, y = y, x
			}
			if got := AnyOverlap(x, y); got != c.any {
				t.Errorf("%s (swapped %v): AnyOverlap = %v, want %v", c.name, swapped, got, c.any)
			}
			if got := InexactOverlap(x, y); got != c.inexact {
				t.Errorf("%s (swapped %v): InexactOverlap = %v, want %v", c.name, swapped, got, c.inexact)
			}
		}
	}
}

// A buffer on the caller's stack must stay there.
func TestNoEscape(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		var x [64]byte
		var y [64]byte
		if AnyOverlap(x[:], y[:]) || !InexactOverlap(x[1:], x[:]) {
			t.Error("wrong answer")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestApart has every position of two short slices in one array.
func TestApart(t *testing.T) {
	var a [14]byte
	for n := range 5 {
		for m := range 5 {
			for i := range len(a) - n + 1 {
				for k := range len(a) - m + 1 {
					x, y := a[i:i+n], a[k:k+m]
					got, overlap := Apart(x, y), AnyOverlap(x, y)
					if got && overlap || !got && !overlap && n > 0 && m > 0 {
						t.Errorf("%d bytes at %d, %d bytes at %d: %v", n, i, m, k, got)
					}
					if got := Together(a[i:], a[k:]); got != (i == k) && i < len(a) && k < len(a) {
						t.Errorf("at %d and %d: together %v", i, k, got)
					}
				}
			}
		}
	}
}
