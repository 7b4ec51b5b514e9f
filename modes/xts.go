package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"

	"ucrypt/internal/mode"
)

// xtsBlock is the block size in bytes that XTS is defined for, and the length
// of the shortest data unit.
const xtsBlock = 16

// XTSOption changes what NewXTS makes.
type XTSOption uint8

const (
	// XTSGB selects the XTS of GB/T 17964-2021, which OpenSSL means by
	// SM4-XTS, instead of that of IEEE Std 1619-2018, which the kernel means
	// by xts(sm4). Neither can decrypt the other's data units, unless they are
	// of a single block.
	XTSGB XTSOption = iota + 1

	// XTSDistinctKeys refuses a key whose halves are equal, as FIPS 140-3 asks
	// (Implementation Guidance C.I). Without it they are accepted, as by the
	// kernel when it is not in FIPS mode.
	XTSDistinctKeys
)

// XTS encrypts data units, such as the sectors of a disk, each with a tweak
// that depends on where it lies: IEEE Std 1619-2018, NIST SP 800-38E; with the
// option XTSGB, GB/T 17964-2021. A data unit has at least 16 bytes and need not
// be a multiple of 16 (ciphertext stealing). NIST SP 800-38E limits it to 2^20
// blocks, 16 MiB, which is not enforced here.
//
// XTS does not authenticate: whoever can change a block of ciphertext can turn
// its 16 bytes of plaintext into others, though not into ones of their choice,
// or put an older version of it back. The same data in the same place gives the
// same ciphertext. It is for storage that has no room for more; elsewhere use
// an AEAD.
//
// An XTS is not changed by use: many goroutines may share it. Its methods do
// not allocate. They write the result to the first len(src) bytes of dst, which
// may be longer. dst may be src exactly. They panic, before anything is
// written, if dst is shorter than src, if dst overlaps src in another way or
// the tweak in any, or if a data unit has fewer than 16 bytes.
//
// Apart from the cipher, whose constant-time status it has, no branch or memory
// address depends on keys, tweaks or data.
type XTS struct {
	x mode.XTS
}

// NewXTS returns the XTS of a cipher with blocks of 16 bytes, such as
// sm4.NewCipher or aes.NewCipher. key is the key of the data followed by the
// key of the tweaks, in halves of equal length: 32 bytes for SM4; 32, 48 or 64
// for AES. It is not kept. The default is IEEE Std 1619-2018.
//
// crypto/aes's NewCipher is as fast as that of ucrypt/aes: NewXTS knows a block
// of crypto/aes, expands the key itself, and uses that if both encrypt a test
// block alike. The cipher of any other constructor is used as it is.
//
// NewXTS returns an error for a key of odd length, for the errors of newCipher,
// which it wraps, and for a cipher with other blocks. It panics if an option is
// none of the above.
func NewXTS(newCipher func(key []byte) (cipher.Block, error), key []byte, options ...XTSOption) (*XTS, error) {
	gb, distinct := false, false
	for _, option := range options {
		switch option {
		case XTSGB:
			gb = true
		case XTSDistinctKeys:
			distinct = true
		default:
			panic("modes: unknown XTS option " + strconv.Itoa(int(option)))
		}
	}
	if len(key)%2 != 0 {
		return nil, fmt.Errorf("modes: XTS key of %d bytes, want two halves of equal length", len(key))
	}
	half := len(key) / 2
	data, err := newBlock(newCipher, key[:half])
	if err != nil {
		return nil, fmt.Errorf("modes: half of an XTS key of %d bytes: %w", len(key), err)
	}
	tweak, err := newBlock(newCipher, key[half:])
	if err != nil {
		return nil, fmt.Errorf("modes: half of an XTS key of %d bytes: %w", len(key), err)
	}
	for _, b := range []cipher.Block{data, tweak} {
		if size := b.BlockSize(); size != xtsBlock {
			return nil, fmt.Errorf("modes: XTS of a cipher with blocks of %d bytes, want %d", size, xtsBlock)
		}
	}
	if distinct && subtle.ConstantTimeCompare(key[:half], key[half:]) == 1 {
		return nil, errors.New("modes: the halves of the XTS key are equal")
	}
	return &XTS{mode.NewXTS(ofKey(data, key[:half]), ofKey(tweak, key[half:]), gb)}, nil
}

// Encrypt encrypts src as the data unit of the given number, as the method of
// the same name in golang.org/x/crypto/xts does. The tweak is the number in
// little-endian order, filled up with zeros to 16 bytes.
func (x *XTS) Encrypt(dst, src []byte, sector uint64) {
	x.check(dst, src, nil)
	mode.EncryptXTSUnits(&x.x, dst, src, len(src), sector)
}

// Decrypt is the inverse of Encrypt.
func (x *XTS) Decrypt(dst, src []byte, sector uint64) {
	x.check(dst, src, nil)
	mode.DecryptXTSUnits(&x.x, dst, src, len(src), sector)
}

// EncryptTweak encrypts src as one data unit with any tweak. tweak is the value
// before its encryption (i in IEEE Std 1619-2018, the kernel's iv); it is only
// read.
func (x *XTS) EncryptTweak(dst, src []byte, tweak *[16]byte) {
	x.check(dst, src, tweak[:])
	mode.EncryptXTS(&x.x, dst, src, tweak[:])
}

// DecryptTweak is the inverse of EncryptTweak.
func (x *XTS) DecryptTweak(dst, src []byte, tweak *[16]byte) {
	x.check(dst, src, tweak[:])
	mode.DecryptXTS(&x.x, dst, src, tweak[:])
}

// EncryptUnits encrypts src as consecutive data units of unitSize bytes that
// are numbered from first on (modulo 2^64). It gives what Encrypt gives unit by
// unit, faster: dm-crypt's plain64. The last unit may be shorter, down to 16
// bytes. An empty src has no units and is left alone.
func (x *XTS) EncryptUnits(dst, src []byte, unitSize int, first uint64) {
	checkUnits(dst, src, unitSize)
	mode.EncryptXTSUnits(&x.x, dst, src, unitSize, first)
}

// DecryptUnits is the inverse of EncryptUnits. unitSize must be that of the
// encryption: two units of 32 bytes are not one of 64.
func (x *XTS) DecryptUnits(dst, src []byte, unitSize int, first uint64) {
	checkUnits(dst, src, unitSize)
	mode.DecryptXTSUnits(&x.x, dst, src, unitSize, first)
}

func (x *XTS) check(dst, src, tweak []byte) {
	if len(src) < xtsBlock {
		panic("modes: XTS data unit of " + strconv.Itoa(len(src)) + " bytes, want at least 16")
	}
	checkBuffers(dst, src, tweak)
}

func checkUnits(dst, src []byte, unitSize int) {
	if unitSize < xtsBlock {
		panic("modes: XTS data units of " + strconv.Itoa(unitSize) + " bytes, want at least 16")
	}
	if last := len(src) % unitSize; last != 0 && last < xtsBlock {
		panic("modes: last XTS data unit of " + strconv.Itoa(last) + " bytes, want at least 16")
	}
	checkBuffers(dst, src, nil)
}
