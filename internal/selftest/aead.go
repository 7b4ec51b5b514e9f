package selftest

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ucrypt"
	"ucrypt/internal/kat"
)

var aeadProperties = []property{
	{name: usable, kind: "aead", run: aeUsable},
	{name: "known-answers", kind: "aead", run: aeKnownAnswers},
	{name: "lengths", kind: "aead", run: aeLengths, thin: 24},
	{name: "associated-data", kind: "aead", run: aeAssociated, thin: 12},
	{name: "sizes", kind: "aead", run: aeSizes, thin: 6},
	{name: "offsets", kind: "aead", run: aeOffsets, thin: 48},
	{name: "guard-pages", kind: "aead", run: aeGuardPages, thin: 24},
	{name: "forgeries", kind: "aead", run: aeForgeries, thin: 12},
	{name: "overlap", kind: "aead", run: aeOverlap, thin: 12},
	{name: "append", kind: "aead", run: aeAppend, thin: 6},
	{name: "wrong-keys", kind: "aead", run: aeWrongKeys, thin: 4},
	{name: "wrong-lengths", kind: "aead", run: aeWrongLengths, thin: 4},
	{name: "goroutines", kind: "aead", run: aeGoroutines},
	{name: "random", kind: "aead", run: aeRandom, thin: 12, endless: true},
}

const (
	opSeal = "seal"
	opOpen = "open"
)

// aeadDefinition is what an AEAD does, by its definition.
type aeadDefinition struct {
	nonceSizes, tagSizes []int
	seal                 func(b cipher.Block, nonce, plaintext, additionalData []byte, tagSize int) []byte
}

var aeads = map[string]aeadDefinition{
	"gcm": {[]int{12, 1, 2, 7, 8, 11, 13, 15, 16, 17, 31, 32, 33, 60, 128}, []int{16, 4, 8, 12, 13, 14, 15}, refGCM},
	"ccm": {[]int{12, 7, 8, 9, 10, 11, 13}, []int{16, 4, 6, 8, 10, 12, 14}, refCCM},
}

// newAEADAlgorithm returns the definition of an AEAD by its name, nil if it is none.
func newAEADAlgorithm(name string) *algorithm {
	mode, rest, _ := strings.Cut(name, "(")
	definition, ok := aeads[mode]
	c, known := ciphers[strings.TrimSuffix(rest, ")")]
	if !ok || !known {
		return nil
	}
	c.unit, c.ivSize, c.aead = 1, 12, &definition
	return &c
}

// refGCM is GCM (NIST SP 800-38D section 7.1), with GHASH bit by bit.
func refGCM(b cipher.Block, nonce, plaintext, additionalData []byte, tagSize int) []byte {
	pad := func(p []byte) []byte { return append(bytes.Clone(p), make([]byte, -len(p)&15)...) }
	lengths := func(a, b int) []byte {
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(8*a)), uint64(8*b))
	}
	h := make([]byte, blockSize)
	b.Encrypt(h, h)
	counter := append(bytes.Clone(nonce), 0, 0, 0, 1)
	if len(nonce) != 12 {
		counter = refGHASH(h, append(pad(nonce), lengths(0, len(nonce))...))
	}
	mask := make([]byte, blockSize)
	b.Encrypt(mask, counter)
	out := bytes.Clone(plaintext)
	var x [blockSize]byte
	for i := 0; i < len(out); i += blockSize {
		binary.BigEndian.PutUint32(counter[12:], binary.BigEndian.Uint32(counter[12:])+1)
		b.Encrypt(x[:], counter)
		end := min(i+blockSize, len(out))
		xor(out[i:end], out[i:end], x[:])
	}
	tag := refGHASH(h, slices.Concat(pad(additionalData), pad(out), lengths(len(additionalData), len(out))))
	xor(tag, tag, mask)
	return append(out, tag[:tagSize]...)
}

func refGHASH(h, p []byte) []byte {
	var yh, yl uint64
	for ; len(p) > 0; p = p[blockSize:] {
		xh, xl := yh^binary.BigEndian.Uint64(p), yl^binary.BigEndian.Uint64(p[8:])
		vh, vl := binary.BigEndian.Uint64(h), binary.BigEndian.Uint64(h[8:])
		yh, yl = 0, 0
		for i := range 128 {
			word := xh
			if i >= 64 {
				word = xl
			}
			if word>>(63-i%64)&1 == 1 {
				yh, yl = yh^vh, yl^vl
			}
			carry := vl & 1
			vl = vl>>1 | vh<<63
			vh = vh>>1 ^ carry*(0xe1<<56)
		}
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, yh), yl)
}

// refCCM is CCM (NIST SP 800-38C section 6.1, with the coding of appendix A).
func refCCM(b cipher.Block, nonce, plaintext, additionalData []byte, tagSize int) []byte {
	q := 15 - len(nonce)
	text := binary.BigEndian.AppendUint64(make([]byte, 8), uint64(len(plaintext)))
	text[0] = byte((tagSize-2)/2*8 + q - 1)
	copy(text[1:], nonce)
	switch n := len(additionalData); {
	case n == 0:
	case n < 0xff00:
		text[0] += 64
		text = binary.BigEndian.AppendUint16(text, uint16(n))
	default:
		text[0] += 64
		text = binary.BigEndian.AppendUint32(append(text, 0xff, 0xfe), uint32(n))
	}
	for _, part := range [][]byte{additionalData, plaintext} {
		text = append(text, part...)
		text = append(text, make([]byte, -len(text)&15)...)
	}
	mac := make([]byte, blockSize)
	for ; len(text) > 0; text = text[blockSize:] {
		xor(mac, mac, text)
		b.Encrypt(mac, mac)
	}
	counter := append([]byte{byte(q - 1)}, nonce...)
	counter = append(counter, make([]byte, q)...)
	var x [blockSize]byte
	b.Encrypt(x[:], counter)
	xor(mac, mac, x[:])
	out := bytes.Clone(plaintext)
	for i := 0; i < len(out); i += blockSize {
		for j := blockSize - 1; ; j-- {
			if counter[j]++; counter[j] != 0 {
				break
			}
		}
		b.Encrypt(x[:], counter)
		end := min(i+blockSize, len(out))
		xor(out[i:end], out[i:end], x[:])
	}
	return append(out, mac[:tagSize]...)
}

// aeadCase is one message of a case.
type aeadCase struct {
	aead             cipher.AEAD
	nonce, text, aad []byte
	sealed           []byte // what the definition gives
}

// sealing draws a message with random contents and works out what it is sealed as. It
// returns nil after a failure.
func (c *testCase) sealing(nonceSize, tagSize, n, aad int) *aeadCase {
	key := c.key()
	c.Op, c.Length = opSeal, n
	c.Detail = fmt.Sprintf("nonce of %d bytes, tag of %d, associated data of %d", nonceSize, tagSize, aad)
	a, err := c.subject.newAEAD(key, nonceSize, tagSize)
	if err != nil {
		c.failf("constructor: %v", err)
		return nil
	}
	m := &aeadCase{aead: a, nonce: c.useIV(c.bytes(nonceSize)), text: c.bytes(n), aad: c.bytes(aad)}
	m.sealed = c.alg.aead.seal(c.alg.cipher(key), m.nonce, m.text, m.aad, tagSize)
	return m
}

// anySizes draws sizes, the usual ones more often.
func (c *testCase) anySizes() (nonceSize, tagSize int) {
	d := c.alg.aead
	nonceSize, tagSize = d.nonceSizes[0], d.tagSizes[0]
	if c.rand.IntN(2) == 0 {
		nonceSize, tagSize = d.nonceSizes[c.rand.IntN(len(d.nonceSizes))], d.tagSizes[c.rand.IntN(len(d.tagSizes))]
	}
	return nonceSize, tagSize
}

// bothWays seals and opens the message, apart or in place, in watched memory.
func (c *testCase) bothWays(m *aeadCase, srcOff, dstOff int, inPlace bool) {
	n, sealed := len(m.text), len(m.sealed)
	c.SrcOffset, c.DstOffset, c.InPlace = srcOff, dstOff, inPlace
	nonce, aad := bytes.Clone(m.nonce), bytes.Clone(m.aad)
	for _, open := range bothOps {
		c.Op = opSeal
		in, out := m.text, m.sealed
		if open {
			c.Op = opOpen
			in, out = out, in
		}
		dst := c.memory[1].place(dstOff, len(out))
		var src []byte
		if inPlace {
			dst = c.memory[1].place(dstOff, sealed)
			src = dst[:len(in):len(in)]
			dst = dst[:len(out)]
		} else {
			src = c.memory[0].place(srcOff, len(in))[:len(in):len(in)]
		}
		copy(src, in)
		var got []byte
		if open {
			var err error
			if got, err = m.aead.Open(dst[:0], m.nonce, src, m.aad); err != nil {
				c.failf("%v", err)
				return
			}
		} else {
			got = m.aead.Seal(dst[:0], m.nonce, src, m.aad)
		}
		if len(got) != len(out) {
			c.failf("%d bytes, want %d", len(got), len(out))
			return
		}
		c.equal("output", dst, out)
		if !inPlace {
			c.equal("input after the call", src, in)
			c.watched(&c.memory[0], &c.memory[1])
		} else {
			if open {
				c.equal("tag after the call", c.memory[1].mem[c.memory[1].lo+n:c.memory[1].hi], m.sealed[n:])
			}
			if what := c.memory[1].unchanged("dst"); what != "" {
				c.failf("%s", what)
			}
		}
		c.equal("nonce after the call", m.nonce, nonce)
		c.equal("associated data after the call", m.aad, aad)
	}
}

func aeUsable(r *runner) {
	r.do(func(c *testCase) {
		m := c.sealing(12, 16, 0, 0)
		if m == nil {
			return
		}
		if m.aead.NonceSize() != 12 || m.aead.Overhead() != 16 {
			c.failf("nonces of %d bytes and overhead of %d, want 12 and 16", m.aead.NonceSize(), m.aead.Overhead())
		}
		d := c.subject.driver
		if keys := c.alg.keySizes; d.MinKeySize != keys[0] || d.MaxKeySize != keys[len(keys)-1] {
			c.failf("keys of %d to %d bytes, want %d to %d", d.MinKeySize, d.MaxKeySize, keys[0], keys[len(keys)-1])
		}
		if d.BlockSize != 1 || d.MaxTagSize != 16 || d.DigestSize != 0 {
			c.failf("described with blocks of %d bytes, tags of %d, digests of %d", d.BlockSize, d.MaxTagSize, d.DigestSize)
		}
		if d.Status != ucrypt.Passed {
			c.failf("state %s, want %s", d.Status, ucrypt.Passed)
		}
	})
}

func aeKnownAnswers(r *runner) {
	r.do(func(c *testCase) {
		if err := kat.CheckAEAD(c.subject.driver.Name, c.subject.newAEAD); err != nil {
			c.failf("%v", err)
		}
	})
}

// aeLengths: all lengths, apart and in place.
func aeLengths(r *runner) {
	for _, n := range r.alg.lengths(600, twoCalls) {
		for _, inPlace := range bothOps {
			r.do(func(c *testCase) {
				nonceSize, tagSize := c.anySizes()
				if nonceSize == 13 && c.subject.driver.IVSize == blockSize {
					nonceSize = 12 // which leaves room for the length
				}
				if m := c.sealing(nonceSize, tagSize, n, c.rand.IntN(40)); m != nil {
					c.bothWays(m, c.rand.IntN(64), c.rand.IntN(64), inPlace)
				}
			})
		}
	}
}

// aeAssociated: all lengths of associated data, and those at which the coding changes.
func aeAssociated(r *runner) {
	for aad := range 300 {
		r.do(func(c *testCase) {
			if m := c.sealing(12, 16, c.rand.IntN(70), aad); m != nil {
				c.bothWays(m, 0, 0, false)
			}
		})
	}
	for _, aad := range []int{511, 512, 4096, 0xfeff, 0xff00, 0xff01, 65535, 65536, 65537} {
		r.do(func(c *testCase) {
			if m := c.sealing(12, 16, 20, aad); m != nil {
				c.bothWays(m, 0, 0, false)
			}
		})
	}
}

// aeSizes: every size of nonce and tag together.
func aeSizes(r *runner) {
	for _, nonceSize := range r.alg.aead.nonceSizes {
		for _, tagSize := range r.alg.aead.tagSizes {
			for _, n := range []int{0, 1, 16, 33, 200} {
				r.do(func(c *testCase) {
					if m := c.sealing(nonceSize, tagSize, n, c.rand.IntN(40)); m != nil {
						c.bothWays(m, 0, 0, n%2 == 0)
					}
				})
			}
		}
	}
}

func aeOffsets(r *runner) {
	for srcOff := range 64 {
		for dstOff := range 64 {
			r.do(func(c *testCase) {
				nonceSize, tagSize := c.anySizes()
				if m := c.sealing(nonceSize, tagSize, c.length(1100), c.rand.IntN(40)); m != nil {
					c.bothWays(m, srcOff, dstOff, false)
				}
			})
		}
	}
}

// aeGuardPages: every buffer touches an inaccessible page.
func aeGuardPages(r *runner) {
	lengths := r.alg.lengths(300, oneStride)
	if !r.guards(4, lengths[len(lengths)-1]+16) {
		return
	}
	for _, n := range lengths {
		for _, open := range bothOps {
			for _, dstSide := range []side{left, right} {
				r.do(func(c *testCase) {
					nonceSize, tagSize := c.anySizes()
					m := c.sealing(nonceSize, tagSize, n, c.rand.IntN(40))
					if m == nil {
						return
					}
					in, out := m.text, m.sealed
					if open {
						c.Op, in, out = opOpen, out, in
					}
					srcSide := side(c.rand.IntN(2))
					c.Detail += fmt.Sprintf(", page on the side: input %s, output %s", srcSide, dstSide)
					src := c.guarded[0].put("input", srcSide, len(in))
					dst := c.guarded[1].put("output", dstSide, len(out))
					nonce := c.guarded[2].put("nonce", right, len(m.nonce))
					aad := c.guarded[3].put("associated data", right, len(m.aad))
					copy(src, in)
					copy(nonce, m.nonce)
					copy(aad, m.aad)
					if open {
						if _, err := m.aead.Open(dst[:0:len(out)], nonce, src, aad); err != nil {
							c.failf("%v", err)
						}
					} else {
						m.aead.Seal(dst[:0:len(out)], nonce, src, aad)
					}
					c.equal("output", dst, out)
					c.watched(&c.guarded[0].arena, &c.guarded[1].arena)
				})
			}
		}
	}
}

// aeForgeries: with one bit wrong anywhere nothing is opened, and nothing is to be seen
// of the plaintext.
func aeForgeries(r *runner) {
	for i := range 600 {
		r.do(func(c *testCase) {
			nonceSize, tagSize := c.anySizes()
			m := c.sealing(nonceSize, tagSize, c.length(700), c.rand.IntN(40))
			if m == nil {
				return
			}
			c.Op, c.InPlace = opOpen, i%2 == 0
			sealed := m.sealed
			what, at := "ciphertext or tag", sealed
			switch {
			case i%8 == 1:
				what, at = "tag", sealed[len(m.text):]
			case i%8 == 3:
				what, at = "nonce", m.nonce
			case i%8 == 5 && len(m.aad) > 0:
				what, at = "associated data", m.aad
			}
			bit := c.rand.IntN(8 * len(at))
			at[bit/8] ^= 1 << (bit % 8)
			c.Detail += fmt.Sprintf(", bit %d of the %s wrong", bit, what)
			dst := c.bytes(len(sealed))
			if c.InPlace {
				copy(dst, sealed)
				sealed = dst
			}
			end := bytes.Clone(dst[len(m.text):])
			got, err := m.aead.Open(dst[:0], m.nonce, sealed, m.aad)
			if !errors.Is(err, ucrypt.ErrAuthentication) || got != nil {
				c.failf("%d bytes, error %v", len(got), err)
			}
			c.equal("output after a failure", dst[:len(m.text)], make([]byte, len(m.text)))
			c.equal("memory behind the output", dst[len(m.text):], end)
		})
	}
}

// aeOverlap: buffers that overlap without beginning at the same byte.
func aeOverlap(r *runner) {
	const text = "invalid buffer overlap"
	for _, k := range []int{-33, -16, -1, 1, 15, 16, 17, 40} {
		for _, open := range bothOps {
			for _, data := range bothOps {
				r.do(func(c *testCase) {
					m := c.sealing(12, 16, 50, 30)
					if m == nil {
						return
					}
					c.DstOffset = k
					in, call := m.text, func(dst, src, aad []byte) { m.aead.Seal(dst, m.nonce, src, aad) }
					if open {
						c.Op, in = opOpen, m.sealed
						call = func(dst, src, aad []byte) { m.aead.Open(dst, m.nonce, src, aad) }
					}
					memory := c.bytes(400)
					if data {
						// Associated data that the output would be written over.
						c.Detail += ", of associated data and output"
						c.panics(text, func() { call(memory[100:100], in, memory[100+max(k, -10):][:30]) }, memory)
						return
					}
					src := memory[100 : 100+len(in)]
					copy(src, in)
					c.panics(text, func() { call(memory[100+k:100+k], src, nil) }, memory)
				})
			}
		}
	}
}

// aeAppend: the output goes behind what dst has, in its memory where that has room.
func aeAppend(r *runner) {
	for _, prefix := range []int{0, 1, 16, 33} {
		for _, room := range []int{0, 10, 65, 66, 67, 100} {
			r.do(func(c *testCase) {
				m := c.sealing(12, 16, 50, 10)
				if m == nil {
					return
				}
				c.Detail += fmt.Sprintf(", a slice of %d bytes, room for %d more", prefix, room)
				memory := c.bytes(prefix + room)
				slice := memory[:prefix:len(memory)]
				before := bytes.Clone(slice)
				got := m.aead.Seal(slice, m.nonce, m.text, m.aad)
				if want := append(bytes.Clone(before), m.sealed...); !bytes.Equal(got, want) {
					c.failf("%x, want %x", got, want)
				} else if room >= len(m.sealed) && &got[0] != &memory[0] {
					c.failf("the slice's memory was not used although it has room")
				}
				c.equal("what was in the slice", slice, before)
				got, err := m.aead.Open(slice, m.nonce, m.sealed, m.aad)
				if want := append(before, m.text...); err != nil || !bytes.Equal(got, want) {
					c.failf("opened as %x, error %v, want %x", got, err, want)
				}
			})
		}
	}
}

func aeWrongKeys(r *runner) {
	for n := range 70 {
		if slices.Contains(r.alg.keySizes, n) {
			continue
		}
		r.do(func(c *testCase) {
			c.Detail = fmt.Sprintf("key of %d bytes", n)
			c.refused(c.Detail, func() error { _, err := c.subject.newAEAD(make([]byte, n), 12, 16); return err }, wrongType[*ucrypt.KeySizeError])
		})
	}
}

// aeWrongLengths: sizes of nonces and tags that there are not, nonces of another length
// than was agreed, and messages shorter than a tag.
func aeWrongLengths(r *runner) {
	key := make([]byte, r.alg.keySizes[0])
	for n := -1; n < 40; n++ {
		r.do(func(c *testCase) {
			c.Detail = fmt.Sprintf("tags of %d bytes", n)
			if !slices.Contains(r.alg.aead.tagSizes, n) {
				c.refused(c.Detail, func() error { _, err := c.subject.newAEAD(key, 12, n); return err }, wrongType[*ucrypt.TagSizeError])
			}
			m := c.sealing(12, 16, 20, 0)
			if m == nil {
				return
			}
			if n >= 0 && n != 12 {
				c.panics("nonce of", func() { m.aead.Seal(nil, make([]byte, n), nil, nil) }, nil)
				c.panics("nonce of", func() { m.aead.Open(nil, make([]byte, n), make([]byte, 20), nil) }, nil)
			}
			if n >= 0 && n < len(m.sealed) {
				if _, err := m.aead.Open(nil, m.nonce, m.sealed[:n], nil); !errors.Is(err, ucrypt.ErrAuthentication) {
					c.failf("%d bytes of the message: error %v", n, err)
				}
			}
		})
	}
	for _, n := range []int{-1, 0, 6, 14, 15, 16} {
		if n > 0 && r.subject.driver.IVSize != blockSize {
			continue // gcm has them all
		}
		r.do(func(c *testCase) {
			c.Detail = fmt.Sprintf("nonces of %d bytes", n)
			c.refused(c.Detail, func() error { _, err := c.subject.newAEAD(key, n, 16); return err }, wrongType[*ucrypt.NonceSizeError])
		})
	}
}

// aeGoroutines: one value serves 64 goroutines at once.
func aeGoroutines(r *runner) {
	r.do(func(c *testCase) {
		m := c.sealing(12, 16, 3000, 50)
		if m == nil {
			return
		}
		var wrong [64]bool
		var group sync.WaitGroup
		for i := range wrong {
			group.Go(func() {
				for range 8 {
					got := m.aead.Seal(nil, m.nonce, m.text, m.aad)
					text, err := m.aead.Open(nil, m.nonce, m.sealed, m.aad)
					wrong[i] = wrong[i] || err != nil || !bytes.Equal(got, m.sealed) || !bytes.Equal(text, m.text)
				}
			})
		}
		group.Wait()
		if i := slices.Index(wrong[:], true); i >= 0 {
			c.failf("goroutine %d of %d got a wrong answer", i, len(wrong))
		}
	})
}

func aeRandom(r *runner) {
	for r.more(300) {
		r.do(func(c *testCase) {
			nonceSize, tagSize := c.anySizes()
			most := 5000
			if c.rand.IntN(32) == 0 {
				most = 40000
			}
			if m := c.sealing(nonceSize, tagSize, c.length(most), c.length(600)); m != nil {
				c.bothWays(m, c.rand.IntN(64), c.rand.IntN(64), c.rand.IntN(2) == 0)
			}
		})
	}
}
