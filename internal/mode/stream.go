package mode

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"strconv"

	"ucrypt/internal/alias"
)

// Op is a mode and its direction.
type Op uint8

const (
	OpECBEncrypt Op = iota
	OpECBDecrypt
	OpCBCEncrypt
	OpCBCDecrypt
	OpCFBEncrypt
	OpCFBDecrypt
	OpCTR
)

// blockMode is a cipher.BlockMode. SetIV and the panics are crypto/cipher's.
type blockMode struct {
	c    Cipher
	op   Op
	name string
	iv   []byte
}

// NewBlockMode returns ECB or CBC as a cipher.BlockMode. iv is copied; it is
// empty for ECB. name begins the texts of the panics.
func NewBlockMode(name string, c Cipher, op Op, iv []byte) cipher.BlockMode {
	want := c.BlockSize()
	if op == OpECBEncrypt || op == OpECBDecrypt {
		want = 0
	}
	checkIV(name, len(iv), want)
	return &blockMode{c, op, name, bytes.Clone(iv)}
}

func checkIV(name string, got, want int) {
	if got != want {
		panic(name + ": IV of " + strconv.Itoa(got) + " bytes, want " + strconv.Itoa(want))
	}
}

func (m *blockMode) BlockSize() int { return m.c.BlockSize() }

// SetIV begins a new message. Like crypto/cipher's own modes, whose method it
// mirrors, it is found by a type assertion.
func (m *blockMode) SetIV(iv []byte) {
	checkIV(m.name, len(iv), len(m.iv))
	copy(m.iv, iv)
}

func (m *blockMode) CryptBlocks(dst, src []byte) {
	if len(src)%m.c.BlockSize() != 0 {
		panic(m.name + ": input not full blocks")
	}
	checkBuffers(m.name, dst, src)
	switch m.op {
	case OpECBEncrypt:
		EncryptECB(&m.c, dst, src)
	case OpECBDecrypt:
		DecryptECB(&m.c, dst, src)
	case OpCBCEncrypt:
		EncryptCBC(&m.c, dst, src, m.iv)
	case OpCBCDecrypt:
		DecryptCBC(&m.c, dst, src, m.iv)
	}
}

func checkBuffers(name string, dst, src []byte) {
	if len(dst) < len(src) {
		panic(name + ": output smaller than input")
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		panic(name + ": invalid buffer overlap")
	}
}

// stream is a cipher.Stream: a mode that may stop within a block and go on.
type stream struct {
	c    Cipher
	op   Op
	name string
	iv   []byte

	// The rest of a block that was begun: the key stream is pending[used:].
	// used is 0 at a block boundary. CFB writes its ciphertext over the key
	// stream, so that a full block is the next iv.
	pending [maxBlock]byte
	used    int
}

// NewStream returns CTR or CFB as a cipher.Stream. iv is copied; name begins
// the texts of the panics.
func NewStream(name string, c Cipher, op Op, iv []byte) cipher.Stream {
	checkIV(name, len(iv), c.BlockSize())
	return &stream{c: c, op: op, name: name, iv: bytes.Clone(iv)}
}

func (s *stream) XORKeyStream(dst, src []byte) {
	checkBuffers(s.name, dst, src)
	size := len(s.iv)
	if s.used > 0 {
		n := s.partial(dst, src)
		dst, src = dst[n:], src[n:]
	}
	if whole := len(src) - len(src)%size; whole > 0 {
		switch s.op {
		case OpCFBEncrypt:
			EncryptCFB(&s.c, dst[:whole], src[:whole], s.iv)
		case OpCFBDecrypt:
			DecryptCFB(&s.c, dst[:whole], src[:whole], s.iv)
		case OpCTR:
			CTR(&s.c, dst[:whole], src[:whole], s.iv)
		}
		dst, src = dst[whole:], src[whole:]
	}
	if len(src) > 0 {
		s.c.encryptBlocks(s.pending[:size], s.iv)
		if s.op == OpCTR {
			increment(s.iv)
		}
		s.partial(dst, src)
	}
}

// partial goes on with a begun block, to its end at most, and returns how many
// bytes it worked on.
func (s *stream) partial(dst, src []byte) int {
	size := len(s.iv)
	key := s.pending[s.used:size]
	n := min(len(src), len(key))
	switch s.op {
	case OpCFBEncrypt:
		subtle.XORBytes(key, key, src[:n])
		copy(dst, key[:n])
	case OpCFBDecrypt:
		for i, ciphertext := range src[:n] {
			dst[i] = ciphertext ^ key[i]
			key[i] = ciphertext
		}
	case OpCTR:
		subtle.XORBytes(dst, src[:n], key)
	}
	if s.used += n; s.used == size {
		s.used = 0
		if s.op != OpCTR {
			copy(s.iv, s.pending[:size])
		}
	}
	return n
}
