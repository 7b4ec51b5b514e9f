package main

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"ucrypt"
	aead "ucrypt/internal/mode"
)

// aeadFlags are the flags of modes that authenticate.
type aeadFlags struct {
	data     string
	dataFile string
	tagSize  int
}

const (
	usualNonce = 12 // bytes
	usualTag   = 16
	// maxAssociated bounds the associated data, which is held in memory.
	maxAssociated = 16 << 20
)

// sealing is the work of an AEAD on the whole input, whose ciphertext is followed by
// the tag.
type sealing struct {
	aead   partedAEAD
	name   string // of the algorithm
	nonce  []byte
	data   []byte // associated
	begun  aead.Message
	length int64 // of the plaintext up to now
}

// partedAEAD is an AEAD that works on a message in parts too.
type partedAEAD interface {
	cipher.AEAD
	MaxLength() int64
	Begin(nonce, additionalData []byte, length int64) aead.Message
}

// checkAEAD refuses flags of authentication that the mode has not, and sizes that it
// has not.
func (r *crypt) checkAEAD(d ucrypt.Driver, m mode, nonce []byte) error {
	for _, flag := range []string{"aad", "aad-file", "tag-size"} {
		if r.given(flag) && !m.aead {
			return usagef("--%s is for modes that authenticate (%s), which %s is not", flag, modeNames(func(m mode) bool { return m.aead }), d.Name)
		}
	}
	if !m.aead {
		return nil
	}
	if r.given("aad") && r.given("aad-file") {
		return usagef("--aad and --aad-file exclude each other")
	}
	a, err := ucrypt.NewAEAD(d.DriverName, make([]byte, d.MinKeySize), len(nonce), r.aead.tagSize)
	var nonceSize *ucrypt.NonceSizeError
	var tagSize *ucrypt.TagSizeError
	switch {
	case errors.As(err, &nonceSize):
		return usagef("--iv: %d bytes, want %s for %s, best %d", nonceSize.Got, nonceSize.Want, d.Name, usualNonce)
	case errors.As(err, &tagSize):
		return usagef("--tag-size: %d, want %s bytes for %s", tagSize.Got, tagSize.Want, d.Name)
	case err != nil:
		return err
	}
	if _, ok := a.(partedAEAD); !ok {
		return usagef("%s works on messages in memory only; name the driver in it", d.DriverName)
	}
	return nil
}

// nonce returns what --iv says. Which sizes there are is for checkAEAD to say.
func (r *crypt) nonce(d ucrypt.Driver) ([]byte, error) {
	want := hexDigits(usualNonce, usualNonce)
	if !r.given("iv") {
		return nil, usagef("%s needs an iv: give --iv with %s", d.Name, want)
	}
	return decodeHex("--iv", r.iv, want)
}

// newSealing returns the work on a message under a key.
func (r *crypt) newSealing(d ucrypt.Driver, key, nonce []byte) (*sealing, error) {
	s := &sealing{name: d.Name, nonce: nonce}
	var err error
	if r.given("aad-file") {
		s.data, err = readAssociated(r.aead.dataFile)
	} else {
		s.data, err = decodeHex("--aad", r.aead.data, "an even number of hex digits")
	}
	if err != nil {
		return nil, err
	}
	a, err := ucrypt.NewAEAD(d.DriverName, key, len(nonce), r.aead.tagSize)
	if err != nil {
		return nil, err
	}
	s.aead = a.(partedAEAD) // see checkAEAD
	return s, nil
}

func readAssociated(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, named(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAssociated+1))
	if err != nil {
		return nil, named(name, err)
	}
	if len(data) > maxAssociated {
		return nil, fmt.Errorf("%s: associated data of more than %d bytes, which is held in memory", name, maxAssociated)
	}
	return data, nil
}

// needsLength reports whether the input's length has to be known before its first
// byte is worked on.
func (s *sealing) needsLength() bool { _, ok := s.aead.(*aead.CCM); return ok }

// begin starts the work on an input of size bytes; -1 stands for an unknown number.
func (s *sealing) begin(size int64, decrypt bool) {
	if decrypt && size >= 0 {
		size -= int64(s.aead.Overhead())
	}
	s.begun = s.aead.Begin(s.nonce, s.data, size)
}

// checkSize refuses an input of so many bytes if the mode cannot work on it.
func (s *sealing) checkSize(size int64, decrypt bool) error {
	tag := int64(s.aead.Overhead())
	most := s.aead.MaxLength()
	if !decrypt {
		tag = 0
	}
	switch {
	case size < tag:
		return fmt.Errorf("input of %d bytes, want at least the tag's %d for %s", size, tag, s.name)
	case size-tag > most:
		return s.tooLong()
	}
	return nil
}

func (s *sealing) tooLong() error {
	return fmt.Errorf("input of more than %d bytes, which are the longest message of %s with an iv of %d bytes", s.aead.MaxLength(), s.name, len(s.nonce))
}

var errAuthentication = errors.New("authentication failed: wrong key, iv, associated data or tag size, or the input was changed")

// work encrypts or decrypts a chunk in place. The last one has or gets the tag.
func (s *sealing) work(c *chunk, decrypt bool) error {
	var tag []byte
	if decrypt && c.last {
		end := len(c.data) - s.aead.Overhead()
		c.data, tag = c.data[:end], c.data[end:]
	}
	if s.length += int64(len(c.data)); s.length > s.aead.MaxLength() {
		return s.tooLong()
	}
	if !decrypt {
		s.begun.Encrypt(c.data, c.data)
		if c.last {
			c.data = append(c.data, s.begun.Tag()...)
		}
		return nil
	}
	s.begun.Decrypt(c.data, c.data)
	if c.last && s.begun.Check(tag) != nil {
		return errAuthentication
	}
	return nil
}

// gather returns the size of the input, -1 if that is unknown and need not be known.
// To know it, the input is read to its end and kept.
func (s *sealing) gather(p *pipeline, in *input) (int64, *spool, error) {
	kept := &spool{}
	if in.size >= 0 || !s.needsLength() {
		return in.size, kept, nil
	}
	r := io.Reader(struct{ io.Reader }{in})
	if most := s.aead.MaxLength(); most < math.MaxInt64-usualTag {
		r = io.LimitReader(r, most+usualTag+1) // more than there can be is not kept
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{kept}, r, make([]byte, chunkSize))
	if err == nil {
		err = p.checkSize(kept.size)
	}
	if err == nil {
		p.in, err = kept.reader()
	}
	if err != nil {
		kept.close()
	}
	return kept.size, kept, err
}
