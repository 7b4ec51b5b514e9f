package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"io"
	"os"
)

// spoolMemory is how much a spool keeps in memory.
const spoolMemory = 4 << 20

// spool keeps data until it is wanted: plaintext whose tag was not checked yet, or an
// input whose length has to be known first. What is longer than spoolMemory goes to a
// temporary file, which only its owner can read, which has no name where that is
// possible, and which is encrypted with a random key that only this process has.
type spool struct {
	memory []byte
	size   int64
	file   *os.File // nil while memory is enough
	block  cipher.Block
	stream cipher.Stream
	name   string // of the file, while it has one
	forget func()
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(p) <= spoolMemory {
		if s.memory == nil {
			s.memory = make([]byte, 0, spoolMemory)
		}
		s.memory = append(s.memory, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if err := s.create(); err != nil {
			return 0, err
		}
		if err := s.spill(s.memory); err != nil {
			return 0, err
		}
		s.memory = s.memory[:0]
	}
	if err := s.spill(p); err != nil {
		return 0, err
	}
	s.size += int64(len(p))
	return len(p), nil
}

// spill encrypts p, which is not changed, into the file.
func (s *spool) spill(p []byte) error {
	var buf [32 << 10]byte
	for len(p) > 0 {
		n := copy(buf[:], p)
		s.stream.XORKeyStream(buf[:n], buf[:n])
		if _, err := s.file.Write(buf[:n]); err != nil {
			return named(s.file.Name(), err)
		}
		p = p[n:]
	}
	return nil
}

func (s *spool) create() error {
	var key [32]byte
	rand.Read(key[:])
	var err error
	if s.block, err = aes.NewCipher(key[:]); err != nil {
		return err
	}
	clear(key[:])
	uninterrupted(func() {
		if s.file, err = os.CreateTemp("", "ucrypt-*.tmp"); err != nil {
			return
		}
		if os.Remove(s.file.Name()) != nil { // not while it is open, on some systems
			s.name = s.file.Name()
			s.forget = onSignal(s.remove)
		}
	})
	if err != nil {
		return named(os.TempDir(), err)
	}
	s.rewindKey()
	return nil
}

// rewindKey goes back to the start of the key stream, whose key is used for this one
// text: the iv is zero.
func (s *spool) rewindKey() { s.stream = cipher.NewCTR(s.block, make([]byte, aes.BlockSize)) }

// reader returns what reads all that was written.
func (s *spool) reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory), nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, named(s.file.Name(), err)
	}
	s.rewindKey()
	return cipher.StreamReader{S: s.stream, R: s.file}, nil
}

// release writes all that was written to w.
func (s *spool) release(w io.Writer) error {
	r, err := s.reader()
	if err == nil {
		// Not more at once than a pipe's reader wants to wait for.
		_, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, chunkSize))
	}
	return err
}

// close leaves no trace of the data.
func (s *spool) close() {
	if s.file == nil {
		return
	}
	uninterrupted(func() {
		s.remove()
		if s.forget != nil {
			s.forget()
		}
	})
}

func (s *spool) remove() {
	s.file.Close()
	if s.name != "" {
		os.Remove(s.name)
	}
}
