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
	// Memory is constant: at most bufferMemory in chunks of at most chunkSize.
	chunkSize    = 256 << 10
	bufferMemory = 24 << 20
)

// pipeline reads chunks, works on several at a time, and writes them in order.
type pipeline struct {
	cipher  *ucrypt.Skcipher
	mode    mode
	decrypt bool
	pad     bool
	iv      []byte // of the next chunk
	threads int
	size    int // of a chunk; 0 for the usual size
}

// chunk is a part of the data on its way.
type chunk struct {
	buf    []byte
	data   []byte // first the input, then the output
	offset int64  // of the input
	last   bool
	iv     [blockSize]byte
	err    error
	done   chan struct{} // receives one value when the work is done
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
	threads := p.threads
	if p.next() == nil {
		threads = 1
	}
	// Each thread has a chunk at work and one waiting; one chunk is being read,
	// one is held back until it is known whether it is the last, one is written.
	buffers := 2*threads + 3
	size := p.size
	if size == 0 {
		for size = chunkSize; size*buffers > bufferMemory; size /= 2 {
		}
	}
	var (
		// Every channel has room for all chunks: only a lack of free ones blocks.
		free   = make(chan *chunk, buffers)
		todo   = make(chan *chunk, buffers)
		order  = make(chan *chunk, buffers)
		stop   = make(chan struct{})
		worker sync.WaitGroup
	)
	defer worker.Wait()
	defer close(stop)
	for range threads {
		worker.Go(func() {
			for {
				select {
				case c := <-todo:
					if c.err == nil {
						c.err = p.work(c)
					}
					c.done <- struct{}{}
				case <-stop:
					return
				}
			}
		})
	}
	go p.read(in, size, buffers, free, todo, order, stop)
	for {
		c := <-order
		<-c.done
		if c.err != nil {
			return c.err
		}
		if _, err := out.Write(c.data); err != nil {
			return err
		}
		moved(len(c.data))
		if c.last {
			return nil
		}
		free <- c
	}
}

// read cuts the input into chunks and hands them on in order.
func (p *pipeline) read(in io.Reader, size, buffers int, free <-chan *chunk, todo, order chan<- *chunk, stop <-chan struct{}) {
	next := p.next()
	send := func(c *chunk) {
		if next != nil {
			copy(c.iv[:], p.iv)
			next(p.iv, c.data)
		}
		todo <- c
		order <- c
	}
	var held *chunk
	var offset int64
	made := 0
	for {
		var c *chunk
		select {
		case c = <-free:
		default:
			if made < buffers {
				made++
				c = &chunk{buf: make([]byte, size+blockSize), done: make(chan struct{}, 1)}
				break
			}
			select {
			case c = <-free:
			case <-stop:
				return
			}
		}
		n, err := io.ReadFull(in, c.buf[:size])
		c.data, c.offset = c.buf[:n], offset
		offset += int64(n)
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			c.err = err
		}
		if n == 0 && end && held != nil {
			held.last = true
			send(held)
			return
		}
		if held != nil {
			send(held)
		}
		if err != nil {
			c.last = true
			send(c)
			return
		}
		held = c
	}
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
	iv := p.iv
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
