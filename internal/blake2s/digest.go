package blake2s

import (
	"encoding/binary"
	"errors"
	"hash"
)

// Digest is a BLAKE2s hash or MAC of one tier. It implements hash.Hash,
// hash.Cloner, and the marshalling of its state.
type Digest struct {
	h      [8]uint32
	count  uint64          // bytes compressed so far
	block  [BlockSize]byte // the last block is held back, for only it is final
	n      int             // bytes in block
	size   int
	keyLen int
	key    [KeySize]byte
	tier   Tier
}

// New returns a Digest of the best tier; see NewTier.
func New(size int, key []byte) *Digest { return NewTier(Best(), size, key) }

// NewTier returns a Digest of tier t, which must be usable (see Tier.Check), for
// a digest of size bytes, 1 to Size. The key has at most KeySize bytes; with an
// empty one the Digest is a hash, otherwise a MAC. The caller keeps these rules.
func NewTier(t Tier, size int, key []byte) *Digest {
	d := new(Digest)
	d.Init(t, size, key)
	return d
}

// Init makes d what NewTier returns.
func (d *Digest) Init(t Tier, size int, key []byte) {
	*d = Digest{tier: t, size: size, keyLen: len(key)}
	copy(d.key[:], key)
	d.Reset()
}

// Tier returns the tier whose routine d uses.
func (d *Digest) Tier() Tier { return d.tier }

// Size returns the length of the digest in bytes.
func (d *Digest) Size() int { return d.size }

// BlockSize returns the size of a message block in bytes.
func (d *Digest) BlockSize() int { return BlockSize }

// start sets h to the chaining value before the first block: the iv and the
// first word of the parameter block.
func (t Tier) start(h *[8]uint32, size, keyLen int) {
	*h = iv
	h[0] ^= uint32(size) | uint32(keyLen)<<8 | 1<<16 | 1<<24 ^ tierTable.FaultBit(t)
}

// Reset returns d to the state before the first Write.
func (d *Digest) Reset() {
	d.tier.start(&d.h, d.size, d.keyLen)
	d.count, d.n = 0, 0
	if d.keyLen > 0 {
		d.block = [BlockSize]byte{}
		copy(d.block[:], d.key[:])
		d.n = BlockSize
	}
}

// ResetTo begins a hash whose parameter block is given as little-endian words,
// for the tree modes and for BLAKE2Xs. Only the following digest is concerned:
// Reset goes back to the parameters of New.
func (d *Digest) ResetTo(parameters *[8]uint32) {
	for i := range d.h {
		d.h[i] = iv[i] ^ parameters[i]
	}
	d.h[0] ^= tierTable.FaultBit(d.tier)
	d.count, d.n = 0, 0
}

// XORParameter changes word i of the parameter block; it must be called before
// the first Write.
func (d *Digest) XORParameter(i int, x uint32) { d.h[i] ^= x }

// Write takes p into the hash. It never fails.
func (d *Digest) Write(p []byte) (int, error) {
	written := len(p)
	if d.n > 0 {
		room := BlockSize - d.n
		if len(p) <= room {
			d.n += copy(d.block[d.n:], p)
			return written, nil
		}
		copy(d.block[d.n:], p[:room])
		d.compress(d.block[:])
		p = p[room:]
		d.n = 0
	}
	if len(p) > BlockSize {
		whole := (len(p) - 1) / BlockSize * BlockSize
		d.compress(p[:whole])
		p = p[whole:]
	}
	d.n = copy(d.block[:], p)
	return written, nil
}

func (d *Digest) compress(blocks []byte) {
	d.tier.compress(&d.h, d.count, 0, blocks)
	d.count += uint64(len(blocks))
}

// Sum appends the digest of what was written so far to b, and does not change d.
func (d *Digest) Sum(b []byte) []byte {
	var out [Size]byte
	d.Finish(&out)
	return append(b, out[:d.size]...)
}

// Finish is Sum into an array, of which the first Size() bytes are the digest.
func (d *Digest) Finish(out *[Size]byte) {
	h := d.h
	d.tier.finish(&h, d.count, d.block[:d.n])
	put(out, &h)
}

// finish takes the last block in, which has 0 to 64 bytes.
func (t Tier) finish(h *[8]uint32, counter uint64, data []byte) {
	counter += uint64(len(data)) - BlockSize // to which the routine adds 64
	if len(data) == BlockSize {
		t.compressSome(h, counter, ^uint32(0), data)
		return
	}
	var block alignedBlock
	copy(block.b[:], data)
	t.compressSome(h, counter, ^uint32(0), block.b[:])
}

// alignedBlock is aligned as a word is: processors that cannot load unaligned
// words clear it and read it four times as fast.
type alignedBlock struct {
	_ [0]uint32
	b [BlockSize]byte
}

func put(out *[Size]byte, h *[8]uint32) {
	for i, x := range h {
		binary.LittleEndian.PutUint32(out[4*i:], x)
	}
}

// Sum computes a digest at once; see NewTier. The first size bytes of out are
// the digest.
func Sum(t Tier, out *[Size]byte, size int, key, data []byte) {
	var h [8]uint32
	var counter uint64
	t.start(&h, size, len(key))
	if len(key) > 0 {
		var block alignedBlock
		copy(block.b[:], key)
		if len(data) == 0 {
			t.finish(&h, 0, block.b[:])
			put(out, &h)
			return
		}
		t.compressSome(&h, 0, 0, block.b[:])
		counter = BlockSize
	}
	if len(data) > BlockSize {
		whole := (len(data) - 1) / BlockSize * BlockSize
		t.compress(&h, counter, 0, data[:whole])
		counter += uint64(whole)
		data = data[whole:]
	}
	t.finish(&h, counter, data)
	put(out, &h)
}

// Clone returns a copy of d in its present state.
func (d *Digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

// The marshalled state is that of golang.org/x/crypto/blake2s.
const (
	magic         = "b2s"
	marshaledSize = len(magic) + 8*4 + 2*4 + 1 + BlockSize + 1
)

// MarshalBinary returns the state of a hash. A MAC's state is not given away.
func (d *Digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshaledSize))
}

// AppendBinary appends what MarshalBinary returns to b.
func (d *Digest) AppendBinary(b []byte) ([]byte, error) {
	if d.keyLen != 0 {
		return nil, errors.New("crypto/blake2s: cannot marshal MACs")
	}
	b = append(b, magic...)
	for _, x := range d.h {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(d.count))
	b = binary.BigEndian.AppendUint32(b, uint32(d.count>>32))
	b = append(b, byte(d.size))
	b = append(b, d.block[:]...)
	return append(b, byte(d.n)), nil
}

// UnmarshalBinary sets the state of d to one that MarshalBinary returned.
func (d *Digest) UnmarshalBinary(b []byte) error {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errors.New("crypto/blake2s: invalid hash state identifier")
	}
	if len(b) != marshaledSize {
		return errors.New("crypto/blake2s: invalid hash state size")
	}
	b = b[len(magic):]
	words, size, block, n := b[:40], int(b[40]), b[41:41+BlockSize], int(b[41+BlockSize])
	if size < 1 || size > Size || n > BlockSize {
		return errors.New("crypto/blake2s: invalid hash state")
	}
	for i := range d.h {
		d.h[i] = binary.BigEndian.Uint32(words[4*i:])
	}
	d.count = uint64(binary.BigEndian.Uint32(words[32:])) | uint64(binary.BigEndian.Uint32(words[36:]))<<32
	d.size, d.n = size, n
	copy(d.block[:], block)
	return nil
}
