package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"ucrypt"
)

// sealed returns a pipeline of an AEAD over an input of size bytes.
func sealed(t *testing.T, name string, nonce, data []byte, tagSize, size int, decrypt bool) (*pipeline, partedAEAD) {
	t.Helper()
	a, err := ucrypt.NewAEAD(name, randomBytes(16), len(nonce), tagSize)
	if err != nil {
		t.Fatal(err)
	}
	m := modes[name[:3]]
	p := &pipeline{sealing: &sealing{aead: a.(partedAEAD), name: name, nonce: nonce, data: data}, mode: m, decrypt: decrypt, threads: 3, size: 64}
	p.sealing.begin(int64(size), decrypt)
	return p, a.(partedAEAD)
}

// TestSealing compares chunks with one call for the whole, for lengths around theirs.
func TestSealing(t *testing.T) {
	for _, name := range []string{"gcm(sm4)", "ccm(sm4)"} {
		for n := range 300 {
			tagSize := []int{16, 4, 8, 12, 14}[n%5]
			nonce, data, plain := randomBytes(7+n%7), randomBytes(n%40), randomBytes(n)
			_, a := sealed(t, name, nonce, data, tagSize, n, false)
			want := a.Seal(nil, nonce, plain, data)
			wrong := slices.Clone(want)
			wrong[(n*7+5)%len(wrong)] ^= 1 << (n % 8)
			for _, positioned := range []bool{false, true} {
				run := func(in []byte, decrypt bool) ([]byte, error) {
					p, _ := sealed(t, name, nonce, data, tagSize, len(in), decrypt)
					file, stream := &memoryFile{}, &bytes.Buffer{}
					if positioned {
						p.inAt, p.total, p.outAt = bytes.NewReader(in), int64(len(in)), file
					} else {
						p.in, p.out = iotest.HalfReader(bytes.NewReader(in)), stream
					}
					err := p.check()
					if err == nil {
						err = p.run(func(int) {})
					}
					if err != nil {
						return nil, err // a worker that waited for another may still be writing
					}
					return append(file.data, stream.Bytes()...), nil
				}
				if got, err := run(plain, false); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s, %d bytes, positioned %v: %x, error %v, want %x", name, n, positioned, got, err, want)
				}
				if got, err := run(want, true); err != nil || !bytes.Equal(got, plain) {
					t.Fatalf("%s, %d bytes, positioned %v: %x, error %v, want %x", name, n, positioned, got, err, plain)
				}
				if _, err := run(wrong, true); !errors.Is(err, errAuthentication) {
					t.Fatalf("%s, %d bytes, positioned %v: a wrong bit: error %v", name, n, positioned, err)
				}
				if name == "gcm(sm4)" { // the length is not authenticated before the end
					if _, err := run(want[:len(want)-1], true); len(want) > tagSize && !errors.Is(err, errAuthentication) {
						t.Fatalf("%s, %d bytes, positioned %v: cut: error %v", name, n, positioned, err)
					}
				}
			}
		}
	}
}

// TestSealingTooLong: what a mode cannot work on is refused, known before or not.
func TestSealingTooLong(t *testing.T) {
	for _, c := range []struct {
		name      string
		nonceSize int
		most      int64
	}{{"gcm(sm4)", 12, 1<<36 - 32}, {"gcm(sm4)", 1, 1<<36 - 32}, {"ccm(sm4)", 13, 1<<16 - 1}, {"ccm(sm4)", 12, 1<<24 - 1}, {"ccm(sm4)", 8, 1<<56 - 1}} {
		want := fmt.Sprintf("input of more than %d bytes, which are the longest message of %s with an iv of %d bytes", c.most, c.name, c.nonceSize)
		p, _ := sealed(t, c.name, make([]byte, c.nonceSize), nil, 16, 16, false)
		p.inAt, p.total = bytes.NewReader(nil), c.most
		if err := p.check(); err != nil {
			t.Errorf("%s: %d bytes: %v", c.name, c.most, err)
		}
		p.total++
		if err := p.check(); err == nil || err.Error() != want {
			t.Errorf("%s: %d bytes: error %v", c.name, p.total, err)
		}
		p.decrypt, p.total = true, c.most+16
		if err := p.check(); err != nil {
			t.Errorf("%s: decryption of %d bytes: %v", c.name, p.total, err)
		}
		p.total++
		if err := p.check(); err == nil || err.Error() != want {
			t.Errorf("%s: decryption of %d bytes: error %v", c.name, p.total, err)
		}
	}
	p, _ := sealed(t, "gcm(sm4)", make([]byte, 12), nil, 16, 16, false)
	p.sealing.length = 1<<36 - 32 - 99 // as after a long pipe
	var written atomic.Int64           // a worker that waited for another may still be writing
	p.in, p.out = bytes.NewReader(make([]byte, 100)), writerFunc(func(b []byte) (int, error) {
		written.Add(int64(len(b)))
		return len(b), nil
	})
	if err := p.run(func(int) {}); err == nil || written.Load() > 64 {
		t.Errorf("a pipe that is too long: error %v, %d bytes", err, written.Load())
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestSpool: what goes in comes out, from memory or from a file that shows nothing.
func TestSpool(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for _, n := range []int{0, 1, spoolMemory - 1, spoolMemory, spoolMemory + 1, 2*spoolMemory + 12345} {
		data := randomBytes(n)
		var s spool
		for at := 0; at < n; {
			k := min(n-at, 1+at%chunkSize)
			if w, err := s.Write(data[at : at+k]); err != nil || w != k {
				t.Fatal(w, err)
			}
			at += k
		}
		if s.size != int64(n) || (s.file != nil) != (n > spoolMemory) {
			t.Errorf("%d bytes: size %d, a file: %v", n, s.size, s.file != nil)
		}
		if s.file != nil {
			info, err := s.file.Stat()
			if err != nil || info.Mode().Perm() != 0o600 || info.Size() != int64(n) {
				t.Errorf("%d bytes: a file of %d bytes with mode %o, error %v", n, info.Size(), info.Mode().Perm(), err)
			}
			hidden := make([]byte, n)
			if _, err := s.file.ReadAt(hidden, 0); err != nil {
				t.Fatal(err)
			}
			for at := 0; at+16 <= n; at += 16 {
				if bytes.Equal(hidden[at:at+16], data[at:at+16]) {
					t.Fatalf("%d bytes: the file shows what it holds", n)
				}
			}
		}
		var out bytes.Buffer
		if err := s.release(&out); err != nil || !bytes.Equal(out.Bytes(), data) {
			t.Errorf("%d bytes: other ones come out, error %v", n, err)
		}
		if r, err := s.reader(); err != nil {
			t.Error(err)
		} else if again, err := io.ReadAll(r); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%d bytes: other ones come out again, error %v", n, err)
		}
		s.close()
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
		t.Errorf("%v are left, error %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "nowhere"))
	var s spool
	if _, err := s.Write(make([]byte, spoolMemory+1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder for the file: error %v", err)
	}
}
