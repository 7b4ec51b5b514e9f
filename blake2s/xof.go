package blake2s

import (
	"errors"
	"io"

	"ucrypt/internal/blake2s"
)

// XOF is a hash function whose output has any length.
type XOF interface {
	// Write absorbs more data into the hash's state. It panics if called after
	// Read.
	io.Writer

	// Read reads more output from the hash. It returns io.EOF once the limit
	// has been reached.
	io.Reader

	// Clone returns a copy of the XOF in its current state.
	Clone() XOF

	// Reset resets the XOF to its initial state.
	Reset()
}

// OutputLengthUnknown as the size for NewXOF says that the length of the output
// is not known in advance.
const OutputLengthUnknown = 0

const (
	// unknownLength stands for OutputLengthUnknown in the parameter block.
	unknownLength = 65535

	// maxOutputLength is the limit of an output of unknown length: block numbers
	// have 32 bits.
	maxOutputLength = (1 << 32) * Size
)

// NewXOF returns a hash with an output of size bytes, less than 65535, or of an
// unknown length if size is OutputLengthUnknown; the limit is then 128 GiB. The
// output depends on the size.
//
// With a key, of up to 32 bytes, the hash is a MAC; a nil or empty key is none.
func NewXOF(size uint16, key []byte) (XOF, error) {
	if len(key) > KeySize {
		return nil, errKeySize
	}
	if size == unknownLength {
		return nil, errors.New("blake2s: XOF length too large")
	}
	if size == OutputLengthUnknown {
		size = unknownLength
	}
	x := &xof{length: size}
	x.d.Init(blake2s.Best(), Size, key)
	x.Reset()
	return x, nil
}

// xof is BLAKE2Xs: the digest of the message, root, is hashed once for each
// block of output, with the block's number in the parameter block.
type xof struct {
	d         blake2s.Digest
	length    uint16 // of the output, as the parameter block has it
	reading   bool
	root      [Size]byte
	block     [Size]byte // of output
	unread    int        // bytes of block that are yet to be read
	number    uint32     // of the next block
	remaining uint64     // bytes of output that are yet to be read
}

func (x *xof) Write(p []byte) (int, error) {
	if x.reading {
		panic("blake2s: write to XOF after read")
	}
	return x.d.Write(p)
}

func (x *xof) Clone() XOF {
	c := *x
	return &c
}

func (x *xof) Reset() {
	x.d.Reset()
	x.d.XORParameter(3, uint32(x.length))
	x.remaining = uint64(x.length)
	if x.length == unknownLength {
		x.remaining = maxOutputLength
	}
	x.reading, x.unread, x.number = false, 0, 0
}

func (x *xof) Read(p []byte) (int, error) {
	if !x.reading {
		x.d.Finish(&x.root)
		x.reading = true
	}
	if x.remaining == 0 {
		return 0, io.EOF
	}
	if uint64(len(p)) > x.remaining {
		p = p[:x.remaining]
	}
	n := len(p)
	for len(p) > 0 {
		if x.unread == 0 {
			x.next()
		}
		done := copy(p, x.block[Size-x.unread:])
		p = p[done:]
		x.unread -= done
		x.remaining -= uint64(done)
	}
	return n, nil
}

// next computes the next block of output. A last one that is shorter has its
// length in the parameter block, and is moved to the end of x.block.
func (x *xof) next() {
	size := int(min(x.remaining, Size))
	x.d.ResetTo(&[8]uint32{
		uint32(size), // digest length; key length, fanout and depth are 0
		Size,         // leaf length
		x.number,
		uint32(x.length) | Size<<24, // node depth 0, inner length
	})
	x.number++
	x.d.Write(x.root[:])
	x.d.Finish(&x.block)
	copy(x.block[Size-size:], x.block[:size])
	x.unread = size
}
