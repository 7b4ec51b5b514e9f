package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"ucrypt"
)

// TestLibgcrypt compares files of sectors, as dm-crypt numbers them, with what
// libgcrypt makes of them sector by sector.
func TestLibgcrypt(t *testing.T) {
	needCommand(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		missing(t, "gcc is not installed")
	}
	reference := filepath.Join(t.TempDir(), "gcrypt_xts")
	if out, err := exec.Command("gcc", "-O2", "-o", reference, filepath.Join("testdata", "gcrypt_xts.c"), "-lgcrypt").CombinedOutput(); err != nil {
		t.Logf("%s", out)
		missing(t, "libgcrypt's headers are not installed (Debian: libgcrypt20-dev)")
	}
	for _, c := range []struct {
		algorithm, name string
		key             int
	}{{"xts(sm4)", "SM4", 32}, {"xts(aes)", "AES", 32}, {"xts(aes)", "AES256", 64}} {
		if _, err := ucrypt.Lookup(c.algorithm); errors.As(err, new(*ucrypt.UnknownAlgorithmError)) {
			continue
		}
		key := hex.EncodeToString(randomBytes(c.key))
		for _, s := range []struct {
			size  int
			large bool
		}{{512, false}, {4096, false}, {4096, true}, {528, true}, {520, true}} {
			n := 3*chunkSize/s.size*s.size + 57
			if testing.Short() {
				n = 20*s.size + 57
			}
			for _, first := range []uint64{0, 8 << 40, 1<<64 - 1 - 8*uint64(n/s.size)} {
				step := s.size / 512
				args := []string{"-c", c.algorithm, "--key", key, "--first-sector", strconv.FormatUint(first, 10), "--sector-size", strconv.Itoa(s.size)}
				if s.large {
					step = 1
					args = append(args, "--iv-large-sectors")
				}
				plain := randomBytes(n)
				want := commandOutput(t, plain, reference, c.name, key, strconv.Itoa(s.size), strconv.FormatUint(first, 10), strconv.Itoa(step))
				what := fmt.Sprintf("%s, key of %d bytes, sectors of %d from %d on, large numbering %v", c.algorithm, c.key, s.size, first, s.large)
				if got := commandOutput(t, plain, "ucrypt", append([]string{"enc"}, args...)...); !bytes.Equal(got, want) {
					t.Errorf("%s: enc differs from libgcrypt", what)
				}
				if got := commandOutput(t, want, "ucrypt", append([]string{"dec"}, args...)...); !bytes.Equal(got, plain) {
					t.Errorf("%s: dec does not undo libgcrypt", what)
				}
			}
		}
	}
}
