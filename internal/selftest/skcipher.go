package selftest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ucrypt"
	"ucrypt/internal/kat"
)

var skcipherProperties = []property{
	{name: usable, kind: "skcipher", run: skUsable},
	{name: "known-answers", kind: "skcipher", run: skKnownAnswers},
	{name: "lengths", kind: "skcipher", run: skLengths, thin: 12},
	{name: "in-place", kind: "skcipher", run: skInPlace, thin: 12},
	{name: "offsets", kind: "skcipher", run: skOffsets, thin: 48},
	{name: "guard-pages", kind: "skcipher", run: skGuardPages, thin: 24},
	{name: "poison", kind: "skcipher", run: skPoison, thin: 12},
	{name: "long-dst", kind: "skcipher", run: skLongDst, thin: 12},
	{name: "overlap", kind: "skcipher", run: skOverlap, thin: 12},
	{name: "split-calls", kind: "skcipher", run: skSplitCalls, thin: 6, endless: true, applies: func(s *subject) bool { return s.alg.splits }},
	{name: "next-iv", kind: "skcipher", run: skNextIV, thin: 12},
	{name: "counter", kind: "skcipher", run: skCounter, thin: 48, applies: func(s *subject) bool { return s.alg.ctr }},
	{name: "units", kind: "skcipher", run: skUnits, thin: 6},
	{name: "wrong-keys", kind: "skcipher", run: skWrongKeys, thin: 4},
	{name: "wrong-ivs", kind: "skcipher", run: skWrongIVs, thin: 4},
	{name: "wrong-lengths", kind: "skcipher", run: skWrongLengths, thin: 24},
	{name: "empty", kind: "skcipher", run: skEmpty},
	{name: "round-trip", kind: "skcipher", run: skRoundTrip, thin: 6},
	{name: "goroutines", kind: "skcipher", run: skGoroutines},
	{name: "random", kind: "skcipher", run: skRandom, thin: 12, endless: true},
}

// strides are the block counts that assembly takes in one step, now or one day.
var strides = []int{4, 8, 12, 16, 24, 32, 48, 64, 128}

// calls are the bytes after which a driver calls its assembly anew.
var calls = []int{16 << 10, 64 << 10}

// lengths lists the lengths up to limit that the algorithm takes: all up to most, and
// those around multiples of the strides and of the calls.
func (a *algorithm) lengths(most, limit int) []int {
	var all []int
	for n := range most + 1 {
		all = append(all, n)
	}
	around := func(n int) {
		all = append(all, n-17, n-16, n-15, n-1, n, n+1, n+15, n+16, n+17)
	}
	for _, blocks := range strides {
		for m := 1; m <= 4; m++ {
			around(m * blocks * blockSize)
		}
	}
	for _, n := range calls {
		around(n)
		around(2 * n)
	}
	all = slices.DeleteFunc(all, func(n int) bool { return n > limit || !a.takes(n) })
	slices.Sort(all)
	return slices.Compact(all)
}

const (
	oneStride = 128*blockSize + 17 // around the widest stride
	twoCalls  = 2*64<<10 + 17      // around the second call
)

// length draws a length that the algorithm takes, short ones more often.
func (c *testCase) length(most int) int {
	for {
		n := c.rand.IntN(1 + c.rand.IntN(1+most))
		if n -= n % c.alg.unit; c.alg.takes(n) {
			return n
		}
	}
}

var bothOps = []bool{false, true}

func opName(decrypt bool) string {
	if decrypt {
		return "decrypt"
	}
	return "encrypt"
}

// crypt calls one operation of s.
func crypt(s skcipher, decrypt bool, dst, src, iv []byte) error {
	if decrypt {
		return s.Decrypt(dst, src, iv)
	}
	return s.Encrypt(dst, src, iv)
}

// layout is the buffers of one call and what lies around them.
type layout struct {
	src, dst, iv, key []byte // dst may be longer than src
	arenas            []*arena
	names             []string
}

func (l *layout) watch(name string, a *arena) {
	l.arenas = append(l.arenas, a)
	l.names = append(l.names, name)
}

// message is the shape of one call.
type message struct {
	decrypt        bool
	n              int
	srcOff, dstOff int
	extra          int // of dst beyond n, at most margin
	inPlace        bool
	iv             []byte // nil: a random one
}

func (c *testCase) describe(m message) {
	c.Op, c.Length, c.SrcOffset, c.DstOffset, c.DstExtra, c.InPlace = opName(m.decrypt), m.n, m.srcOff, m.dstOff, m.extra, m.inPlace
}

// place lays out a random message of the given shape.
func (c *testCase) place(m message) *layout {
	c.describe(m)
	l := new(layout)
	at := func(i int, name string, off, n int) []byte {
		l.watch(name, &c.memory[i])
		return c.memory[i].place(off, n)
	}
	l.src = at(0, "src", m.srcOff, m.n)
	l.dst = l.src
	if !m.inPlace {
		at(1, "the output", m.dstOff, m.n)
		l.dst = c.memory[1].longer(m.extra)
	}
	iv, key := c.contents(l, m)
	l.iv = at(2, "iv", c.rand.IntN(64), len(iv))
	copy(l.iv, iv)
	l.key = at(3, "key", c.rand.IntN(64), len(key))
	copy(l.key, key)
	return l
}

// contents fills src and draws an iv, unless m has one, and a key.
func (c *testCase) contents(l *layout, m message) (iv, key []byte) {
	fill(c.rand, l.src)
	if iv = m.iv; iv == nil {
		iv = c.bytes(c.alg.ivSize)
	}
	return c.useIV(iv), c.key()
}

// check runs the call of a layout, and holds everything that it may change and may not
// change against the reference.
func (c *testCase) check(l *layout, decrypt bool) {
	key, iv, src := bytes.Clone(l.key), bytes.Clone(l.iv), bytes.Clone(l.src)
	want, next := c.alg.crypt(key, decrypt, src, iv)
	s, err := c.subject.newSkcipher(l.key)
	if err != nil {
		c.failf("constructor: %v", err)
		return
	}
	if err := crypt(s, decrypt, l.dst, l.src, l.iv); err != nil {
		c.failf("error: %v", err)
		return
	}
	inPlace := len(src) > 0 && &l.dst[0] == &l.src[0]
	c.equal("output", l.dst[:len(src)], want)
	c.equal("next iv", l.iv, next)
	if !inPlace {
		c.equal("src after the call", l.src, src)
	}
	c.equal("key after the call", l.key, key)
	for i, a := range l.arenas {
		if what := a.unchanged(l.names[i]); what != "" {
			c.failf("%s", what)
		}
	}
}

// equal fails the case if got is not want.
func (c *testCase) equal(name string, got, want []byte) {
	if bytes.Equal(got, want) {
		return
	}
	for i := range got {
		if got[i] != want[i] {
			c.failf("%s: byte %d is %02x, want %02x", name, i, got[i], want[i])
			return
		}
	}
}

// refused fails the case unless call gives an error that is of the right kind, and
// leaves the watched memory as it was.
func (c *testCase) refused(what string, call func() error, right func(error) string, watched ...[]byte) {
	before := make([][]byte, len(watched))
	for i, w := range watched {
		before[i] = bytes.Clone(w)
	}
	err := call()
	if err == nil {
		c.failf("%s: not refused", what)
	} else if wrong := right(err); wrong != "" {
		c.failf("%s: error %q %s", what, err, wrong)
	}
	for i, w := range watched {
		if !bytes.Equal(w, before[i]) {
			c.failf("%s: memory was written although it was refused", what)
		}
	}
}

// wrongType returns a check that an error is of type E and names the algorithm or driver.
func wrongType[E error](err error) string {
	if e, ok := errors.AsType[E](err); !ok {
		return fmt.Sprintf("is of type %T, want %T", err, e)
	}
	return ""
}

// keyed returns the subject with a random key, nil after a failure.
func (c *testCase) keyed() (skcipher, []byte) {
	key := c.key()
	s, err := c.subject.newSkcipher(key)
	if err != nil {
		c.failf("constructor: %v", err)
		return nil, nil
	}
	return s, key
}

// skUsable: the driver can be bound, and its description is true.
func skUsable(r *runner) {
	r.do(func(c *testCase) {
		d := c.subject.driver
		s, _ := c.keyed()
		if s == nil {
			return
		}
		if s, ok := s.(interface{ Driver() ucrypt.Driver }); ok && s.Driver().DriverName != d.DriverName {
			c.failf("%s serves instead", s.Driver().DriverName)
		}
		block := c.alg.unit
		if c.alg.shortest > 0 {
			block = blockSize // what the kernel prints for modes that steal
		}
		keys := c.alg.keySizes
		if d.BlockSize != block || d.IVSize != c.alg.ivSize || d.MinKeySize != keys[0] || d.MaxKeySize != keys[len(keys)-1] {
			c.failf("block of %d, iv of %d, keys of %d to %d bytes, want %d, %d, %d to %d", d.BlockSize, d.IVSize,
				d.MinKeySize, d.MaxKeySize, block, c.alg.ivSize, keys[0], keys[len(keys)-1])
		}
		if d.Status != ucrypt.Passed {
			c.failf("state %s, want %s", d.Status, ucrypt.Passed)
		}
	})
}

// skKnownAnswers: the answers that are part of the program.
func skKnownAnswers(r *runner) {
	r.do(func(c *testCase) {
		err := kat.Check(c.subject.driver.Name, false, func(key []byte, decrypt bool, dst, src, iv []byte) error {
			s, err := c.subject.newSkcipher(key)
			if err != nil {
				return err
			}
			return crypt(s, decrypt, dst, src, iv)
		})
		if err != nil {
			c.failf("%v", err)
		}
	})
}

// shape runs a case of the given shape.
func (r *runner) shape(m message) {
	r.do(func(c *testCase) { c.check(c.place(m), m.decrypt) })
}

func skLengths(r *runner) {
	for _, n := range r.alg.lengths(1100, twoCalls) {
		for _, decrypt := range bothOps {
			r.shape(message{decrypt: decrypt, n: n})
		}
	}
}

func skInPlace(r *runner) {
	for _, n := range r.alg.lengths(300, twoCalls) {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				c.check(c.place(message{decrypt: decrypt, n: n, srcOff: c.rand.IntN(64), inPlace: true}), decrypt)
			})
		}
	}
}

// skOffsets: every pair of offsets of src and dst from a boundary of 64 bytes, the iv and
// the key at random ones.
func skOffsets(r *runner) {
	for srcOff := range 64 {
		for dstOff := range 64 {
			for _, decrypt := range bothOps {
				r.do(func(c *testCase) {
					c.check(c.place(message{decrypt: decrypt, n: c.length(1100), srcOff: srcOff, dstOff: dstOff}), decrypt)
				})
			}
		}
	}
}

// skGuardPages: every buffer touches an inaccessible page, on either side.
func skGuardPages(r *runner) {
	lengths := r.alg.lengths(300, oneStride)
	if !r.guards(4, lengths[len(lengths)-1]) {
		return
	}
	sides := []side{left, right}
	for _, n := range lengths {
		for _, decrypt := range bothOps {
			for _, srcSide := range sides {
				r.guardedShape(message{decrypt: decrypt, n: n, inPlace: true}, srcSide, srcSide)
				for _, dstSide := range sides {
					r.guardedShape(message{decrypt: decrypt, n: n}, srcSide, dstSide)
				}
			}
		}
	}
}

// guardedShape runs a case of the given shape between inaccessible pages.
func (r *runner) guardedShape(m message, srcSide, dstSide side) {
	r.do(func(c *testCase) {
		c.describe(m)
		l := new(layout)
		at := func(i int, name string, s side, n int) []byte {
			l.watch(name, &c.guarded[i].arena)
			return c.guarded[i].put(name, s, n)
		}
		l.src = at(0, "src", srcSide, m.n)
		l.dst = l.src
		if !m.inPlace {
			l.dst = at(1, "dst", dstSide, m.n)
		}
		ivSide, keySide := side(c.rand.IntN(2)), side(c.rand.IntN(2))
		c.Detail = fmt.Sprintf("page on the side: src %s, dst %s, iv %s, key %s", srcSide, dstSide, ivSide, keySide)
		iv, key := c.contents(l, m)
		l.iv = at(2, "iv", ivSide, len(iv))
		copy(l.iv, iv)
		l.key = at(3, "key", keySide, len(key))
		copy(l.key, key)
		c.check(l, m.decrypt)
	})
}

// skPoison: nothing around dst is written, whatever lies there.
func skPoison(r *runner) {
	for _, n := range r.alg.lengths(600, oneStride) {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				m := message{decrypt: decrypt, n: n, srcOff: c.rand.IntN(64), dstOff: c.rand.IntN(64)}
				c.check(c.place(m), m.decrypt)
			})
		}
	}
}

// skLongDst: a dst longer than src is filled only as far as src goes.
func skLongDst(r *runner) {
	for _, n := range r.alg.lengths(300, oneStride) {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				m := message{decrypt: decrypt, n: n, dstOff: c.rand.IntN(64), extra: 1 + c.rand.IntN(margin)}
				c.check(c.place(m), m.decrypt)
			})
		}
	}
}

// skOverlap: dst and src that overlap inexactly, and an iv within dst, are refused.
// Neighbours are not.
func skOverlap(r *runner) {
	message := func(err error) string {
		if wrong := wrongType[*ucrypt.OverlapError](err); wrong != "" {
			return wrong
		}
		if !strings.Contains(err.Error(), "invalid buffer overlap") {
			return `does not say "invalid buffer overlap"`
		}
		return ""
	}
	for _, n := range []int{16, 32, 48, 64, 128, 256, 272, 512, 1040, 4096} {
		var shifts []int
		for _, k := range []int{1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 128, 255, n / 2, n - 16, n - 1, n} {
			if k > 0 && k <= n {
				shifts = append(shifts, k, -k)
			}
		}
		for _, k := range shifts {
			for _, decrypt := range bothOps {
				for _, extra := range []int{0, 5} {
					r.do(func(c *testCase) {
						c.Op, c.Length, c.DstOffset, c.DstExtra = opName(decrypt), n, k, extra
						c.Detail = "dst_offset counts from src"
						s, key := c.keyed()
						if s == nil {
							return
						}
						iv := c.iv()
						memory := c.bytes(3*n + extra)
						src, dst := memory[n:2*n], memory[n+k:2*n+k+extra]
						if k == n || k == -n {
							want, next := c.alg.crypt(key, decrypt, src, iv)
							if err := crypt(s, decrypt, dst, src, iv); err != nil {
								c.failf("dst next to src: %v", err)
							}
							c.equal("output", dst[:n], want)
							c.equal("next iv", iv, next)
							return
						}
						c.refused("dst overlaps src", func() error { return crypt(s, decrypt, dst, src, iv) }, message, memory, iv)
					})
				}
			}
		}
		if r.alg.ivSize > 0 {
			for _, at := range []int{-16, -15, -1, 0, 1, n - 16, n - 1, n} {
				for _, decrypt := range bothOps {
					r.do(func(c *testCase) { c.ivOverlap(n, at, decrypt, message) })
				}
			}
		}
	}
}

// ivOverlap: an iv that shares bytes with dst is refused, since the output would be lost.
// One that shares bytes with src is replaced while src may still be read: that is refused
// too, or the output is right nevertheless. An iv next to either is fine.
func (c *testCase) ivOverlap(n, at int, decrypt bool, right func(error) string) {
	size := c.alg.ivSize
	c.Op, c.Length, c.Detail = opName(decrypt), n, fmt.Sprintf("iv begins at byte %d of src, then of dst", at)
	s, key := c.keyed()
	if s == nil {
		return
	}
	apart := at == -size || at == n
	for _, inSrc := range []bool{true, false} {
		memory, other := c.bytes(size+n+size), c.bytes(n)
		iv := c.useIV(memory[size+at:][:size])
		src, dst := memory[size:size+n], other
		if !inSrc {
			src, dst = dst, src
		}
		want, next := c.alg.crypt(key, decrypt, src, iv)
		call := func() error { return crypt(s, decrypt, dst, src, iv) }
		if !apart && !inSrc {
			c.refused("iv and dst overlap", call, right, memory, other)
			continue
		}
		before := bytes.Clone(memory)
		err := call()
		switch {
		case err == nil:
			c.equal("output", dst, want)
			c.equal("next iv", iv, next)
		case apart:
			c.failf("iv next to a buffer: error %v", err)
		default:
			if wrong := right(err); wrong != "" {
				c.failf("iv and src overlap: error %q %s", err, wrong)
			}
			c.equal("src and iv after a refusal", memory, before)
		}
	}
}

// skSplitCalls: a message given in parts, each with the iv that the one before left,
// gives what one call gives.
func skSplitCalls(r *runner) {
	for r.more(400) {
		r.do(func(c *testCase) {
			n, decrypt := c.length(4096), c.rand.IntN(2) == 1
			c.Op, c.Length = opName(decrypt), n
			s, key := c.keyed()
			if s == nil {
				return
			}
			iv, src := c.iv(), c.bytes(n)
			want, next := c.alg.crypt(key, decrypt, src, iv)
			dst := make([]byte, n)
			var parts []string
			for from := 0; from < n; {
				to := min(n, from+blockSize*(1+c.rand.IntN(1+c.rand.IntN(1+n/blockSize))))
				out := dst[from:to]
				note := ""
				in := src[from:to]
				if c.rand.IntN(2) == 1 {
					copy(out, in)
					in, note = out, " in place"
				}
				parts = append(parts, fmt.Sprint(to-from, note))
				if err := crypt(s, decrypt, out, in, iv); err != nil {
					c.failf("part %d: %v", len(parts), err)
				}
				from = to
			}
			c.Detail = "parts: " + strings.Join(parts, ", ")
			c.equal("output", dst, want)
			c.equal("next iv", iv, next)
		})
	}
}

// skNextIV: the iv is replaced by the next one, or left alone, as the mode says.
func skNextIV(r *runner) {
	for _, n := range r.alg.lengths(130, oneStride) {
		for _, decrypt := range bothOps {
			for _, inPlace := range bothOps {
				r.shape(message{decrypt: decrypt, n: n, inPlace: inPlace})
			}
		}
	}
}

// skCounter: the counter's low w bits are all ones less d, so that a carry out of them
// comes at block d, in every lane of every stride.
func skCounter(r *runner) {
	for w := 8; w <= 128; w += 8 {
		for d := range 131 {
			for _, n := range []int{(d + 1) * 16, (d+2)*16 + 3, 264*16 + 7} {
				r.do(func(c *testCase) {
					iv := c.bytes(16)
					for i := 16 - w/8; i < 16; i++ {
						iv[i] = 0xff
					}
					for range d {
						decrement(iv)
					}
					c.Detail = fmt.Sprintf("low %d bits are ones less %d", w, d)
					m := message{decrypt: c.rand.IntN(2) == 1, n: n, iv: iv, inPlace: c.rand.IntN(2) == 1}
					c.check(c.place(m), m.decrypt)
				})
			}
		}
	}
}

func decrement(counter []byte) {
	for i := len(counter) - 1; i >= 0; i-- {
		counter[i]--
		if counter[i] != 0xff {
			return
		}
	}
}

// skUnits: data units are messages of their own whose iv is their number; the last one
// may be shorter. Only xts has them; the others refuse.
func skUnits(r *runner) {
	for _, size := range []int{16, 17, 31, 64, 512, 520, 4096} {
		for _, count := range []int{0, 1, 2, 3, 17} {
			for _, rest := range []int{0, 16, 21, size - 1} {
				for _, first := range []uint64{0, 255, 1<<32 - 2, 1<<64 - 2} {
					for _, decrypt := range bothOps {
						if rest < blockSize && rest != 0 || rest >= size {
							continue
						}
						r.do(func(c *testCase) { c.units(size, size*count+rest, first, decrypt) })
					}
				}
			}
		}
	}
	if r.alg.xts {
		r.wrongUnits()
	}
}

func (c *testCase) units(size, n int, first uint64, decrypt bool) {
	c.Op, c.Length, c.Detail = opName(decrypt), n, fmt.Sprintf("units of %d bytes from %d on", size, first)
	s, key := c.keyed()
	if s == nil {
		return
	}
	src, dst := c.bytes(n), c.bytes(n+1)
	if !c.alg.xts {
		c.refused("data units", func() error { return cryptUnits(s, decrypt, dst, src, size, first) },
			wrongType[*ucrypt.UnknownAlgorithmError], dst, src)
		return
	}
	var want []byte
	number := first
	for unit := range slices.Chunk(src, size) {
		iv := make([]byte, blockSize)
		binary.LittleEndian.PutUint64(iv, number)
		out, _ := c.alg.crypt(key, decrypt, unit, iv)
		want = append(want, out...)
		number++
	}
	want = append(want, dst[n])
	in := src
	if c.InPlace = c.rand.IntN(2) == 1; c.InPlace {
		copy(dst, src)
		in = dst[:n]
	}
	if err := cryptUnits(s, decrypt, dst, in, size, first); err != nil {
		c.failf("error: %v", err)
	}
	c.equal("output", dst, want)
}

func cryptUnits(s skcipher, decrypt bool, dst, src []byte, size int, first uint64) error {
	if decrypt {
		return s.DecryptUnits(dst, src, size, first)
	}
	return s.EncryptUnits(dst, src, size, first)
}

// wrongUnits: units too short, a rest too short, and the buffers that Encrypt refuses.
func (r *runner) wrongUnits() {
	try := func(what string, size, n, room, shift int, right func(error) string) {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				c.Op, c.Length, c.DstOffset, c.DstExtra = opName(decrypt), n, shift, room-n
				c.Detail = fmt.Sprintf("units of %d bytes", size)
				s, _ := c.keyed()
				if s == nil {
					return
				}
				memory := c.bytes(4 * (n + room + 16))
				src := memory[n+16:][:n]
				dst := memory[2*(n+16):][:room]
				if shift != 0 {
					dst = memory[n+16+shift:][:room]
				}
				c.refused(what, func() error { return cryptUnits(s, decrypt, dst, src, size, 1) }, right, memory)
			})
		}
	}
	for _, size := range []int{-16, -1, 0, 1, 15} {
		try("the size of units", size, 64, 64, 0, wrongType[*ucrypt.LengthError])
	}
	for rest := 1; rest < blockSize; rest++ {
		try("a short rest", 64, rest, rest, 0, wrongType[*ucrypt.LengthError])
		try("a short rest", 64, 128+rest, 128+rest, 0, wrongType[*ucrypt.LengthError])
	}
	for _, room := range []int{0, 16, 64, 127} {
		try("the length of dst", 64, 128, room, 0, wrongType[*ucrypt.ShortBufferError])
	}
	for _, shift := range []int{-64, -16, -1, 1, 16, 64, 127} {
		try("dst overlaps src", 64, 128, 128, shift, wrongType[*ucrypt.OverlapError])
	}
}

// skWrongKeys: only keys of the algorithm's sizes are taken, and they are copied.
func skWrongKeys(r *runner) {
	for n := range 137 {
		r.do(func(c *testCase) {
			key := c.bytes(n)
			if n == 0 && c.rand.IntN(2) == 0 {
				key = nil
			}
			c.Key, c.Detail = hex.EncodeToString(key), fmt.Sprintf("key of %d bytes", n)
			if !slices.Contains(c.alg.keySizes, n) {
				c.refused("the key", func() error { _, err := c.subject.newSkcipher(key); return err },
					wrongType[*ucrypt.KeySizeError], key)
				return
			}
			given := bytes.Clone(key)
			s, err := c.subject.newSkcipher(given)
			if err != nil {
				c.failf("constructor: %v", err)
				return
			}
			clear(given)
			src, iv := c.bytes(64), c.iv()
			want, _ := c.alg.crypt(key, false, src, iv)
			if err := s.Encrypt(src, src, iv); err != nil {
				c.failf("error: %v", err)
			}
			c.equal("output after the caller's key was cleared", src, want)
		})
	}
}

// skWrongIVs: only an iv of the algorithm's size is taken.
func skWrongIVs(r *runner) {
	for n := range 65 {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				c.Op, c.Length, c.Detail = opName(decrypt), 32, fmt.Sprintf("iv of %d bytes", n)
				s, key := c.keyed()
				if s == nil {
					return
				}
				iv, src, dst := c.useIV(c.bytes(n)), c.bytes(32), c.bytes(32)
				if n == 0 && c.rand.IntN(2) == 0 {
					iv = nil
				}
				if n != c.alg.ivSize {
					c.refused("the iv", func() error { return crypt(s, decrypt, dst, src, iv) },
						wrongType[*ucrypt.IVSizeError], dst, src, iv)
					return
				}
				want, next := c.alg.crypt(key, decrypt, src, iv)
				if err := crypt(s, decrypt, dst, src, iv); err != nil {
					c.failf("error: %v", err)
				}
				c.equal("output", dst, want)
				c.equal("next iv", iv, next)
			})
		}
	}
}

// skWrongLengths: a src that the mode cannot work on, and a dst shorter than src, are
// refused.
func skWrongLengths(r *runner) {
	try := func(what string, decrypt bool, n, room int, right func(error) string) {
		r.do(func(c *testCase) {
			c.Op, c.Length, c.DstExtra = opName(decrypt), n, room-n
			s, _ := c.keyed()
			if s == nil {
				return
			}
			src, dst, iv := c.bytes(n), c.bytes(room+16), c.iv()
			c.refused(what, func() error { return crypt(s, decrypt, dst[:room], src, iv) }, right, dst, src, iv)
		})
	}
	for n := range 1101 {
		for _, decrypt := range bothOps {
			if !r.alg.takes(n) {
				try("the length of src", decrypt, n, n, wrongType[*ucrypt.LengthError])
			} else if n > 0 {
				for _, room := range []int{0, n / 2, n - 1} {
					try("the length of dst", decrypt, n, room, wrongType[*ucrypt.ShortBufferError])
				}
			}
		}
	}
}

// skEmpty: an empty message is nothing to do, or too short; nil is as good as empty.
func skEmpty(r *runner) {
	for _, src := range [][]byte{nil, {}} {
		for _, room := range []int{-1, 0, 16} {
			for _, decrypt := range bothOps {
				r.do(func(c *testCase) {
					c.Op = opName(decrypt)
					s, _ := c.keyed()
					if s == nil {
						return
					}
					var dst []byte
					if room >= 0 {
						dst = c.bytes(room)
					}
					c.Detail = fmt.Sprintf("src nil: %v, dst nil: %v, dst of %d bytes", src == nil, dst == nil, len(dst))
					iv := c.iv()
					call := func() error { return crypt(s, decrypt, dst, src, iv) }
					if !c.alg.takes(0) {
						c.refused("an empty message", call, wrongType[*ucrypt.LengthError], dst, iv)
						return
					}
					dst0, iv0 := bytes.Clone(dst), bytes.Clone(iv)
					if err := call(); err != nil {
						c.failf("error: %v", err)
					}
					c.equal("dst", dst, dst0)
					c.equal("iv", iv, iv0)
				})
			}
		}
	}
}

// skRoundTrip: decryption undoes encryption.
func skRoundTrip(r *runner) {
	for i := range 100 {
		r.do(func(c *testCase) {
			most := 8 << 10
			if i%10 == 9 {
				most = 200 << 10
			}
			n := c.length(most)
			c.Op, c.Length = "encrypt, decrypt", n
			s, _ := c.keyed()
			if s == nil {
				return
			}
			iv, src := c.iv(), c.bytes(n)
			first, second := bytes.Clone(iv), bytes.Clone(iv)
			buf := make([]byte, n)
			if err := s.Encrypt(buf, src, first); err != nil {
				c.failf("encrypt: %v", err)
			}
			if err := s.Decrypt(buf, buf, second); err != nil {
				c.failf("decrypt: %v", err)
			}
			c.equal("decrypted message", buf, src)
			c.equal("iv after decrypting and after encrypting", second, first)
		})
	}
}

// skGoroutines: 32 goroutines use one value at once.
func skGoroutines(r *runner) {
	for range 2 {
		r.do(func(c *testCase) {
			s, key := c.keyed()
			if s == nil {
				return
			}
			type job struct {
				decrypt            bool
				src, iv, out, next []byte
			}
			jobs := make([]job, 12)
			for i := range jobs {
				j := job{decrypt: i%2 == 1, src: c.bytes(c.length(2048)), iv: c.bytes(c.alg.ivSize)}
				j.out, j.next = c.alg.crypt(key, j.decrypt, j.src, j.iv)
				jobs[i] = j
			}
			var mu sync.Mutex
			var group sync.WaitGroup
			start := make(chan struct{})
			for g := range 32 {
				group.Go(func() {
					mine := testCase{runner: c.runner} // only its verdict is used
					<-start
					mine.protect(func(m *testCase) {
						for i := range jobs {
							j := &jobs[(i+g)%len(jobs)]
							iv, buf := bytes.Clone(j.iv), bytes.Clone(j.src)
							if err := crypt(s, j.decrypt, buf, buf, iv); err != nil {
								m.failf("error: %v", err)
							}
							m.equal(opName(j.decrypt)+" of "+fmt.Sprint(len(buf))+" bytes", buf, j.out)
							m.equal("next iv", iv, j.next)
						}
					})
					mu.Lock()
					defer mu.Unlock()
					if mine.failed() {
						c.failf("one of 32 goroutines: %s", mine.What)
					}
				})
			}
			close(start)
			group.Wait()
		})
	}
}

// skRandom: everything at random.
func skRandom(r *runner) {
	for r.more(300) {
		r.do(func(c *testCase) {
			most := 2048
			if c.rand.IntN(16) == 0 {
				most = 160 << 10
			}
			m := message{
				decrypt: c.rand.IntN(2) == 1, n: c.length(most), inPlace: c.rand.IntN(3) == 0,
				srcOff: c.rand.IntN(64), dstOff: c.rand.IntN(64), extra: c.rand.IntN(2) * c.rand.IntN(margin),
			}
			if m.iv = c.bytes(c.alg.ivSize); c.rand.IntN(3) == 0 && len(m.iv) > 0 {
				for i := range m.iv {
					m.iv[i] = 0xff
				}
				m.iv[len(m.iv)-1] = byte(c.rand.Uint32())
			}
			if m.inPlace {
				m.dstOff, m.extra = m.srcOff, 0
			}
			c.check(c.place(m), m.decrypt)
		})
	}
}
