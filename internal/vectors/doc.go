// Package vectors reads the test data of the testdata folder: the reference vectors
// (testdata/vectors, one file an algorithm) and the answers of a running kernel
// (testdata/kernel/vectors.json.gz), and knows which of the kernel's answers are to be
// compared with ours. It is for tests only.
package vectors

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Hex is a byte string that the files write in hexadecimal. It is nil where a file
// leaves the field out, and empty but not nil where the file has an empty value.
type Hex []byte

// UnmarshalText decodes hexadecimal.
func (h *Hex) UnmarshalText(text []byte) error {
	b := make([]byte, hex.DecodedLen(len(text)))
	if _, err := hex.Decode(b, text); err != nil {
		return err
	}
	*h = b
	return nil
}

func (h Hex) String() string { return hex.EncodeToString(h) }

// Dir is the testdata folder of the module that the working directory lies in. A test
// runs in the folder of its package, so this finds the folder from every package.
func Dir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "testdata"), nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("vectors: no go.mod above the working directory")
		}
		dir = parent
	}
}
