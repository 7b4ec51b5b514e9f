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
	least int  // and it, or a data unit, has at least this length
	// advance turns the iv of the start into that of n bytes later, a multiple of
	// the block: then any part of the data can be worked alone. nil if the iv of a
	// chunk is the last ciphertext block of the one before: then chunks are
	// decrypted side by side, but encrypted one after the other.
	advance func(iv []byte, n uint64)
	// Data units are worked each by itself: sectors, whose iv is their number, or
	// the whole input as one.
	units bool
	many  bool // EncryptUnits works on several at once
	// For whole blocks the result is that of cbc with the last two blocks swapped.
	// Ciphertext is stolen in the last chunk only; the others are worked as cbc.
	swap bool
	aead bool // see sealing
}

var modes = map[string]mode{
	"ecb":     {block: 16, pad: true, advance: noIV},
	"cbc":     {block: 16, pad: true},
	"cfb":     {block: 1},
	"ctr":     {block: 1, advance: addBlocks},
	"xts":     {block: 1, least: 16, units: true, many: true},
	"xts-gb":  {block: 1, least: 16, units: true, many: true},
	"essiv":   {block: 16, units: true},
	"cts":     {block: 1, least: 16, swap: true},
	"cts-cs1": {block: 1, least: 16},
	"cts-cs2": {block: 1, least: 16},
	"gcm":     {block: 1, aead: true},
	"ccm":     {block: 1, aead: true},
}

// modeOf returns the mode of an algorithm.
func modeOf(d ucrypt.Driver) (mode, bool) {
	outer, _, _ := strings.Cut(d.Name, "(")
	m, ok := modes[outer]
	return m, ok && (m.aead && d.Type == ucrypt.TypeAEAD || !m.aead && d.Type == ucrypt.TypeSkcipher)
}

// modeNames names the modes of the drivers that want chooses.
func modeNames(want func(mode) bool) string {
	names := map[string]bool{}
	for _, d := range ucrypt.Drivers() {
		if m, ok := modeOf(d); ok && want(m) {
			outer, _, _ := strings.Cut(d.Name, "(")
			names[outer] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

func noIV([]byte, uint64) {}

// addBlocks adds the number of whole blocks in n bytes to the counter.
func addBlocks(iv []byte, n uint64) {
	low, carry := bits.Add64(binary.BigEndian.Uint64(iv[8:]), n/blockSize, 0)
	binary.BigEndian.PutUint64(iv[8:], low)
	binary.BigEndian.PutUint64(iv, binary.BigEndian.Uint64(iv)+carry)
}

// addSectors returns the advance for sectors of size bytes whose numbers, which
// the iv holds as dm-crypt's plain64 does, are step apart.
func addSectors(size int, step uint64) func(iv []byte, n uint64) {
	return func(iv []byte, n uint64) {
		binary.LittleEndian.PutUint64(iv, binary.LittleEndian.Uint64(iv)+n/uint64(size)*step)
	}
}

const (
	blockSize = 16
	// Memory is constant: at most bufferMemory in chunks of at most chunkSize,
	// which is small enough for a processor's own cache.
	chunkSize    = 256 << 10
	bufferMemory = 24 << 20
	// aheadSize is how much at least follows a chunk that is not the last. So the
	// last has the two blocks that stealing needs, or a whole tag.
	aheadSize = 2 * blockSize
	// maxUnit is the length of the longest data unit, 2^20 blocks (IEEE Std
	// 1619-2018, section 5.1). It is held in memory.
	maxUnit = 16 << 20
)

// pipeline works on an input in chunks, several at a time. Each of its
// goroutines takes a chunk all the way: it reads it, works on it, and writes it,
// while the others do so with other chunks. What has positions, as files have,
// is read by all of them at once, and written in any order; a stream is read and
// written in order.
type pipeline struct {
	cipher  *ucrypt.Skcipher
	sealing *sealing // instead of cipher, if not nil
	mode    mode
	decrypt bool
	pad     bool
	iv      []byte // of the next chunk
	threads int
	size    int    // of a chunk; 0 for the usual size
	sector  int    // size of the data units, 0 if there are none or the input is one
	step    uint64 // from one sector's number to the next one's
	part    part

	first    uint64 // sector's number
	numbered int64  // how many bytes of the input have sectors with a number

	in    io.Reader
	inAt  io.ReaderAt // instead of in, if not nil,
	total int64       // and then this is the input's size, see check
	out   io.Writer
	outAt io.WriterAt // instead of out, if not nil
	moved func(int)

	reading sync.Mutex // held to read in order, and for what follows
	offset  int64      // of the next chunk
	ahead   []byte     // what was read of it already
	ended   bool
	worked  chan struct{} // closed when the chunk before the next one is worked on
	written chan struct{} // closed when that is written, or is not going to be

	// Linux lets in one write to a file at a time. Who waits for it here can leave
	// the processor to others; who waits there does not.
	writing sync.Mutex

	ending   sync.Mutex // held for what follows, and to call moved
	err      error
	finished chan struct{} // closed after the first error or the last write
}

// chunk is a part of the data.
type chunk struct {
	data   []byte // first the input, then the output
	offset int64  // of the input
	last   bool
	more   bool // the input goes on after this last chunk
	iv     [blockSize]byte
	err    error // of the read

	// This chunk's turn to be worked on in order, and to be written, comes when
	// the one before is done; the next one's turn when this one is.
	mayWork, worked   chan struct{}
	mayWrite, written chan struct{}
}

// inOrder reports whether chunks are worked on one after the other.
func (p *pipeline) inOrder() bool {
	return p.mode.advance == nil && (!p.decrypt || p.sealing != nil)
}

// name returns the algorithm's.
func (p *pipeline) name() string {
	if p.sealing != nil {
		return p.sealing.name
	}
	return p.cipher.Driver().Name
}

// whole reports whether the input is one data unit, and so one chunk.
func (p *pipeline) whole() bool { return p.mode.units && p.sector == 0 }

// unit returns what the borders of a part are multiples of.
func (p *pipeline) unit() int64 { return int64(max(p.mode.block, p.sector)) }

// start returns where reading starts: at the start of a sector or a block.
func (p *pipeline) start() int64 {
	if p.sector > 0 {
		return p.part.from
	}
	return p.part.from - p.part.from%blockSize
}

// layout returns how many chunks there are at a time, and their size.
func (p *pipeline) layout() (chunks, size int) {
	switch {
	case p.whole():
		return 1, maxUnit
	case p.inAt != nil && p.outAt != nil && p.threads == 1:
		chunks = 1
	case p.inAt != nil && p.outAt != nil:
		chunks = p.threads + 1 // one is being written
	default:
		chunks = p.threads + 2 // one is being read, and one written
	}
	if p.inOrder() {
		chunks = min(chunks, 3)
	}
	size = p.size
	if size == 0 {
		for size = chunkSize; size*chunks > bufferMemory; size /= 2 {
		}
	}
	if p.sector > 0 {
		size = max(size/p.sector, 1) * p.sector
	}
	return chunks, size
}

// run works the input and writes the result. moved is told how many bytes each
// chunk had. run may return while a read is still waiting for input and, after an
// error, while others still write to their positions, but never while a stream
// is being written to.
func (p *pipeline) run(moved func(int)) error {
	p.moved = moved
	p.finished = make(chan struct{})
	p.worked, p.written = make(chan struct{}), make(chan struct{})
	close(p.worked)
	close(p.written)
	p.offset = p.start()
	if p.mode.advance != nil {
		p.mode.advance(p.iv, uint64(p.offset))
	}
	chunks, size := p.layout()
	working := make(chan struct{}, p.threads)
	var all sync.WaitGroup
	for range chunks {
		all.Go(func() {
			// Room for what is read ahead, and for padding or a tag.
			buf := make([]byte, size+aheadSize, size+aheadSize+blockSize)
			for p.take(buf, working) {
			}
		})
	}
	go func() {
		all.Wait()
		p.finish(nil)
	}()
	<-p.finished
	return p.err
}

// finish ends the run, unless it has ended.
func (p *pipeline) finish(err error) {
	p.ending.Lock()
	defer p.ending.Unlock()
	if !p.done() {
		p.err = err
		close(p.finished)
	}
}

func (p *pipeline) done() bool {
	select {
	case <-p.finished:
		return true
	default:
		return false
	}
}

// take takes one chunk all the way. It returns false if there are no more.
func (p *pipeline) take(buf []byte, working chan struct{}) bool {
	var c chunk
	if p.done() || !p.read(&c, buf) {
		return false
	}
	err := c.err
	if p.inOrder() {
		<-c.mayWork
	}
	if err == nil {
		working <- struct{}{}
		err = p.work(&c)
		<-working
	}
	close(c.worked)
	if p.outAt == nil {
		<-c.mayWrite
		defer close(c.written)
	}
	if err == nil && !p.done() {
		err = p.write(&c)
	}
	if err != nil {
		p.finish(err)
		return false
	}
	p.ending.Lock()
	defer p.ending.Unlock()
	if p.done() {
		return false
	}
	p.moved(len(c.data))
	return !c.last
}

// read reads the next chunk. It returns false if there are no more.
func (p *pipeline) read(c *chunk, buf []byte) bool {
	if !p.next(c, buf) {
		return false
	}
	if p.inAt != nil && p.mode.advance != nil {
		p.readAt(c)
	}
	return true
}

// next makes c the next chunk, and reads it unless that can be done by others
// at the same time. It returns false if there are no more.
func (p *pipeline) next(c *chunk, buf []byte) bool {
	p.reading.Lock()
	defer p.reading.Unlock()
	if p.ended {
		return false
	}
	c.offset = p.offset
	if p.inAt == nil {
		p.readNext(c, buf)
	} else {
		p.cut(c, buf)
		if p.mode.advance == nil {
			p.readAt(c)
		}
	}
	p.ended = c.last || c.err != nil
	p.offset += int64(len(c.data))
	if !p.inOrder() {
		copy(c.iv[:], p.iv)
		if !p.ended {
			p.chain(c)
		}
	}
	c.mayWork, c.worked = p.worked, make(chan struct{})
	c.mayWrite, c.written = p.written, make(chan struct{})
	p.worked, p.written = c.worked, c.written
	return true
}

// cut says which part of an input with positions the next chunk is.
func (p *pipeline) cut(c *chunk, buf []byte) {
	end := p.total
	if p.part.limited && p.part.end() < end {
		end, c.more = p.part.end(), true
	}
	if left := end - p.offset; left < int64(len(buf)) {
		c.data, c.last = buf[:max(left, 0)], true
	} else {
		c.data = buf[:len(buf)-aheadSize]
	}
}

func (p *pipeline) readAt(c *chunk) {
	if n, err := p.inAt.ReadAt(c.data, c.offset); n < len(c.data) {
		c.err = err
	}
}

// readNext reads a chunk of a stream and a little ahead, since a chunk has to
// know whether it is the last.
func (p *pipeline) readNext(c *chunk, buf []byte) {
	left := p.part.end() - p.offset
	if p.part.limited && left < int64(len(buf)) {
		buf = buf[:left+1] // one byte more shows that the input goes on
	}
	n := copy(buf, p.ahead)
	m, err := io.ReadFull(p.in, buf[n:])
	n += m
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		c.last = true
	case err != nil:
		c.err = err
	case p.part.limited && int64(n) > left:
		n--
		c.last, c.more = true, true
	default:
		n -= aheadSize
		p.ahead = append(p.ahead[:0], buf[n:]...)
	}
	c.data = buf[:n]
	if c.err == nil {
		c.err = p.checkNumbers(p.offset + int64(n))
	}
	switch {
	case c.err != nil:
	case c.last:
		c.err = p.checkEnd(p.offset+int64(n), c.more)
	case p.whole():
		c.err = p.tooLong()
	}
}

// chain turns the iv into that of the chunk after c.
func (p *pipeline) chain(c *chunk) {
	if p.mode.advance != nil {
		p.mode.advance(p.iv, uint64(len(c.data)))
	} else {
		copy(p.iv, c.data[len(c.data)-blockSize:])
	}
}

// work encrypts or decrypts a chunk in place, and adds or takes away the padding.
func (p *pipeline) work(c *chunk) error {
	if p.sealing != nil {
		return p.sealing.work(c, p.decrypt)
	}
	// The padding belongs to the part with the input's last byte.
	pad := p.pad && c.last && !c.more && (len(c.data) > 0 || c.offset == 0)
	if pad && !p.decrypt {
		n := blockSize - len(c.data)%blockSize
		for range n {
			c.data = append(c.data, byte(n))
		}
	}
	iv := p.iv // which the chunk before has left
	if !p.inOrder() {
		iv = c.iv[:len(p.iv)]
	}
	swap := p.mode.swap && !c.last
	if swap && p.decrypt {
		swapLastBlocks(c.data)
	}
	if err := p.crypt(c.data, iv); err != nil {
		return err
	}
	if swap && !p.decrypt {
		swapLastBlocks(c.data)
	}
	if p.inOrder() && !c.last {
		p.chain(c)
	}
	if pad && p.decrypt {
		if err := c.unpad(); err != nil {
			return err
		}
	}
	if before := p.part.from - c.offset; before > 0 { // in the same block
		c.data, c.offset = c.data[before:], p.part.from
	}
	return nil
}

func swapLastBlocks(data []byte) {
	last := len(data) - blockSize
	var block [blockSize]byte
	copy(block[:], data[last:])
	copy(data[last:], data[last-blockSize:last])
	copy(data[last-blockSize:], block[:])
}

// crypt encrypts or decrypts data in place.
func (p *pipeline) crypt(data, iv []byte) error {
	one, many := p.cipher.Encrypt, p.cipher.EncryptUnits
	if p.decrypt {
		one, many = p.cipher.Decrypt, p.cipher.DecryptUnits
	}
	if p.sector == 0 {
		return one(data, data, iv)
	}
	if p.mode.many && p.step == 1 {
		return many(data, data, p.sector, binary.LittleEndian.Uint64(iv))
	}
	for len(data) > 0 {
		sector := data[:min(p.sector, len(data))]
		if err := one(sector, sector, iv); err != nil {
			return err
		}
		p.mode.advance(iv, uint64(p.sector))
		data = data[len(sector):]
	}
	return nil
}

func (p *pipeline) write(c *chunk) error {
	var err error
	if p.outAt != nil {
		p.writing.Lock()
		defer p.writing.Unlock()
		_, err = p.outAt.WriteAt(c.data, c.offset-p.part.from)
	} else {
		_, err = p.out.Write(c.data)
	}
	return err
}

// check refuses what is known to be wrong before the first byte is read.
func (p *pipeline) check() error {
	end := p.part.end()
	if !p.part.limited {
		end = p.total // 0 of a stream
	}
	if err := p.checkNumbers(end); err != nil || p.inAt == nil {
		return err
	}
	return p.checkEnd(p.total, p.part.limited && p.part.end() < p.total)
}

// checkEnd refuses a part that the input does not have, or that cannot be worked.
// more says that the input goes on after its first size bytes.
func (p *pipeline) checkEnd(size int64, more bool) error {
	unit := p.unit()
	switch {
	case more && p.part.length%unit != 0:
		return usagef("--length: %d, want a multiple of %d for %s, or up to the end of the input", p.part.length, unit, p.name())
	case more:
		return nil
	case size < p.part.from:
		return fmt.Errorf("input of %d bytes ends before --offset %d", size, p.part.from)
	case p.part.limited && size < p.part.end():
		return fmt.Errorf("input of %d bytes ends before --offset %d + --length %d", size, p.part.from, p.part.length)
	}
	return p.checkSize(size)
}

// checkSize refuses an input of so many bytes if the mode cannot work on it.
func (p *pipeline) checkSize(size int64) error {
	if p.sealing != nil {
		return p.sealing.checkSize(size, p.decrypt)
	}
	name := p.name()
	block, least := int64(p.mode.block), int64(p.mode.least)
	switch {
	case p.pad && !p.decrypt:
		return nil
	case size%block != 0:
		return fmt.Errorf("input of %d bytes, want a multiple of %d for %s", size, block, name)
	case size == 0 && p.pad:
		return fmt.Errorf("the input is empty; padded %s has at least %d bytes", name, block)
	case p.sector > 0:
		if rest := size % int64(p.sector); rest > 0 && rest < least {
			return fmt.Errorf("input of %d bytes leaves %d to the last sector of %d, want at least %d for %s", size, rest, p.sector, least, name)
		}
	case size < least:
		return fmt.Errorf("input of %d bytes, want at least %d for %s", size, least, name)
	case p.whole() && size > maxUnit:
		return p.tooLong()
	}
	return nil
}

func (p *pipeline) tooLong() error {
	return fmt.Errorf("input of more than %d bytes, which are the longest data unit of %s; --first-sector works on sectors", maxUnit, p.name())
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
