package main

import (
	"hash"
	"slices"
	"strings"

	"ucrypt"
)

// minMAC is the length in bits of the shortest MAC: a shorter one is guessed too soon.
const minMAC = 32

// isMAC reports whether d is a MAC over a cipher.
func isMAC(d ucrypt.Driver) bool {
	outer, _, _ := strings.Cut(d.Name, "(")
	return d.Type == ucrypt.TypeShash && slices.Contains([]string{"cmac", "xcbc", "cbcmac"}, outer)
}

// macFamily returns the family of a MAC. Its digests of another length are the first
// bytes of the whole one.
func macFamily(d ucrypt.Driver) *family {
	return &family{tag: d.Name, name: d.Name, maxBits: 8 * d.DigestSize, mac: &d}
}

// tagged are the families whose lines are known by their tags.
func (s *checksum) tagged() []*family {
	if s.family.mac != nil {
		return []*family{s.family}
	}
	return families
}

// macLength returns the length of the MACs in bits.
func (s *checksum) macLength() (int, error) {
	bits, err := s.parseLength()
	switch {
	case err != nil:
		return 0, err
	case bits == 0:
		return s.family.maxBits, nil
	case bits < minMAC:
		return 0, usagef("--length %d: want %d to %d for %s", bits, minMAC, s.family.maxBits, s.family.name)
	}
	return bits, nil
}

// prepareMAC reads the key.
func (s *checksum) prepareMAC() error {
	d := *s.family.mac
	if !s.given("key-file") {
		return usagef("%s needs a key: give --key-file with a FILE of %s raw bytes", s.family.name, rawSizes(d))
	}
	key, err := readKeyFile(s.keyFile, d)
	if err != nil {
		return err
	}
	s.key = key
	_, err = s.newHash(kind{s.family, s.bits})
	return err
}

func (s *checksum) newMAC(k kind) (hash.Hash, error) {
	h, err := ucrypt.NewHash(k.mac.DriverName, s.key)
	if err != nil {
		return nil, err
	}
	return cutHash{h, k.bits / 8}, nil
}

// cutHash is a hash of whose digests only the first bytes are wanted.
type cutHash struct {
	hash.Hash
	size int
}

func (h cutHash) Size() int { return h.size }

func (h cutHash) Sum(b []byte) []byte { return h.Hash.Sum(b)[:len(b)+h.size] }
