package ghash

import "hash"

// digest is GHASH as a hash.Hash. A last block that is not full is filled up
// with zeros.
type digest struct {
	key Key
	acc [BlockSize]byte
	buf [BlockSize]byte
	n   int // bytes in buf
}

// NewHash returns GHASH with a key for tier t as a hash.Hash. Its digest is no
// MAC: of a message and its digest anybody can work out the key.
func NewHash(t Tier, key *[BlockSize]byte) hash.Hash {
	d := new(digest)
	d.key.Init(t, key)
	return d
}

func (d *digest) Size() int      { return BlockSize }
func (d *digest) BlockSize() int { return BlockSize }

func (d *digest) Reset() {
	d.acc, d.buf, d.n = [BlockSize]byte{}, [BlockSize]byte{}, 0
}

func (d *digest) Write(p []byte) (int, error) {
	length := len(p)
	if d.n > 0 {
		n := copy(d.buf[d.n:], p)
		d.n += n
		p = p[n:]
		if d.n < BlockSize {
			return length, nil
		}
		d.key.Update(&d.acc, d.buf[:])
		d.n = 0
	}
	d.key.Update(&d.acc, p)
	d.n = copy(d.buf[:], p[len(p)-len(p)%BlockSize:])
	return length, nil
}

func (d *digest) Clone() (hash.Cloner, error) {
	clone := *d
	return &clone, nil
}

func (d *digest) Sum(b []byte) []byte {
	acc := d.acc
	if d.n > 0 {
		var last [BlockSize]byte
		copy(last[:], d.buf[:d.n])
		d.key.Update(&acc, last[:])
	}
	return append(b, acc[:]...)
}
