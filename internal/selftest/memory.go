package selftest

import (
	"fmt"
	"os"
	"unsafe"

	"ucrypt/internal/guard"
)

// margin is how many bytes on each side of a buffer are watched.
const margin = 160

// arena is memory in which a buffer lies between bytes that nobody may change.
type arena struct {
	mem    []byte
	lo, hi int // the buffer
	a, b   int // what is watched on both sides of it: [a, lo) and [hi, b)
}

// pattern is what the watched bytes hold: byte i of an arena is pattern[i%256].
var pattern = func() (p [2048]byte) {
	for i := range p {
		p[i] = byte(0xa5 ^ i*7)
	}
	return p
}()

func poison(i int) byte { return pattern[i&255] }

// place returns a buffer of n bytes that begins off bytes after a boundary of 64.
func (a *arena) place(off, n int) []byte {
	const front = (margin + 63) / 64 * 64
	if need := 63 + front + off + n + margin; len(a.mem) < need {
		a.mem = make([]byte, max(need, 4096))
	}
	boundary := int(-uintptr(unsafe.Pointer(&a.mem[0])) & 63)
	return a.window(boundary+front+off, n)
}

// window makes mem[lo:lo+n] the buffer.
func (a *arena) window(lo, n int) []byte {
	a.lo, a.hi = lo, lo+n
	a.a, a.b = max(0, lo-margin), min(len(a.mem), lo+n+margin)
	for i := a.a; i < a.b; {
		i += copy(a.mem[i:a.b], pattern[i&255:])
	}
	return a.mem[a.lo:a.hi] // with room to write beyond: that is to be seen, not to panic
}

// longer returns the buffer and the n watched bytes that follow it, at most margin.
func (a *arena) longer(n int) []byte { return a.mem[a.lo : a.hi+n] }

// unchanged says what was written outside the buffer, if anything.
func (a *arena) unchanged(name string) string {
	for i := a.a; i < a.b; i++ {
		if i == a.lo {
			i = a.hi
			if i >= a.b {
				break
			}
		}
		if a.mem[i] == poison(i) {
			continue
		}
		if i < a.lo {
			return fmt.Sprintf("the byte %d before %s was written", a.lo-i, name)
		}
		return fmt.Sprintf("the byte %d after the end of %s was written", i-a.hi+1, name)
	}
	return ""
}

// guarded is an arena that an inaccessible page precedes and another follows.
type guarded struct {
	arena
	buffer *guard.Buffer
	name   string // of what lies in it
}

func newGuarded(n int) (guarded, error) {
	b, err := guard.New(n)
	if err != nil {
		return guarded{}, err
	}
	return guarded{arena: arena{mem: b.Right(b.Cap())}, buffer: b}, nil
}

// side is the end of a guarded arena that a buffer touches.
type side uint8

const (
	left side = iota
	right
)

func (s side) String() string {
	if s == left {
		return "left"
	}
	return "right"
}

// put returns a buffer of n bytes that touches the page on the given side.
func (g *guarded) put(name string, s side, n int) []byte {
	g.name = name
	if s == left {
		return g.window(0, n)
	}
	return g.window(len(g.mem)-n, n)
}

// guards makes count guarded arenas of at least n bytes each, or says why it cannot.
func (r *runner) guards(count, n int) bool {
	if !guard.Available {
		r.skip("this system has no inaccessible pages")
		return false
	}
	for range count {
		g, err := newGuarded(n)
		if err != nil {
			r.skip(err.Error())
			return false
		}
		r.guarded = append(r.guarded, g)
	}
	return true
}

// faultText says where an address lies that could not be read or written.
func (r *runner) faultText(address uintptr) string {
	for i := range r.guarded {
		g := &r.guarded[i]
		first := uintptr(unsafe.Pointer(&g.mem[0]))
		end := first + uintptr(len(g.mem))
		switch page := uintptr(os.Getpagesize()); {
		case address >= end && address < end+page:
			return fmt.Sprintf("the byte %d after the end of %s was read or written", address-end+1, g.name)
		case address < first && address >= first-page:
			return fmt.Sprintf("the byte %d before %s was read or written", first-address, g.name)
		}
	}
	return fmt.Sprintf("memory fault at %#x", address)
}

// close frees what the property used.
func (r *runner) close() {
	for i := range r.guarded {
		r.guarded[i].buffer.Close()
	}
	r.guarded = nil
}
