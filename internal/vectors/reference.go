package vectors

import (
	"crypto/aes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is one file of reference vectors.
type File struct {
	Name      string   `json:"-"` // "sm4-ecb.json"
	Algorithm string   `json:"algorithm"`
	Sources   []Source `json:"source"`
	Tests     []Test   `json:"tests"`
}

// Source says where vectors of a file come from.
type Source struct {
	Key, Name, Where, Note string
}

// Test is one reference vector. Hashes and MACs have the message in Plaintext and the
// digest in Tag.
type Test struct {
	ID         string `json:"id"`
	Source     string `json:"source"` // keys of all sources that have it, joined by +
	Key        Hex    `json:"key"`
	IV         Hex    `json:"iv"`
	AAD        Hex    `json:"aad"`
	Plaintext  Hex    `json:"plaintext"`
	Ciphertext Hex    `json:"ciphertext"`
	Tag        Hex    `json:"tag"`
	Iterations int    `json:"iterations"` // 0: once
	RoundKeys  Hex    `json:"round_keys"`
	Result     string `json:"result"` // "valid" or "invalid"
	Comment    string `json:"comment"`
	Verified   bool   `json:"verified"`
}

// Valid reports whether the test's answer is to be reproduced. An invalid one is to be
// refused.
func (t *Test) Valid() bool { return t.Result == "valid" }

// Files reads all files of reference vectors, in the order of their names, and after them
// those that follow from them: see stealing and hashes.
func Files() ([]*File, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "vectors", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("vectors: none in %s", filepath.Join(dir, "vectors"))
	}
	var files []*File
	for _, path := range paths {
		f, err := readFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, f := range files {
		if f.Algorithm == "gcm(aes)" {
			files = append(files, f.hashes())
		}
		cipher, ok := strings.CutPrefix(f.Algorithm, "cts(")
		if !ok {
			continue
		}
		for variant := 1; variant <= 2; variant++ {
			name := fmt.Sprintf("cts-cs%d(%s", variant, cipher)
			if !slices.ContainsFunc(files, func(f *File) bool { return f.Algorithm == name }) {
				files = append(files, f.stealing(name, variant))
			}
		}
	}
	return files, nil
}

// stealing makes the vectors of CS1 or CS2 from those of CS3, the kernel's: the same
// bytes in another order. CS3 always has the last block before the stolen one, CS2 only
// if the stolen one is partial, and CS1 never.
func (f *File) stealing(name string, variant int) *File {
	g := &File{Name: f.Name, Algorithm: name, Sources: f.Sources, Tests: slices.Clone(f.Tests)}
	for i := range g.Tests {
		t := &g.Tests[i]
		n := len(t.Ciphertext)
		if n <= 16 || variant == 2 && n%16 != 0 {
			continue
		}
		head := n - 16 - ((n-1)%16 + 1)
		t.Ciphertext = slices.Concat(t.Ciphertext[:head], t.Ciphertext[head+16:], t.Ciphertext[head:head+16])
	}
	return g
}

// hashes makes the vectors of GHASH from those of GCM over AES with nonces of 12 bytes:
// a whole tag is the GHASH of what is authenticated, plus the encryption of the first
// counter block (NIST SP 800-38D section 7.1).
func (f *File) hashes() *File {
	g := &File{Name: f.Name, Algorithm: "ghash", Sources: f.Sources}
	for _, t := range f.Tests {
		if !t.Valid() || len(t.IV) != 12 || len(t.Tag) != 16 {
			continue
		}
		b, err := aes.NewCipher(t.Key)
		if err != nil {
			continue
		}
		h, mask := make(Hex, 16), append(slices.Clone(t.IV), 0, 0, 0, 1)
		b.Encrypt(h, h)
		b.Encrypt(mask, mask)
		text := Hex{}
		for _, part := range [][]byte{t.AAD, t.Ciphertext} {
			text = append(text, part...)
			text = append(text, make([]byte, -len(part)&15)...)
		}
		text = binary.BigEndian.AppendUint64(text, uint64(8*len(t.AAD)))
		text = binary.BigEndian.AppendUint64(text, uint64(8*len(t.Ciphertext)))
		for i := range mask {
			mask[i] ^= t.Tag[i]
		}
		g.Tests = append(g.Tests, Test{ID: t.ID, Source: t.Source, Key: h, Plaintext: text, Tag: mask, Result: t.Result, Comment: t.Comment, Verified: t.Verified})
	}
	return g
}

// For returns the reference vectors of one algorithm, nil if there are none.
func For(algorithm string) (*File, error) {
	files, err := Files()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Algorithm == algorithm {
			return f, nil
		}
	}
	return nil, nil
}

func readFile(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Name: filepath.Base(path)}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("vectors: %s: %w", f.Name, err)
	}
	// The files call stealing by the standard's names, the registry by the kernel's.
	if cipher, ok := strings.CutPrefix(f.Algorithm, "cbc-cs"); ok {
		variant, cipher, _ := strings.Cut(cipher, "(")
		f.Algorithm = "cts-cs" + variant + "(cbc(" + cipher + ")"
	}
	for i := range f.Tests {
		if t := &f.Tests[i]; t.Result != "valid" && t.Result != "invalid" {
			return nil, fmt.Errorf("vectors: %s: %s: result %q", f.Name, t.ID, t.Result)
		}
	}
	return f, nil
}
