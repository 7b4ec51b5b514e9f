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

// Apart reports, for the most part, whether neither InexactOverlap of the first
// len(src) bytes of dst and src nor AnyOverlap of one of these and iv holds. It is
// quicker than the three, and false for the rare rest, such as empty slices.
func Apart(dst, src, iv []byte) bool {
	d, s, v := addr(unsafe.SliceData(dst)), addr(unsafe.SliceData(src)), addr(unsafe.SliceData(iv))
	n, m := uintptr(len(src)), uintptr(len(iv))
	// x bytes at a and y bytes at b overlap if a-b is one of -(x-1), ..., y-1.
	return (d == s || d-s+n-1 >= 2*n-1) && v-d+m-1 >= n+m-1 && v-s+m-1 >= n+m-1
}

func addr(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }
