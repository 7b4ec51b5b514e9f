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

// Apart reports, for the most part, whether x and y share no memory. It is short
// enough to be inlined, and false for some slices of which one is empty.
func Apart(x, y []byte) bool {
	// The first bytes' distance is one of -(len(x)-1), ..., len(y)-1 if they overlap.
	distance := addr(unsafe.SliceData(x)) - addr(unsafe.SliceData(y))
	return distance+uintptr(len(x))-1 >= uintptr(len(x)+len(y))-1
}

// Together reports whether x and y start at the same byte.
func Together(x, y []byte) bool { return unsafe.SliceData(x) == unsafe.SliceData(y) }

func addr(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }
