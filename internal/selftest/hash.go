package selftest

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"ucrypt"
	"ucrypt/internal/kat"
)

var hashProperties = []property{
	{name: usable, kind: "shash", run: haUsable},
	{name: "known-answers", kind: "shash", run: haKnownAnswers},
	{name: "lengths", kind: "shash", run: haLengths, thin: 24},
	{name: "keys", kind: "shash", run: haKeys, thin: 12},
	{name: "offsets", kind: "shash", run: haOffsets, thin: 48},
	{name: "guard-pages", kind: "shash", run: haGuardPages, thin: 24},
	{name: "two-writes", kind: "shash", run: haTwoWrites, thin: 96},
	{name: "split-calls", kind: "shash", run: haSplitCalls, thin: 12, endless: true},
	{name: "keep-state", kind: "shash", run: haKeepState, thin: 12},
	{name: "append", kind: "shash", run: haAppend, thin: 6},
	{name: "reset", kind: "shash", run: haReset, thin: 6},
	{name: "saved-state", kind: "shash", run: haSavedState, thin: 6},
	{name: "wrong-keys", kind: "shash", run: haWrongKeys, thin: 4},
	{name: "empty", kind: "shash", run: haEmpty},
	{name: "goroutines", kind: "shash", run: haGoroutines},
	{name: "random", kind: "shash", run: haRandom, thin: 12, endless: true},
}

// opDigest is the operation of a hash.
const opDigest = "digest"

// hashKey draws a key: none, where that is right, as often as all lengths together.
func (c *testCase) hashKey() []byte {
	if c.alg.keySizes[0] == 0 && c.rand.IntN(2) == 0 {
		return nil
	}
	return c.key()
}

// keyOf draws a key of n bytes, and notes it.
func (c *testCase) keyOf(n int) []byte {
	k := c.bytes(n)
	c.Key = hex.EncodeToString(k)
	return k
}

// hash returns the subject with a key, nil after a failure.
func (c *testCase) hash(key []byte) hash.Hash {
	c.Op = opDigest
	h, err := c.subject.newHash(key)
	if err != nil {
		c.failf("constructor: %v", err)
		return nil
	}
	return h
}

// write writes p, which must be taken whole and stay as it is.
func (c *testCase) write(h hash.Hash, p []byte) {
	before := bytes.Clone(p)
	if n, err := h.Write(p); n != len(p) || err != nil {
		c.failf("Write of %d bytes: %d, %v", len(p), n, err)
	}
	c.equal("message after Write", p, before)
}

// sum compares what Sum gives with the digest of a message.
func (c *testCase) sum(what string, h hash.Hash, key, message []byte) {
	got, want := h.Sum(nil), c.alg.digest(key, message)
	if len(got) != len(want) {
		c.failf("%s: %d bytes, want %d", what, len(got), len(want))
		return
	}
	c.equal(what, got, want)
}

// digest runs a message through a new hash.
func (c *testCase) digest(key, message []byte) {
	c.Length = len(message)
	if h := c.hash(key); h != nil {
		c.write(h, message)
		c.sum("digest", h, key, message)
	}
}

// haUsable: the driver can be bound, and its description is true.
func haUsable(r *runner) {
	r.do(func(c *testCase) {
		h := c.hash(c.hashKey())
		if h == nil {
			return
		}
		d, a := c.subject.driver, c.alg
		if h.Size() != a.digestSize || d.DigestSize != a.digestSize {
			c.failf("digests of %d bytes, described as %d, want %d", h.Size(), d.DigestSize, a.digestSize)
		}
		described := a.hashBlock
		if a.stream {
			described = 1
		}
		if h.BlockSize() != a.hashBlock || d.BlockSize != described {
			c.failf("blocks of %d bytes, described as %d, want %d", h.BlockSize(), d.BlockSize, a.hashBlock)
		}
		if keys := a.keySizes; d.MinKeySize != keys[0] || d.MaxKeySize != keys[len(keys)-1] {
			c.failf("keys of %d to %d bytes, want %d to %d", d.MinKeySize, d.MaxKeySize, keys[0], keys[len(keys)-1])
		}
		if d.IVSize != 0 {
			c.failf("an iv of %d bytes, want none", d.IVSize)
		}
		if d.Status != ucrypt.Passed {
			c.failf("state %s, want %s", d.Status, ucrypt.Passed)
		}
	})
}

// haKnownAnswers: the answers that are part of the program.
func haKnownAnswers(r *runner) {
	r.do(func(c *testCase) {
		err := kat.CheckHash(c.subject.driver.Name, func(key, message []byte) []byte {
			h := c.hash(key)
			if h == nil {
				return nil
			}
			h.Write(message)
			return h.Sum(nil)
		})
		if err != nil {
			c.failf("%v", err)
		}
	})
}

// haLengths: all lengths, with the shortest key or none, with the longest, and with one of
// any length.
func haLengths(r *runner) {
	least, most := r.alg.keySizes[0], r.alg.keySizes[len(r.alg.keySizes)-1]
	for _, n := range r.alg.lengths(1100, twoCalls) {
		for _, keySize := range []int{least, most, -1} {
			r.do(func(c *testCase) {
				if keySize < 0 {
					c.digest(c.key(), c.bytes(n))
				} else {
					c.digest(c.keyOf(keySize), c.bytes(n))
				}
			})
		}
	}
}

// haKeys: all lengths of keys, with messages that end around a block's end.
func haKeys(r *runner) {
	block := r.alg.hashBlock
	for _, keySize := range r.alg.keySizes {
		for _, n := range []int{0, 1, keySize, block - 1, block, block + 1, 2 * block, 2*block + 1, 5*block + 3} {
			r.do(func(c *testCase) { c.digest(c.keyOf(keySize), c.bytes(n)) })
		}
	}
}

// haOffsets: every pair of offsets, from a boundary of 64 bytes, of the message and of
// the place that Sum appends to; the key at a random one.
func haOffsets(r *runner) {
	for srcOff := range 64 {
		for sumOff := range 64 {
			r.do(func(c *testCase) {
				c.SrcOffset, c.DstOffset = srcOff, sumOff
				drawn := c.hashKey()
				key := c.memory[2].place(c.rand.IntN(64), len(drawn))
				copy(key, drawn)
				message := c.memory[0].place(srcOff, c.length(1100))
				fill(c.rand, message)
				c.Length = len(message)
				out := c.memory[1].place(sumOff, c.alg.digestSize)
				h := c.hash(key)
				if h == nil {
					return
				}
				c.write(h, message)
				h.Sum(out[:0])
				c.equal("digest", out, c.alg.digest(drawn, message))
				c.equal("key after the calls", key, drawn)
				c.watched(&c.memory[0], &c.memory[1])
				if what := c.memory[2].unchanged("key"); what != "" {
					c.failf("%s", what)
				}
			})
		}
	}
}

// haGuardPages: the message, the key and the place of the digest touch an inaccessible
// page, on either side. The message comes in one or in two calls.
func haGuardPages(r *runner) {
	lengths := r.alg.lengths(300, oneStride)
	if !r.guards(3, lengths[len(lengths)-1]) {
		return
	}
	for _, n := range lengths {
		for _, srcSide := range []side{left, right} {
			for _, twice := range []bool{false, true} {
				r.do(func(c *testCase) {
					c.Length = n
					sumSide, keySide := side(c.rand.IntN(2)), side(c.rand.IntN(2))
					c.Detail = fmt.Sprintf("page on the side: message %s, digest %s, key %s", srcSide, sumSide, keySide)
					drawn := c.hashKey()
					key := c.guarded[2].put("key", keySide, len(drawn))
					copy(key, drawn)
					message := c.guarded[0].put("message", srcSide, n)
					fill(c.rand, message)
					out := c.guarded[1].put("digest", sumSide, c.alg.digestSize)
					h := c.hash(key)
					if h == nil {
						return
					}
					cut := 0
					if twice {
						cut = c.rand.IntN(n + 1)
						c.Detail += fmt.Sprintf(", first %d bytes", cut)
						c.write(h, message[:cut])
					}
					c.write(h, message[cut:])
					h.Sum(out[:0:len(out)])
					c.equal("digest", out, c.alg.digest(drawn, message))
					c.watched(&c.guarded[0].arena, &c.guarded[1].arena)
				})
			}
		}
	}
}

// haTwoWrites: every message of two parts of 0 to 130 bytes, or to 260 where a block is
// so long that this would leave out too much.
func haTwoWrites(r *runner) {
	most, step := 130, 1
	if r.alg.hashBlock > 64 {
		most, step = 260, 2
	}
	for a := 0; a <= most; a += step {
		for b := range most + 1 {
			r.do(func(c *testCase) {
				c.Length, c.Detail = a+b, fmt.Sprintf("parts: %d, %d", a, b)
				key, message := c.hashKey(), c.bytes(a+b)
				if h := c.hash(key); h != nil {
					c.write(h, message[:a])
					c.write(h, message[a:])
					c.sum("digest", h, key, message)
				}
			})
		}
	}
}

// part draws the length of the next of the parts of n bytes: often one that fills a
// block exactly or leaves it a byte short.
func (c *testCase) part(done, n int) int {
	block := c.alg.hashBlock
	switch c.rand.IntN(6) {
	case 0:
		return min(n, block-done%block)
	case 1:
		return min(n, block-done%block+1)
	case 2:
		return min(n, c.rand.IntN(4)*block)
	case 3:
		return c.rand.IntN(min(n, block) + 1)
	}
	return c.rand.IntN(n + 1)
}

// haSplitCalls: a message given in many parts.
func haSplitCalls(r *runner) {
	for r.more(400) {
		r.do(func(c *testCase) {
			n := c.length(4096)
			if c.rand.IntN(16) == 0 {
				n = c.length(twoCalls)
			}
			c.Length = n
			key, message := c.hashKey(), c.bytes(n)
			h := c.hash(key)
			if h == nil {
				return
			}
			var parts []string
			for from := 0; from < n; {
				size := c.part(from, n-from)
				parts = append(parts, fmt.Sprint(size))
				c.write(h, message[from:from+size])
				from += size
			}
			c.Detail = "parts: " + strings.Join(parts, ", ")
			c.sum("digest", h, key, message)
		})
	}
}

// haKeepState: Sum does not change the state: it gives the same again, and what is
// written after it goes on as if it had not been there.
func haKeepState(r *runner) {
	for range 400 {
		r.do(func(c *testCase) {
			n := c.length(1100)
			c.Length = n
			key, message := c.hashKey(), c.bytes(n)
			h := c.hash(key)
			if h == nil {
				return
			}
			var parts []string
			for from := 0; ; {
				c.sum(fmt.Sprintf("digest after %d bytes", from), h, key, message[:from])
				c.sum(fmt.Sprintf("second digest after %d bytes", from), h, key, message[:from])
				if from == n || len(parts) == 40 {
					break
				}
				size := c.part(from, n-from)
				parts = append(parts, fmt.Sprint(size))
				c.write(h, message[from:from+size])
				from += size
			}
			c.Detail = "parts: " + strings.Join(parts, ", ")
		})
	}
}

// haAppend: Sum appends to a slice, in its memory where that has room for the digest, and
// writes nothing else.
func haAppend(r *runner) {
	for _, prefix := range []int{-1, 0, 1, 7, 16, 33, 64} { // -1: nil
		for _, room := range []int{0, 1, 15, 16, 31, 32, 63, 64, 100} {
			r.do(func(c *testCase) {
				key, message := c.hashKey(), c.bytes(c.length(300))
				c.Length, c.Detail = len(message), fmt.Sprintf("a slice of %d bytes, room for %d more", prefix, room)
				h := c.hash(key)
				if h == nil {
					return
				}
				c.write(h, message)
				var slice []byte
				whole := c.bytes(max(prefix, 0) + room)
				if prefix >= 0 {
					slice = whole[:prefix:len(whole)]
				}
				before := bytes.Clone(whole)
				got, digest := h.Sum(slice), c.alg.digest(key, message)
				if want := append(bytes.Clone(slice), digest...); !bytes.Equal(got, want) {
					c.failf("%x, want %x", got, want)
				}
				if prefix >= 0 && room >= len(digest) {
					copy(before[prefix:], digest)
					if &got[0] != &whole[0] {
						c.failf("the slice's memory was not used although it has room")
					}
				}
				c.equal("memory around the digest", whole, before)
			})
		}
	}
}

// haReset: Reset gives the state after the constructor, with the key.
func haReset(r *runner) {
	for range 200 {
		r.do(func(c *testCase) {
			key := c.hashKey()
			h := c.hash(key)
			if h == nil {
				return
			}
			for round := range 3 {
				message := c.bytes(c.length(600))
				c.Length, c.Detail = len(message), fmt.Sprintf("message %d", round+1)
				c.write(h, message)
				c.sum("digest", h, key, message)
				if c.rand.IntN(2) == 0 {
					c.write(h, c.bytes(c.length(300)))
				}
				h.Reset()
				c.sum("digest after Reset", h, key, nil)
				if c.failed() {
					return
				}
			}
		})
	}
}

// haSavedState: a state that is copied or, without a key, written down goes on in
// another hash, and the first one is not touched. Which of the two a hash offers is its
// own affair.
func haSavedState(r *runner) {
	offered := false
	for range 200 {
		r.do(func(c *testCase) {
			key, message := c.hashKey(), c.bytes(c.length(600))
			cut := c.part(0, len(message))
			c.Length, c.Detail = len(message), fmt.Sprintf("saved after %d bytes", cut)
			h := c.hash(key)
			if h == nil {
				return
			}
			c.write(h, message[:cut])
			var saved []hash.Hash
			if cloner, ok := h.(hash.Cloner); ok {
				clone, err := cloner.Clone()
				if err != nil {
					c.failf("Clone: %v", err)
					return
				}
				saved = append(saved, clone)
			}
			if from, ok := h.(encoding.BinaryMarshaler); ok && len(key) == 0 {
				state, err := from.MarshalBinary()
				if err != nil {
					c.failf("MarshalBinary: %v", err)
					return
				}
				other := c.hash(key)
				c.write(other, c.bytes(c.length(300)))
				if err := other.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
					c.failf("UnmarshalBinary: %v", err)
				}
				saved = append(saved, other)
			}
			for _, other := range saved {
				offered = true
				c.write(other, message[cut:])
				c.sum("digest of the saved state", other, key, message)
				c.sum("digest of the first hash", h, key, message[:cut])
			}
			c.write(h, message[cut:])
			c.sum("digest of the first hash", h, key, message)
		})
	}
	if !offered && r.result.Cases > 0 && r.result.Failed == 0 && r.check.only < 0 {
		r.skip("the hash offers neither Clone nor MarshalBinary")
	}
}

// haWrongKeys: only keys of the algorithm's sizes are taken, and they are copied.
func haWrongKeys(r *runner) {
	for n := range 137 {
		r.do(func(c *testCase) {
			key := c.bytes(n)
			if n == 0 && c.rand.IntN(2) == 0 {
				key = nil
			}
			c.Op, c.Key, c.Detail = opDigest, hex.EncodeToString(key), fmt.Sprintf("key of %d bytes", n)
			if !slices.Contains(c.alg.keySizes, n) {
				c.refused("the key", func() error { _, err := c.subject.newHash(key); return err },
					wrongType[*ucrypt.KeySizeError], key)
				return
			}
			given := bytes.Clone(key)
			h := c.hash(given)
			if h == nil {
				return
			}
			clear(given)
			message := c.bytes(64)
			c.write(h, message)
			c.sum("digest after the caller's key was cleared", h, key, message)
			h.Reset()
			c.sum("digest of nothing after Reset", h, key, nil)
		})
	}
}

// haEmpty: nothing, written or not, has a digest; nil is as good as empty.
func haEmpty(r *runner) {
	for _, keySize := range r.alg.keySizes {
		for _, writes := range [][][]byte{nil, {nil}, {{}}, {nil, {}, nil}} {
			r.do(func(c *testCase) {
				c.Detail = fmt.Sprintf("%d empty calls", len(writes))
				key := c.keyOf(keySize)
				h := c.hash(key)
				if h == nil {
					return
				}
				for _, p := range writes {
					c.write(h, p)
				}
				c.sum("digest", h, key, nil)
				message := c.bytes(c.alg.hashBlock)
				c.write(h, message)
				c.write(h, nil)
				c.sum("digest of a block and nothing", h, key, message)
			})
		}
	}
}

// haGoroutines: 32 goroutines use the driver at once, each with hashes of its own.
func haGoroutines(r *runner) {
	for range 2 {
		r.do(func(c *testCase) {
			c.Op = opDigest
			type job struct{ key, message, digest []byte }
			jobs := make([]job, 12)
			for i := range jobs {
				j := job{key: c.hashKey(), message: c.bytes(c.length(2048))}
				j.digest = c.alg.digest(j.key, j.message)
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
							h := m.hash(j.key)
							if h == nil {
								return
							}
							half := len(j.message) / 2
							h.Write(j.message[:half])
							h.Write(j.message[half:])
							m.equal(fmt.Sprintf("digest of %d bytes", len(j.message)), h.Sum(nil), j.digest)
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

// haRandom: one hash through a program of random calls.
func haRandom(r *runner) {
	for r.more(300) {
		r.do(func(c *testCase) {
			key := c.hashKey()
			h := c.hash(key)
			if h == nil {
				return
			}
			most := 2048
			if c.rand.IntN(16) == 0 {
				most = 160 << 10
			}
			var message []byte
			var program []string
			for range 1 + c.rand.IntN(12) {
				switch c.rand.IntN(8) {
				case 0:
					program = append(program, "reset")
					h.Reset()
					message = nil
				case 1, 2:
					program = append(program, "sum")
					c.sum("digest on the way", h, key, message)
				default:
					part := c.memory[0].place(c.rand.IntN(64), c.length(most))
					fill(c.rand, part)
					program = append(program, fmt.Sprint(len(part)))
					c.write(h, part)
					message = append(message, part...)
				}
			}
			c.Length, c.Detail = len(message), "calls: "+strings.Join(program, ", ")
			c.sum("digest", h, key, message)
		})
	}
}
