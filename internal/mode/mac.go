package mode

import (
	"crypto/subtle"
	"hash"
	"strconv"
)

// cbcMACBuffer is how many bytes are gathered for one call of the serial routine.
const cbcMACBuffer = 512

// cbcMAC is the chaining of a CBC-MAC over a cipher with blocks of 16 bytes,
// without any rule for its end. The message is gathered in a buffer, in which
// the cipher may write: its ciphertext is not wanted.
type cbcMAC struct {
	acc [16]byte
	n   int
	buf [cbcMACBuffer]byte
}

func (m *cbcMAC) write(c *Cipher, p []byte) {
	for len(p) > 0 {
		if m.n == len(m.buf) {
			m.absorb(c)
		}
		n := copy(m.buf[m.n:], p)
		m.n += n
		p = p[n:]
	}
}

// pad fills the last block up with zeros.
func (m *cbcMAC) pad() {
	end := (m.n + 15) &^ 15
	clear(m.buf[m.n:end])
	m.n = end
}

// absorb empties the buffer, which has whole blocks.
func (m *cbcMAC) absorb(c *Cipher) {
	c.cbcMAC(m.acc[:], m.buf[:m.n])
	m.n = 0
}

// sum ends the message.
func (m *cbcMAC) sum(c *Cipher) [16]byte {
	m.pad()
	m.absorb(c)
	return m.acc
}

// cbcMAC chains the whole blocks of p, which it may write over, into acc, a
// block.
func (c *Cipher) cbcMAC(acc, p []byte) {
	if len(p) == 0 {
		return
	}
	if !c.composed &&
		(c.sm4 != nil && c.sm4.CBCEncrypt(p, p, (*[16]byte)(acc)) ||
			c.aes != nil && c.aes.CBCEncrypt(p, p, (*[16]byte)(acc))) {
		return
	}
	size := len(acc)
	if c.foreign == nil {
		for ; len(p) > 0; p = p[size:] {
			subtle.XORBytes(acc, acc, p[:size])
			c.encryptBlocks(acc, acc)
		}
		return
	}
	buf := copies.Get().(*[batch]byte)
	b := buf[:size]
	copy(b, acc)
	for ; len(p) > 0; p = p[size:] {
		subtle.XORBytes(b, b, p[:size])
		c.foreign.Encrypt(b, b)
	}
	copy(acc, b)
	clear(b)
	copies.Put(buf)
}

// chain chains the whole blocks of p into acc, a block, and leaves p as it is.
func (c *Cipher) chain(acc, p []byte) {
	if c.composed || c.foreign != nil {
		c.cbcMAC(acc, p) // writes nothing then
		return
	}
	for len(p) > 0 {
		n := min(len(p), serialCall)
		if c.sm4 == nil || !c.sm4.MAC((*[16]byte)(acc), p[:n]) {
			c.chainCopy(acc, p)
			return
		}
		p = p[n:]
	}
}

// chainCopy has a routine for CBC write its ciphertext, which is not wanted, over
// a copy of p.
func (c *Cipher) chainCopy(acc, p []byte) {
	var buf [batch]byte
	for len(p) > 0 {
		n := copy(buf[:], p)
		c.cbcMAC(acc, buf[:n])
		p = p[n:]
	}
}

// MACKind is one of the MACs that are made of CBC encryption.
type MACKind uint8

const (
	// CBCMAC fills the last block up with zeros; the MAC of nothing is zero. It
	// is a MAC only for messages of one length.
	CBCMAC MACKind = iota

	// CMAC is that of NIST SP 800-38B and RFC 4493.
	CMAC

	// XCBC is that of RFC 3566.
	XCBC
)

// MAC is a hash.Hash.
type MAC struct {
	c      Cipher // with the key of the chaining
	kind   MACKind
	k1, k2 [maxBlock]byte // added to a last block that is whole, or filled up
	size   int            // of a block
	acc    [maxBlock]byte
	buf    [cbcMACBuffer]byte
	n      int
}

// NewMAC returns CBC-MAC or CMAC over c.
func NewMAC(kind MACKind, c Cipher) *MAC {
	m := &MAC{c: c, kind: kind, size: c.BlockSize()}
	if kind == CMAC {
		k1, k2 := m.k1[:m.size], m.k2[:m.size]
		c.encryptBlocks(k1, k1)
		double(k1, k1)
		double(k2, k1)
	}
	return m
}

// double multiplies a block by x in the field of CMAC, which is defined for
// blocks of 8 and of 16 bytes.
func double(dst, src []byte) {
	r := byte(0x87)
	if len(src) == 8 {
		r = 0x1b
	}
	carry := src[0] >> 7
	for i := range len(src) - 1 {
		dst[i] = src[i]<<1 | src[i+1]>>7
	}
	dst[len(src)-1] = src[len(src)-1]<<1 ^ r&-carry
}

// XCBCKeys returns the three keys that XCBC makes of the key of c, whose blocks
// have 16 bytes. The first is the key of the cipher to chain with.
func XCBCKeys(c Cipher) (keys [3][16]byte) {
	for i := range keys {
		for j := range keys[i] {
			keys[i][j] = byte(i + 1)
		}
		c.encryptBlocks(keys[i][:], keys[i][:])
	}
	return keys
}

// NewXCBC returns XCBC. c has the first of the keys.
func NewXCBC(c Cipher, keys *[3][16]byte) *MAC {
	m := &MAC{c: c, kind: XCBC, size: 16}
	copy(m.k1[:], keys[1][:])
	copy(m.k2[:], keys[2][:])
	return m
}

// Size returns the size of the MAC in bytes, that of a block.
func (m *MAC) Size() int { return m.size }

// BlockSize returns the size of a block in bytes.
func (m *MAC) BlockSize() int { return m.size }

// Reset begins a new message.
func (m *MAC) Reset() {
	m.n = 0
	m.acc = [maxBlock]byte{}
	clear(m.buf[:])
}

// Write adds p to the message. The last block stays in the buffer, since it is
// not known to be the last; blocks before it that p has whole go by it.
func (m *MAC) Write(p []byte) (int, error) {
	length := len(p)
	acc, room := m.acc[:m.size], len(m.buf)-len(m.buf)%m.size
	if m.n+len(p) > room {
		if m.n > 0 {
			k := copy(m.buf[m.n:room], p[:(m.size-m.n%m.size)%m.size])
			m.c.cbcMAC(acc, m.buf[:m.n+k])
			m.n, p = 0, p[k:]
		}
		if len(p) > room {
			k := (len(p) - 1) / m.size * m.size
			m.c.chain(acc, p[:k])
			p = p[k:]
		}
	}
	m.n += copy(m.buf[m.n:room], p)
	return length, nil
}

// Sum appends the MAC of what was written so far to b. It does not change m.
func (m *MAC) Sum(b []byte) []byte {
	var acc [maxBlock]byte
	var buf [cbcMACBuffer]byte
	acc = m.acc
	n := copy(buf[:], m.buf[:m.n])
	whole := n > 0 && n%m.size == 0
	if n%m.size != 0 || n == 0 && m.kind != CBCMAC {
		if m.kind != CBCMAC {
			buf[n] = 0x80
		}
		n += m.size - n%m.size
	}
	if m.kind != CBCMAC {
		last, key := buf[n-m.size:n], m.k2[:m.size]
		if whole {
			key = m.k1[:m.size]
		}
		subtle.XORBytes(last, last, key)
	}
	m.c.cbcMAC(acc[:m.size], buf[:n])
	return append(b, acc[:m.size]...)
}

// Clone returns a MAC that goes on from the state of m by itself.
func (m *MAC) Clone() (hash.Cloner, error) {
	clone := *m
	return &clone, nil
}

// CheckMAC panics with name if there is no MAC of the kind over blocks of so
// many bytes.
func CheckMAC(name string, kind MACKind, blockSize int) {
	if kind == CMAC && blockSize != 8 && blockSize != 16 {
		panic(name + ": CMAC of a cipher with blocks of " + strconv.Itoa(blockSize) + " bytes, want 8 or 16")
	}
}

var _ hash.Cloner = (*MAC)(nil)
