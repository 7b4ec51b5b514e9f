package alias

import "unsafe"

// AnyOverlap reports whether at least one byte belongs to both x and y.
func AnyOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	// The pointers become integers at once, so neither slice escapes. First and last
	// bytes are compared, not one past the end, which could wrap round.
	xFirst, xLast := addr(&x[0]), addr(&x[len(x)-1])
	yFirst, yLast := addr(&y[0]), addr(&y[len(y)-1])
	return xFirst <= yLast && yFirst <= xLast
}

// InexactOverlap reports whether x and y share memory without starting at the same
// byte. Slices that start together are fine whatever their lengths: byte i of one is
// then byte i of the other.
func InexactOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 || &x[0] == &y[0] {
		return false
	}
	return AnyOverlap(x, y)
}

func addr(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }
