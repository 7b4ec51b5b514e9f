package mode

import (
	"crypto/cipher"
	"strconv"
	"sync"

	"ucrypt/internal/aes"
	"ucrypt/internal/sm4"
)

const (
	// parallelCall and serialCall bound the bytes that one call of a routine
	// works on. Assembly cannot be preempted, so a longer call would hold up
	// the garbage collector; serial routines are several times slower.
	parallelCall = 64 << 10
	serialCall   = 16 << 10

	// batch is how many bytes a mode that is built from block encryption
	// prepares at a time: a multiple of every stride up to 24 blocks.
	batch = 48 * 16

	// tailBatch bounds the copy that a partial block at the end is worked in,
	// with the whole blocks before it.
	tailBatch = 32 * 16

	// maxBlock is the largest block in bytes of a cipher that the modes take.
	maxBlock = 128
)

// Cipher is a keyed block cipher as the modes see it. Exactly one of sm4 and
// foreign is set.
type Cipher struct {
	sm4      *sm4.Cipher
	aes      *aes.Cipher
	foreign  cipher.Block
	composed bool // see Composed
}

// SM4 returns the Cipher of an SM4 key.
func SM4(c *sm4.Cipher) Cipher { return Cipher{sm4: c} }

// Composed returns c without its routines for whole modes with their tails, xts
// and cts: they are then composed of ecb and cbc, as the kernel's templates are.
func (c Cipher) Composed() Cipher {
	c.composed = true
	return c
}

// fused returns the SM4 cipher whose routines for xts and cts may be used, or
// nil.
func (c *Cipher) fused() *sm4.Cipher {
	if c.composed {
		return nil
	}
	return c.sm4
}

// fusedAES is the same for AES.
func (c *Cipher) fusedAES() *aes.Cipher {
	if c.composed {
		return nil
	}
	return c.aes
}

// AES returns the Cipher of an AES key.
func AES(c *aes.Cipher) Cipher { return Cipher{aes: c} }

// Of returns the Cipher of any block cipher. It panics if b's blocks are larger
// than 128 bytes.
func Of(b cipher.Block) Cipher {
	switch b := b.(type) {
	case *Block:
		return b.c
	case *StdBlock:
		return b.c
	}
	if size := b.BlockSize(); size < 1 || size > maxBlock {
		panic("modes: cipher with blocks of " + strconv.Itoa(size) + " bytes, want 1 to 128")
	}
	return Cipher{foreign: b}
}

// BlockSize returns the cipher's block size in bytes.
func (c *Cipher) BlockSize() int {
	if c.sm4 != nil || c.aes != nil {
		return sm4.BlockSize
	}
	return c.foreign.BlockSize()
}

// encryptBlocks encrypts the whole blocks of src, each by itself.
func (c *Cipher) encryptBlocks(dst, src []byte) {
	if c.sm4 != nil {
		c.sm4.EncryptBlocks(dst, src)
		return
	}
	if c.aes != nil {
		c.aes.EncryptBlocks(dst, src)
		return
	}
	c.foreignBlocks(dst, src, false)
}

// decryptBlocks decrypts the whole blocks of src, each by itself.
func (c *Cipher) decryptBlocks(dst, src []byte) {
	if c.sm4 != nil {
		c.sm4.DecryptBlocks(dst, src)
		return
	}
	if c.aes != nil {
		c.aes.DecryptBlocks(dst, src)
		return
	}
	c.foreignBlocks(dst, src, true)
}

var copies = sync.Pool{New: func() any { return new([batch]byte) }}

// foreignBlocks lets a foreign cipher work on a copy of src.
func (c *Cipher) foreignBlocks(dst, src []byte, decrypt bool) {
	buf := copies.Get().(*[batch]byte)
	defer func() {
		clear(buf[:])
		copies.Put(buf)
	}()
	size := c.foreign.BlockSize()
	for len(src) > 0 {
		n := copy(buf[:batch-batch%size], src)
		for i := 0; i < n; i += size {
			if decrypt {
				c.foreign.Decrypt(buf[i:i+size], buf[i:i+size])
			} else {
				c.foreign.Encrypt(buf[i:i+size], buf[i:i+size])
			}
		}
		copy(dst, buf[:n])
		dst, src = dst[n:], src[n:]
	}
}

// call returns how many of n bytes, whole blocks, one call of a routine works
// on. Most messages are spared the division.
func call(n, bound, size int) int {
	if n <= bound-maxBlock {
		return n
	}
	return min(n, bound-bound%size)
}

// lastBatch splits n bytes that end with a partial block. The first body bytes
// are worked where they lie. The rest, padded to padded bytes, goes through the
// cipher in a copy: the partial block then costs next to nothing, while by
// itself it would cost as much as a batch. padded is 0 if all blocks are whole.
func lastBatch(n, size int) (body, padded int) {
	if n%size == 0 {
		return n, 0
	}
	rest := n % (tailBatch - tailBatch%size)
	return n - rest, rest + size - rest%size
}
