package selftest

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ucrypt"
)

var cipherProperties = []property{
	{name: usable, kind: "cipher", run: blUsable},
	{name: "blocks", kind: "cipher", run: blBlocks, thin: 12},
	{name: "offsets", kind: "cipher", run: blOffsets, thin: 48},
	{name: "guard-pages", kind: "cipher", run: blGuardPages},
	{name: "long-dst", kind: "cipher", run: blLongBuffers},
	{name: "overlap", kind: "cipher", run: blOverlap},
	{name: "wrong-keys", kind: "cipher", run: blWrongKeys, thin: 4},
	{name: "wrong-lengths", kind: "cipher", run: blShortBuffers},
	{name: "standard-modes", kind: "cipher", run: blStandardModes, thin: 6},
	{name: "goroutines", kind: "cipher", run: blGoroutines},
	{name: "random", kind: "cipher", run: blRandom, thin: 12, endless: true},
}

// keyedBlock returns the subject with a random key and the reference with the same.
func (c *testCase) keyedBlock() (got, want cipher.Block) {
	return c.blockOf(c.key())
}

func (c *testCase) blockOf(key []byte) (got, want cipher.Block) {
	got, err := c.subject.newCipher(key)
	if err != nil {
		c.failf("constructor: %v", err)
		return nil, nil
	}
	return got, c.alg.cipher(key)
}

// block calls one operation of b.
func block(b cipher.Block, decrypt bool, dst, src []byte) {
	if decrypt {
		b.Decrypt(dst, src)
	} else {
		b.Encrypt(dst, src)
	}
}

// checkBlock encrypts or decrypts src and compares the result.
func (c *testCase) checkBlock(got, want cipher.Block, decrypt bool, dst, src []byte) {
	c.Op, c.Length = opName(decrypt), len(src)
	before := bytes.Clone(src)
	out := make([]byte, blockSize)
	block(want, decrypt, out, before)
	block(got, decrypt, dst, src)
	c.equal("output", dst[:blockSize], out)
	if &dst[0] != &src[0] {
		c.equal("src after the call", src, before)
	}
}

func blUsable(r *runner) {
	r.do(func(c *testCase) {
		b, _ := c.keyedBlock()
		if b == nil {
			return
		}
		d, keys := c.subject.driver, c.alg.keySizes
		if b.BlockSize() != blockSize || d.BlockSize != blockSize {
			c.failf("blocks of %d bytes, described as %d, want %d", b.BlockSize(), d.BlockSize, blockSize)
		}
		if d.MinKeySize != keys[0] || d.MaxKeySize != keys[len(keys)-1] {
			c.failf("keys of %d to %d bytes, want %d to %d", d.MinKeySize, d.MaxKeySize, keys[0], keys[len(keys)-1])
		}
		if d.Status != ucrypt.Passed {
			c.failf("state %s, want %s", d.Status, ucrypt.Passed)
		}
	})
}

// blBlocks: every single bit of key and block, then random ones.
func blBlocks(r *runner) {
	for i := range 800 {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				size := c.alg.keySizes[i%len(c.alg.keySizes)]
				key, src := make([]byte, size), make([]byte, blockSize)
				switch {
				case i < 8*blockSize:
					src[i/8] = 1 << (i % 8)
				case i < 8*(blockSize+size):
					key[i/8-blockSize] = 1 << (i % 8)
				default:
					fill(c.rand, key)
					fill(c.rand, src)
				}
				c.Key, c.Detail = hex.EncodeToString(key), "block "+hex.EncodeToString(src)
				if got, want := c.blockOf(key); got != nil {
					c.checkBlock(got, want, decrypt, make([]byte, blockSize), src)
				}
			})
		}
	}
}

func blOffsets(r *runner) {
	for srcOff := range 64 {
		for dstOff := range 64 {
			for _, decrypt := range bothOps {
				r.do(func(c *testCase) {
					c.SrcOffset, c.DstOffset = srcOff, dstOff
					got, want := c.keyedBlock()
					if got == nil {
						return
					}
					src, dst := c.memory[0].place(srcOff, blockSize), c.memory[1].place(dstOff, blockSize)
					fill(c.rand, src)
					c.checkBlock(got, want, decrypt, dst, src)
					c.checkBlock(got, want, !decrypt, dst, dst)
					c.watched(&c.memory[0], &c.memory[1])
				})
			}
		}
	}
}

func (c *testCase) watched(src, dst *arena) {
	if what := src.unchanged("src"); what != "" {
		c.failf("%s", what)
	}
	if what := dst.unchanged("dst"); what != "" {
		c.failf("%s", what)
	}
}

func blGuardPages(r *runner) {
	if !r.guards(3, 64) {
		return
	}
	sides := []side{left, right}
	for _, srcSide := range sides {
		for _, dstSide := range sides {
			for _, keySide := range sides {
				for _, size := range r.alg.keySizes {
					for _, decrypt := range bothOps {
						r.do(func(c *testCase) {
							c.Detail = fmt.Sprintf("page on the side: src %s, dst %s, key %s", srcSide, dstSide, keySide)
							key := c.guarded[2].put("key", keySide, size)
							fill(c.rand, key)
							c.Key = hex.EncodeToString(key)
							got, want := c.blockOf(key)
							if got == nil {
								return
							}
							src, dst := c.guarded[0].put("src", srcSide, blockSize), c.guarded[1].put("dst", dstSide, blockSize)
							fill(c.rand, src)
							c.checkBlock(got, want, decrypt, dst, src)
							c.watched(&c.guarded[0].arena, &c.guarded[1].arena)
						})
					}
				}
			}
		}
	}
}

// blLongBuffers: of longer buffers only the first block counts, for overlaps too.
func blLongBuffers(r *runner) {
	for _, extra := range []int{1, 4, 15, 16, 17, 48} {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				c.DstExtra = extra
				got, want := c.keyedBlock()
				if got == nil {
					return
				}
				c.memory[1].place(0, blockSize)
				c.checkBlock(got, want, decrypt, c.memory[1].longer(extra), c.bytes(blockSize+extra))
				if what := c.memory[1].unchanged("the output"); what != "" {
					c.failf("%s", what)
				}
				for _, dstFirst := range bothOps {
					both := c.bytes(2 * blockSize)
					dst, src := both[blockSize:], both
					if dstFirst {
						dst, src = src, dst
					}
					out := make([]byte, blockSize)
					block(want, decrypt, out, src)
					block(got, decrypt, dst, src)
					c.equal("output next to src", dst[:blockSize], out)
				}
			})
		}
	}
}

// panics fails the case unless f panics with a text that has part in it, and leaves the
// watched memory as it was.
func (c *testCase) panics(part string, f func(), watched []byte) {
	before := bytes.Clone(watched)
	defer func() {
		if v := recover(); v == nil {
			c.failf("no panic %q", part)
		} else if text := fmt.Sprint(v); !strings.Contains(text, part) {
			c.failf("panic %q, want one with %q", text, part)
		}
		if !bytes.Equal(watched, before) {
			c.failf("memory was written before the panic %q", part)
		}
	}()
	f()
}

func blOverlap(r *runner) {
	for k := 1; k < blockSize; k++ {
		for _, decrypt := range bothOps {
			for _, back := range bothOps {
				r.do(func(c *testCase) {
					c.Op, c.Length, c.DstOffset, c.Detail = opName(decrypt), blockSize, k, "dst_offset counts from src"
					got, _ := c.keyedBlock()
					if got == nil {
						return
					}
					memory := c.bytes(3 * blockSize)
					src, dst := memory[:blockSize], memory[k:]
					if back {
						src, dst = dst, src
						c.DstOffset = -k
					}
					c.panics("invalid buffer overlap", func() { block(got, decrypt, dst, src) }, memory)
				})
			}
		}
	}
}

func blShortBuffers(r *runner) {
	for n := range blockSize {
		for _, decrypt := range bothOps {
			r.do(func(c *testCase) {
				c.Op, c.Length = opName(decrypt), n
				got, _ := c.keyedBlock()
				if got == nil {
					return
				}
				dst := c.bytes(blockSize)
				c.panics("input not full block", func() { block(got, decrypt, dst, make([]byte, n)) }, dst)
				c.panics("output not full block", func() { block(got, decrypt, dst[:n], make([]byte, blockSize)) }, dst)
			})
		}
	}
}

func blWrongKeys(r *runner) {
	for n := range 137 {
		r.do(func(c *testCase) {
			key := c.bytes(n)
			c.Key, c.Detail = hex.EncodeToString(key), fmt.Sprintf("key of %d bytes", n)
			if !slices.Contains(c.alg.keySizes, n) {
				c.refused("the key", func() error { _, err := c.subject.newCipher(key); return err },
					wrongType[*ucrypt.KeySizeError], key)
				return
			}
			got, want := c.blockOf(key)
			if got == nil {
				return
			}
			clear(key)
			c.checkBlock(got, want, false, make([]byte, blockSize), c.bytes(blockSize))
		})
	}
}

// blStandardModes: the modes that crypto/cipher makes of the block are those of the
// definition, however the message is cut.
func blStandardModes(r *runner) {
	for _, name := range []string{"ctr(%)", "cbc(%)"} {
		alg, err := newAlgorithm(strings.Replace(name, "%", r.subject.driver.Name, 1))
		if err != nil {
			r.skip(err.Error())
			return
		}
		for range 200 {
			for _, decrypt := range bothOps {
				r.do(func(c *testCase) {
					key := c.key()
					b, err := c.subject.newCipher(key)
					if err != nil {
						c.failf("constructor: %v", err)
						return
					}
					n := c.rand.IntN(2100)
					n -= n % alg.unit
					c.Op, c.Length, c.Detail = opName(decrypt), n, name
					iv, src := c.useIV(c.bytes(blockSize)), c.bytes(n)
					want, _ := alg.crypt(key, decrypt, src, iv)
					process := cipher.NewCTR(b, iv).XORKeyStream
					if !alg.ctr {
						m := cipher.NewCBCEncrypter(b, iv)
						if decrypt {
							m = cipher.NewCBCDecrypter(b, iv)
						}
						process = m.CryptBlocks
					}
					dst := make([]byte, n)
					for from := 0; from < n; {
						size := 1 + c.rand.IntN(n-from)
						if size += (alg.unit - size%alg.unit) % alg.unit; c.rand.IntN(2) == 0 {
							process(dst[from:from+size], src[from:from+size])
						} else {
							copy(dst[from:from+size], src[from:])
							process(dst[from:from+size], dst[from:from+size])
						}
						from += size
					}
					c.equal("output", dst, want)
				})
			}
		}
	}
}

func blGoroutines(r *runner) {
	r.do(func(c *testCase) {
		got, want := c.keyedBlock()
		if got == nil {
			return
		}
		src := c.bytes(64 * blockSize)
		enc, dec := make([]byte, len(src)), make([]byte, len(src))
		for i := 0; i < len(src); i += blockSize {
			want.Encrypt(enc[i:], src[i:])
			want.Decrypt(dec[i:], src[i:])
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		for g := range 32 {
			group.Go(func() {
				mine := testCase{runner: c.runner}
				mine.protect(func(m *testCase) {
					buf := make([]byte, blockSize)
					for i := range 4 * 64 {
						at := (i + g) % 64 * blockSize
						got.Encrypt(buf, src[at:])
						m.equal("encrypted block", buf, enc[at:at+blockSize])
						got.Decrypt(buf, src[at:])
						m.equal("decrypted block", buf, dec[at:at+blockSize])
					}
				})
				mu.Lock()
				defer mu.Unlock()
				if mine.failed() {
					c.failf("one of 32 goroutines: %s", mine.What)
				}
			})
		}
		group.Wait()
	})
}

func blRandom(r *runner) {
	for r.more(500) {
		r.do(func(c *testCase) {
			got, want := c.keyedBlock()
			if got == nil {
				return
			}
			src := c.bytes(blockSize)
			c.Detail = "block " + hex.EncodeToString(src)
			enc := make([]byte, blockSize)
			c.checkBlock(got, want, false, enc, src)
			back := bytes.Clone(enc)
			c.checkBlock(got, want, true, back, back)
			c.equal("decrypted block", back, src)
		})
	}
}
