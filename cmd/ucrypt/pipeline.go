package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"ucrypt"
)

// mode says how the work of a mode is cut into chunks.
type mode struct {
	block int  // the input's length is a multiple of it
	pad   bool // or is padded to one
	// encrypt and decrypt turn the iv of one chunk, whose input is src, into the
	// iv of the next, before the work. nil if only the work itself gives the
	// next iv: then the chunks are worked one after the other.
	encrypt, decrypt func(iv, src []byte)
}

var modes = map[string]mode{
	"ecb": {block: 16, pad: true, encrypt: noIV, decrypt: noIV},
	"cbc": {block: 16, pad: true, decrypt: lastBlock},
	"cfb": {block: 1, decrypt: lastBlock},
	"ctr": {block: 1, encrypt: addBlocks, decrypt: addBlocks},
}

func modeNames() string {
	return strings.Join(slices.Sorted(maps.Keys(modes)), ", ")
}

func noIV(_, _ []byte) {}

func lastBlock(iv, src []byte) {
	if len(src) >= len(iv) {
		copy(iv, src[len(src)-len(iv):])
	}
}

// addBlocks adds the number of src's blocks to the counter.
func addBlocks(iv, src []byte) {
	low, carry := bits.Add64(binary.BigEndian.Uint64(iv[8:]), uint64((len(src)+15)/16), 0)
	binary.BigEndian.PutUint64(iv[8:], low)
	binary.BigEndian.PutUint64(iv, binary.BigEndian.Uint64(iv)+carry)
}

const (
	blockSize = 16
	// Memory is constant: at most bufferMemory in chunks of at most chunkSize,
	// which is small enough for a processor's own cache.
	chunkSize    = 256 << 10
	bufferMemory = 24 << 20
)

// pipeline works on an input in chunks, several at a time. Each of its
// goroutines takes a chunk all the way: it reads it, works on it, and writes it,
// while the others do so with other chunks. Reads and writes are done in order,
// one of each at a time.
type pipeline struct {
	cipher  *ucrypt.Skcipher
	mode    mode
	decrypt bool
	pad     bool
	iv      []byte // of the next chunk
	threads int
	size    int // of a chunk; 0 for the usual size

	in    io.Reader
	out   io.Writer
	moved func(int)

	reading sync.Mutex // held to read, and for what follows
	offset  int64      // of the next chunk
	ahead   []byte     // what was read of it already
	ended   bool
	worked  chan struct{} // closed when the chunk before the next one is worked on
	written chan struct{} // closed when that is written, or is not going to be

	err      error         // of the first chunk that failed
	finished chan struct{} // closed after the last write
}

// chunk is a part of the data.
type chunk struct {
	data   []byte // first the input, then the output
	offset int64  // of the input
	last   bool
	iv     [blockSize]byte
	err    error // of the read

	// This chunk's turn to be worked on in order, and to be written, comes when
	// the one before is done; the next one's turn when this one is.
	mayWork, worked   chan struct{}
	mayWrite, written chan struct{}
}

// next returns the function that gives the next chunk's iv, nil if chunks are
// worked one after the other.
func (p *pipeline) next() func(iv, src []byte) {
	if p.decrypt {
		return p.mode.decrypt
	}
	return p.mode.encrypt
}

// run works all of in and writes the result to out. moved is told how many
// bytes each chunk had. run may return while a read is still waiting for input,
// but never while out is in use.
func (p *pipeline) run(out io.Writer, in io.Reader, moved func(int)) error {
	p.in, p.out, p.moved = in, out, moved
	p.finished = make(chan struct{})
	p.worked, p.written = make(chan struct{}), make(chan struct{})
	close(p.worked)
	close(p.written)
	// While each thread works on a chunk, one is read and one is written.
	chunks := p.threads + 2
	if p.next() == nil {
		chunks = 3
	}
	size := p.size
	if size == 0 {
		for size = chunkSize; size*chunks > bufferMemory; size /= 2 {
		}
	}
	working := make(chan struct{}, p.threads)
	for range chunks {
		go func() {
			// Room for what is read ahead, and for padding.
			buf := make([]byte, size+blockSize, size+2*blockSize)
			for p.step(buf, working) {
			}
		}()
	}
	<-p.finished
	return p.err
}

// step takes one chunk all the way. It returns false if there are no more.
func (p *pipeline) step(buf []byte, working chan struct{}) bool {
	var c chunk
	if !p.read(&c, buf) {
		return false
	}
	err := c.err
	if p.next() == nil {
		<-c.mayWork
	}
	if err == nil {
		working <- struct{}{}
		err = p.work(&c)
		<-working
	}
	close(c.worked)
	<-c.mayWrite
	defer close(c.written)
	if p.err != nil {
		return false
	}
	if err == nil {
		_, err = p.out.Write(c.data)
	}
	if err == nil {
		p.moved(len(c.data))
	}
	if err != nil || c.last {
		p.err = err
		close(p.finished)
		return false
	}
	return true
}

// read reads the next chunk and a block ahead, since a chunk has to know whether
// it is the last. It returns false if there are no more.
func (p *pipeline) read(c *chunk, buf []byte) bool {
	p.reading.Lock()
	defer p.reading.Unlock()
	if p.ended {
		return false
	}
	n := copy(buf, p.ahead)
	m, err := io.ReadFull(p.in, buf[n:])
	c.data, c.offset = buf[:n+m], p.offset
	if err == nil {
		size := len(buf) - blockSize
		c.data = buf[:size]
		p.ahead = append(p.ahead[:0], buf[size:]...)
	} else {
		p.ended, c.last = true, true
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			c.err = err
		}
	}
	p.offset += int64(len(c.data))
	if next := p.next(); next != nil {
		copy(c.iv[:], p.iv)
		next(p.iv, c.data)
	}
	c.mayWork, c.worked = p.worked, make(chan struct{})
	c.mayWrite, c.written = p.written, make(chan struct{})
	p.worked, p.written = c.worked, c.written
	return true
}

// work encrypts or decrypts a chunk in place, and adds or takes away the padding.
func (p *pipeline) work(c *chunk) error {
	if c.last && p.pad && !p.decrypt {
		n := blockSize - len(c.data)%blockSize
		for range n {
			c.data = append(c.data, byte(n))
		}
	}
	if c.last {
		if err := p.checkSize(c.offset + int64(len(c.data))); err != nil {
			return err
		}
	}
	iv := p.iv // which the chunk before has left
	if p.next() != nil {
		iv = c.iv[:len(p.iv)]
	}
	if p.decrypt {
		if err := p.cipher.Decrypt(c.data, c.data, iv); err != nil {
			return err
		}
		if c.last && p.pad {
			return c.unpad()
		}
		return nil
	}
	return p.cipher.Encrypt(c.data, c.data, iv)
}

// checkSize refuses an input of so many bytes, -1 if that is not known, if the
// mode cannot work on it.
func (p *pipeline) checkSize(size int64) error {
	name := p.cipher.Driver().Name
	switch {
	case size < 0 || p.pad && !p.decrypt:
		return nil
	case size%int64(p.mode.block) != 0:
		return fmt.Errorf("input of %d bytes, want a multiple of %d for %s", size, p.mode.block, name)
	case size == 0 && p.pad:
		return fmt.Errorf("the input is empty; padded %s has at least %d bytes", name, p.mode.block)
	}
	return nil
}

var errPadding = errors.New("wrong padding at the end: wrong key or iv, or not encrypted with padding (see --nopad)")

// unpad takes the padding away.
func (c *chunk) unpad() error {
	n := int(c.data[len(c.data)-1])
	if n == 0 || n > blockSize {
		return errPadding
	}
	rest := len(c.data) - n
	for _, b := range c.data[rest:] {
		if int(b) != n {
			return errPadding
		}
	}
	c.data = c.data[:rest]
	return nil
}
