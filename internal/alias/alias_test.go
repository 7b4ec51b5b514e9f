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

// TestApart has every position of three short slices in one array.
func TestApart(t *testing.T) {
	var a [14]byte
	const n, m = 4, 3
	for d := range len(a) - n + 1 {
		for s := range len(a) - n + 1 {
			for v := range len(a) - m + 1 {
				dst, src, iv := a[d:], a[s:s+n], a[v:v+m]
				want := !InexactOverlap(dst[:n], src) && !AnyOverlap(dst[:n], iv) && !AnyOverlap(src, iv)
				if got := Apart(dst, src, iv); got != want {
					t.Fatalf("dst at %d, src at %d, iv at %d: %v, want %v", d, s, v, got, want)
				}
			}
		}
	}
	for _, c := range [][3][]byte{{nil, nil, nil}, {a[:0], a[1:1], a[2:2]}, {a[:4], a[:4], a[2:2]}, {a[:], a[:0], a[3:6]}} {
		if Apart(c[0], c[1], c[2]) && (InexactOverlap(c[0][:len(c[1])], c[1]) || AnyOverlap(c[0][:len(c[1])], c[2]) || AnyOverlap(c[1], c[2])) {
			t.Errorf("%v: apart", c)
		}
	}
}
