package ucrypt

import (
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"

	"ucrypt/internal/aes"
	"ucrypt/internal/alias"
	"ucrypt/internal/mode"
	"ucrypt/internal/sm4"
)

// NewCipher returns the block cipher of an algorithm such as "sm4" or of one of
// its drivers. The key is copied. Errors are those of Lookup, and a
// *KeySizeError. The block's methods are those of package ucrypt/sm4's.
func NewCipher(name string, key []byte) (cipher.Block, error) {
	r, _, err := open(name, TypeCipher, key)
	if err != nil {
		return nil, err
	}
	return mode.NewBlock("ucrypt", r.cipher(key)), nil
}

// open finds the driver of a name and checks its type and the key's size.
func open(name string, want Type, key []byte) (*row, Driver, error) {
	i, d, err := findDriver(name)
	if err != nil {
		return nil, Driver{}, err
	}
	if d.Type != want {
		return nil, Driver{}, &UnknownAlgorithmError{Name: name, Want: want.String(), Got: d.Type.String()}
	}
	low, high, step := table[i].keySizes()
	if len(key) < low || len(key) > high || (len(key)-low)%step != 0 {
		return nil, Driver{}, &KeySizeError{Name: name, Got: len(key), Min: low, Max: high, Step: step}
	}
	return &table[i], d, nil
}

// cipher expands key for the row's tier.
func (r *row) cipher(key []byte) mode.Cipher {
	c := cipherOf(r.tier, key)
	if r.template {
		return c.Composed()
	}
	return c
}

// cipherOf expands key for a tier of a block cipher.
func cipherOf(t tier, key []byte) mode.Cipher {
	switch t := t.(type) {
	case sm4.Tier:
		return mode.SM4(sm4.NewTier(t, (*[sm4.KeySize]byte)(key)))
	case aes.Tier:
		return mode.AES(aes.NewTier(t, key))
	}
	panic(fmt.Sprintf("ucrypt: no block cipher of type %T", t))
}

// Skcipher is a keyed cipher for messages of any length that its mode allows,
// without authentication. It is not changed by use: many goroutines may call
// one at once. Its calls do not allocate.
type Skcipher struct {
	driver    Driver
	algorithm algorithm
	multiple  int         // of this many bytes must a message be, a power of 2
	least     int         // and it must have this many
	queued    bool        // as cryptd(DRIVER)
	cipher    mode.Cipher // for the xts algorithms that of the tweak
	xts       mode.XTS    // for the xts algorithms
	essiv     mode.ESSIV  // instead of cipher for essiv
	// For cbc, cts and xts, if one call of a routine does all of a message: cipher's,
	// or for xts the data's and the tweak's.
	direct, tweak *aes.Cipher
}

// NewSkcipher returns the skcipher of an algorithm such as "cbc(sm4)", or of a
// driver such as "cbc-sm4-aesni-avx". The key is copied. Errors are those of
// Lookup, and a *KeySizeError.
func NewSkcipher(name string, key []byte) (*Skcipher, error) {
	r, d, err := open(name, TypeSkcipher, key)
	if err != nil {
		return nil, err
	}
	s := newSkcipher(r, d, key)
	s.queued = d.isCryptd()
	return s, nil
}

func newSkcipher(r *row, d Driver, key []byte) *Skcipher {
	s := &Skcipher{driver: d, algorithm: r.algorithm, multiple: 1}
	switch r.algorithm {
	case xts, xtsGB:
		// IEEE Std 1619-2018 section 5.1: the data key, then the tweak key.
		half := len(key) / 2
		s.cipher = r.cipher(key[half:])
		s.xts = mode.NewXTS(r.cipher(key[:half]), s.cipher, r.algorithm == xtsGB)
		s.direct, s.tweak = s.xts.Routine()
		s.least = blockSize
		return s
	case essiv:
		sum := sha256.Sum256(key)
		s.essiv = mode.NewESSIV(r.cipher(key), r.cipher(sum[:]))
		s.multiple = blockSize
		return s
	case ctsCS1, ctsCS2, ctsCS3:
		s.least = blockSize
	case ecb, cbc:
		s.multiple = blockSize
	}
	s.cipher = r.cipher(key)
	switch r.algorithm {
	case cbc:
		s.direct = s.cipher.CBCRoutine()
	case ctsCS3:
		s.direct = s.cipher.CTSRoutine()
	}
	return s
}

// errZeroSkcipher is the error of a value that no constructor made. It has no
// key: without the error it would leave a message as it is.
var errZeroSkcipher = errors.New("ucrypt: Skcipher that was not made by NewSkcipher")

// Driver returns the driver that serves s.
func (s *Skcipher) Driver() Driver { return s.driver }

// Encrypt encrypts src into the first len(src) bytes of dst, which may be
// longer, and replaces iv by the next one: for cbc the last ciphertext block;
// for cfb the last whole ciphertext block, or iv as it was if there is none;
// for ctr the counter after the last block, a partial block counted. With that
// iv a further call goes on with the message, if this one ended on a block
// boundary. xts, cts and essiv leave iv as it was, since each call is a message of its
// own, of at least 16 bytes. ecb takes an empty iv.
//
// dst may be src exactly. If it overlaps src in another way, or iv lies in one of
// them, that is an *OverlapError; a wrong length of iv, src or dst is an *IVSizeError, a
// *LengthError or a *ShortBufferError. With an error nothing has been written.
func (s *Skcipher) Encrypt(dst, src, iv []byte) error { return s.message(dst, src, iv, false) }

// Decrypt is the inverse of Encrypt, with the same rules and the same next iv.
// It cannot tell whether the ciphertext was changed.
func (s *Skcipher) Decrypt(dst, src, iv []byte) error { return s.message(dst, src, iv, true) }

// message is the work of Encrypt and Decrypt. A short message takes no longer
// than the calls that lead to it, so what is wrong with none is found out here,
// and what may be wrong with one is left to check.
func (s *Skcipher) message(dst, src, iv []byte, decrypt bool) error {
	n := len(src)
	if n == 0 || n&(s.multiple-1) != 0 || n < s.least || len(dst) < n || len(iv) != s.driver.IVSize || s.queued ||
		!alias.Together(dst, src) && !alias.Apart(dst[:n], src) || !alias.Apart(dst[:n], iv) || !alias.Apart(src, iv) {
		if err := s.check(dst, src, iv); err != nil {
			return err
		}
		if s.queued {
			return s.viaQueue(dst, src, iv, 0, 0, decrypt)
		}
	}
	if s.direct != nil && n <= aes.SerialCall {
		switch v := (*[blockSize]byte)(iv); s.algorithm {
		case cbc:
			if decrypt {
				s.direct.CBCDecrypt(dst, src, v)
			} else {
				s.direct.CBCEncrypt(dst, src, v)
			}
		case ctsCS3:
			if decrypt {
				s.direct.CTSDecrypt(dst, src, v)
			} else {
				s.direct.CTSEncrypt(dst, src, v)
			}
		case xts:
			if decrypt {
				s.direct.XTSDecrypt(s.tweak, dst, src, v)
			} else {
				s.direct.XTSEncrypt(s.tweak, dst, src, v)
			}
		}
		return nil
	}
	s.crypt(dst, src, iv, decrypt)
	return nil
}

// EncryptUnits encrypts src as data units of unitSize bytes, each by itself; the
// last one may be shorter, down to 16 bytes. Unit i, from 0 on, has the number
// first+i (which wraps at 2^64), and its iv is that number in little-endian
// order filled up with zeros, which dm-crypt calls plain64. The first len(src)
// bytes of dst are written; dst may be src exactly.
//
// Only the xts algorithms have data units: any other gives an
// *UnknownAlgorithmError. A unitSize under 16 bytes, and a length that leaves
// less than 16 bytes to the last unit, give a *LengthError.
func (s *Skcipher) EncryptUnits(dst, src []byte, unitSize int, first uint64) error {
	if err := s.checkUnits(dst, src, unitSize); err != nil {
		return err
	}
	if s.queued {
		return s.viaQueue(dst, src, nil, unitSize, first, false)
	}
	s.units(dst, src, unitSize, first, false)
	return nil
}

// DecryptUnits is the inverse of EncryptUnits, with the same rules.
func (s *Skcipher) DecryptUnits(dst, src []byte, unitSize int, first uint64) error {
	if err := s.checkUnits(dst, src, unitSize); err != nil {
		return err
	}
	if s.queued {
		return s.viaQueue(dst, src, nil, unitSize, first, true)
	}
	s.units(dst, src, unitSize, first, true)
	return nil
}

func (s *Skcipher) checkUnits(dst, src []byte, unitSize int) error {
	if s.algorithm == oneBlock {
		return errZeroSkcipher
	}
	if s.algorithm != xts && s.algorithm != xtsGB {
		return &UnknownAlgorithmError{Name: s.driver.Name, Want: "an xts algorithm, which has data units", Got: s.driver.Type.String()}
	}
	if unitSize < blockSize {
		return &LengthError{Name: s.driver.Name, Got: unitSize, Want: "data units of at least 16"}
	}
	if rest := len(src) % unitSize; rest != 0 && rest < blockSize {
		return &LengthError{Name: s.driver.Name, Got: len(src), Want: fmt.Sprintf("data units of %d, the last of at least 16", unitSize)}
	}
	if len(dst) < len(src) {
		return &ShortBufferError{Name: s.driver.Name, Got: len(dst), Want: len(src)}
	}
	if alias.InexactOverlap(dst[:len(src)], src) {
		return &OverlapError{Name: s.driver.Name}
	}
	return nil
}

// check refuses what the mode cannot do, before anything is written.
func (s *Skcipher) check(dst, src, iv []byte) error {
	if s.algorithm == oneBlock {
		return errZeroSkcipher
	}
	if len(iv) != s.driver.IVSize {
		return &IVSizeError{Name: s.driver.Name, Got: len(iv), Want: s.driver.IVSize}
	}
	if s.multiple > 1 && len(src)%s.multiple != 0 {
		return &LengthError{Name: s.driver.Name, Got: len(src), Want: fmt.Sprintf("a multiple of %d", s.multiple)}
	}
	if len(src) < s.least {
		return &LengthError{Name: s.driver.Name, Got: len(src), Want: fmt.Sprintf("at least %d", s.least)}
	}
	if len(dst) < len(src) {
		return &ShortBufferError{Name: s.driver.Name, Got: len(dst), Want: len(src)}
	}
	if alias.InexactOverlap(dst[:len(src)], src) || alias.AnyOverlap(dst[:len(src)], iv) || alias.AnyOverlap(src, iv) {
		return &OverlapError{Name: s.driver.Name}
	}
	return nil
}

// crypt works on checked buffers.
func (s *Skcipher) crypt(dst, src, iv []byte, decrypt bool) {
	c := &s.cipher
	switch s.algorithm {
	case ecb:
		if decrypt {
			mode.DecryptECB(c, dst, src)
		} else {
			mode.EncryptECB(c, dst, src)
		}
	case cbc:
		if decrypt {
			mode.DecryptCBC(c, dst, src, iv)
		} else {
			mode.EncryptCBC(c, dst, src, iv)
		}
	case cfb:
		if decrypt {
			mode.DecryptCFB(c, dst, src, iv)
		} else {
			mode.EncryptCFB(c, dst, src, iv)
		}
	case ctr:
		mode.CTR(c, dst, src, iv)
	case xts, xtsGB:
		if decrypt {
			mode.DecryptXTS(&s.xts, dst, src, iv)
		} else {
			mode.EncryptXTS(&s.xts, dst, src, iv)
		}
	case essiv:
		if decrypt {
			mode.DecryptESSIV(&s.essiv, dst, src, iv)
		} else {
			mode.EncryptESSIV(&s.essiv, dst, src, iv)
		}
	case ctsCS1:
		s.cryptCTS(mode.CS1, dst, src, iv, decrypt)
	case ctsCS2:
		s.cryptCTS(mode.CS2, dst, src, iv, decrypt)
	case ctsCS3:
		s.cryptCTS(mode.CS3, dst, src, iv, decrypt)
	}
}

func (s *Skcipher) cryptCTS(variant mode.CTS, dst, src, iv []byte, decrypt bool) {
	if decrypt {
		mode.DecryptCTS(&s.cipher, variant, dst, src, iv)
	} else {
		mode.EncryptCTS(&s.cipher, variant, dst, src, iv)
	}
}
