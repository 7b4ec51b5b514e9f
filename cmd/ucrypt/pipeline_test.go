package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"ucrypt"
)

// eachMode runs f for one algorithm of each mode that does not authenticate.
func eachMode(t *testing.T, f func(t *testing.T, s *ucrypt.Skcipher, m mode)) {
	seen := map[string]bool{}
	for _, d := range ucrypt.Drivers() {
		outer, _, _ := strings.Cut(d.Name, "(")
		m, ok := modeOf(d)
		if !ok || m.aead || seen[outer] {
			continue
		}
		seen[outer] = true
		t.Run(d.Name, func(t *testing.T) {
			s, err := ucrypt.NewSkcipher(d.Name, randomBytes(d.MaxKeySize))
			if err != nil {
				t.Fatal(err)
			}
			f(t, s, m)
		})
	}
}

// job is a pipeline to be made again and again.
type job struct {
	s          *ucrypt.Skcipher
	m          mode
	iv         []byte
	sector     int
	step       uint64
	threads    int
	positioned bool // input and output have positions
}

func (j job) pipeline(decrypt bool) *pipeline {
	p := &pipeline{cipher: j.s, mode: j.m, decrypt: decrypt, pad: j.m.pad, iv: slices.Clone(j.iv), threads: j.threads, size: 64, sector: j.sector, step: j.step}
	if j.sector > 0 {
		p.mode.advance = addSectors(j.sector, j.step)
		p.numbered = math.MaxInt64
	}
	return p
}

// run returns what the pipeline makes of a part of in.
func (j job) run(t *testing.T, decrypt bool, in []byte, of part) []byte {
	t.Helper()
	p := j.pipeline(decrypt)
	p.part = of
	moved := 0
	var out interface{ Bytes() []byte }
	if j.positioned {
		file := &memoryFile{}
		p.inAt, p.total, p.outAt, out = bytes.NewReader(in), int64(len(in)), file, file
	} else {
		// A reader as pipes are: with less than is asked for.
		p.in = iotest.HalfReader(bytes.NewReader(in[min(p.start(), int64(len(in))):]))
		buffer := &bytes.Buffer{}
		p.out, out = buffer, buffer
	}
	if err := p.run(func(n int) { moved += n }); err != nil {
		t.Fatalf("%+v: %v", of, err)
	}
	if moved != len(out.Bytes()) {
		t.Fatalf("progress counted %d bytes, want %d", moved, len(out.Bytes()))
	}
	return out.Bytes()
}

// memoryFile is written to at any position.
type memoryFile struct {
	mu   sync.Mutex
	data []byte
}

func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if end := int(at) + len(p); end > len(f.data) {
		f.data = append(f.data, make([]byte, end-len(f.data))...)
	}
	return copy(f.data[at:], p), nil
}

func (f *memoryFile) Bytes() []byte { return f.data }

func padded(in []byte) []byte {
	n := blockSize - len(in)%blockSize
	return append(slices.Clone(in), bytes.Repeat([]byte{byte(n)}, n)...)
}

// slowSectors encrypts sector by sector, each with an iv of its own.
func (j job) slowSectors(t *testing.T, in []byte) []byte {
	t.Helper()
	out := make([]byte, len(in))
	number := binary.LittleEndian.Uint64(j.iv)
	for at := 0; at < len(in); at += j.sector {
		iv := make([]byte, blockSize)
		binary.LittleEndian.PutUint64(iv, number)
		end := min(at+j.sector, len(in))
		if err := j.s.Encrypt(out[at:end], in[at:end], iv); err != nil {
			t.Fatal(err)
		}
		number += j.step
	}
	return out
}

// TestPipeline compares chunks worked in parallel with one call for the whole,
// for chunk sizes and lengths around each other.
func TestPipeline(t *testing.T) {
	eachMode(t, func(t *testing.T, s *ucrypt.Skcipher, m mode) {
		// The low half of the counter overflows early on.
		iv := bytes.Repeat([]byte{0xff}, s.Driver().IVSize)
		if len(iv) > 0 {
			iv[0], iv[15] = 1, 0xfd
		}
		for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 79, 80, 81, 96, 97, 127, 128, 129, 1000, 1024, 4095, 4096} {
			if n < m.least || !m.pad && n%m.block != 0 {
				continue
			}
			plain := randomBytes(n)
			want := slices.Clone(plain)
			if m.pad {
				want = padded(plain)
			}
			if err := s.Encrypt(want, want, slices.Clone(iv)); err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 2, 5} {
				for _, positioned := range []bool{false, true} {
					t.Run(fmt.Sprintf("%d/%d/%v", n, threads, positioned), func(t *testing.T) {
						j := job{s: s, m: m, iv: iv, threads: threads, positioned: positioned}
						if got := j.run(t, false, plain, part{}); !bytes.Equal(got, want) {
							t.Fatalf("ciphertext is %x, want %x", got, want)
						}
						if got := j.run(t, true, want, part{}); !bytes.Equal(got, plain) {
							t.Fatalf("plaintext is %x, want %x", got, plain)
						}
					})
				}
			}
		}
	})
}

// TestSectors compares sectors worked many at a time with sectors worked singly.
func TestSectors(t *testing.T) {
	eachMode(t, func(t *testing.T, s *ucrypt.Skcipher, m mode) {
		if !m.units {
			return
		}
		for _, size := range []int{16, 32, 48, 512, 520, 4096} {
			for _, step := range []uint64{1, 8} {
				for _, n := range []int{0, 16, 48, 512, 528, 1024, 4096, 4112, 10000 / size * size, 10000/size*size + 16} {
					if size%m.block != 0 || n%size != 0 && n%size < m.least {
						continue
					}
					iv := make([]byte, blockSize)
					binary.LittleEndian.PutUint64(iv, 1<<64-3) // the number wraps
					plain := randomBytes(n)
					for _, positioned := range []bool{false, true} {
						j := job{s: s, m: m, iv: iv, sector: size, step: step, threads: 3, positioned: positioned}
						want := j.slowSectors(t, plain)
						if got := j.run(t, false, plain, part{}); !bytes.Equal(got, want) {
							t.Fatalf("%d bytes, sectors of %d, step %d: the ciphertext differs", n, size, step)
						}
						if got := j.run(t, true, want, part{}); !bytes.Equal(got, plain) {
							t.Fatalf("%d bytes, sectors of %d, step %d: the plaintext differs", n, size, step)
						}
					}
				}
			}
		}
	})
}

// TestParts cuts inputs in random parts and compares what each gives, one behind
// the other, with the whole result.
func TestParts(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	eachMode(t, func(t *testing.T, s *ucrypt.Skcipher, m mode) {
		if m.advance == nil && !m.units {
			return
		}
		rounds := 200
		if testing.Short() {
			rounds = 50
		}
		for range rounds {
			j := job{s: s, m: m, iv: make([]byte, s.Driver().IVSize), threads: 1 + r.IntN(3), positioned: r.IntN(2) == 0}
			for i := range j.iv {
				j.iv[i] = 0xff - byte(r.IntN(2)*r.IntN(256))
			}
			n := r.IntN(1000)
			if m.units {
				j.sector, j.step = 16+r.IntN(200), 1+r.Uint64N(2)*7
				clear(j.iv[8:])
				j.sector -= j.sector % m.block
				n -= n % m.block
				if rest := n % j.sector; rest < m.least {
					n -= rest
				}
			}
			whole := randomBytes(n)
			for _, decrypt := range []bool{false, true} {
				result := j.run(t, decrypt, whole, part{})
				unit := int(j.pipeline(decrypt).unit())
				var got []byte
				for from := 0; from < n || n == 0 && got == nil; {
					of := part{from: int64(from)}
					if length := r.IntN(n-from+1) / unit * unit; length > 0 || n > 0 && r.IntN(4) == 0 {
						of.length, of.limited = int64(length), true
					}
					one := j.run(t, decrypt, whole, of)
					got = append(got, one...)
					if !of.limited {
						break
					}
					from += int(of.length)
				}
				if !bytes.Equal(got, result) {
					t.Fatalf("%d bytes, sectors of %d, decrypt %v: the parts are %x, want %x", n, j.sector, decrypt, got, result)
				}
				whole = result
				n = len(result)
			}
		}
	})
}

// TestPartErrors asks for parts that cannot be had.
func TestPartErrors(t *testing.T) {
	s, err := ucrypt.NewSkcipher("ecb(sm4)", randomBytes(16))
	if err != nil {
		t.Fatal(err)
	}
	j := job{s: s, m: modes["ecb"], threads: 2}
	for _, test := range []struct {
		of    part
		want  string
		usage bool
	}{
		{part{from: 256}, "input of 200 bytes ends before --offset 256", false},
		{part{from: 192, length: 16, limited: true}, "input of 200 bytes ends before --offset 192 + --length 16", false},
		{part{length: 15, limited: true}, "--length: 15, want a multiple of 16 for ecb(sm4), or up to the end of the input", true},
		{part{from: 16, length: 183, limited: true}, "--length: 183, want a multiple of 16 for ecb(sm4), or up to the end of the input", true},
	} {
		for _, positioned := range []bool{false, true} {
			p := j.pipeline(false)
			p.part = test.of
			in := bytes.NewReader(randomBytes(200))
			if positioned {
				p.inAt, p.total = in, 200
			} else {
				in.Seek(min(p.start(), 200), io.SeekStart)
				p.in = in
				if test.of.from > 200 {
					continue // skipping it ends the run
				}
			}
			p.out = io.Discard
			err := p.check()
			if err == nil {
				err = p.run(func(int) {})
			}
			if err == nil || err.Error() != test.want || isUsage(err) != test.usage {
				t.Errorf("%+v: error %v, want %s", test.of, err, test.want)
			}
		}
	}
}

// TestPipelineErrors sees errors of reads and writes at every place come out,
// after what was right before them and nothing else.
func TestPipelineErrors(t *testing.T) {
	s, err := ucrypt.NewSkcipher("ctr(sm4)", randomBytes(16))
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("failure")
	for n := range 300 {
		run := func(in io.Reader, out io.Writer) error {
			p := job{s: s, m: modes["ctr"], iv: make([]byte, 16), threads: 3}.pipeline(false)
			p.in, p.out = in, out
			return p.run(func(int) {})
		}
		var out bytes.Buffer
		in := io.MultiReader(bytes.NewReader(randomBytes(n)), iotest.ErrReader(failure))
		if err := run(in, &out); !errors.Is(err, failure) {
			t.Fatalf("read error after %d bytes: got %v", n, err)
		}
		if out.Len() > n {
			t.Fatalf("read error after %d bytes: %d were written", n, out.Len())
		}
		if err := run(bytes.NewReader(randomBytes(400)), &failingWriter{n, failure}); !errors.Is(err, failure) {
			t.Fatalf("write error after %d bytes: got %v", n, err)
		}
		at := job{s: s, m: modes["ctr"], iv: make([]byte, 16), threads: 3}.pipeline(false)
		at.inAt, at.total, at.outAt = failingAt{n, failure}, 400, &memoryFile{}
		if err := at.run(func(int) {}); !errors.Is(err, failure) {
			t.Fatalf("read error at %d: got %v", n, err)
		}
		// A reader that waits for more does not keep a failed write from being reported.
		wait, release := io.Pipe()
		at = job{s: s, m: modes["ctr"], iv: make([]byte, 16), threads: 3}.pipeline(false)
		at.in, at.outAt = io.MultiReader(bytes.NewReader(randomBytes(400)), wait), failingAt{n, failure}
		if err := at.run(func(int) {}); !errors.Is(err, failure) {
			t.Fatalf("write error at %d: got %v", n, err)
		}
		release.Close()
	}
}

// failingWriter takes n bytes.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, w.err
	}
	return len(b), nil
}

// failingAt can be read and written up to n.
type failingAt struct {
	n   int
	err error
}

func (f failingAt) ReadAt(b []byte, at int64) (int, error) {
	if int(at)+len(b) > f.n {
		return 0, f.err
	}
	return len(b), nil
}

func (f failingAt) WriteAt(b []byte, at int64) (int, error) { return f.ReadAt(b, at) }

// TestWrongPadding sees every wrong padding refused, with nothing of the last
// chunk written.
func TestWrongPadding(t *testing.T) {
	s, err := ucrypt.NewSkcipher("ecb(sm4)", randomBytes(16))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{16, 64, 80, 128, 144} {
		for _, last := range []int{0, 1, 2, 8, 15, 16, 17, 32, 128, 255} {
			for broken := 1; broken <= 16; broken++ {
				data := randomBytes(n)
				right := last >= 1 && last <= 16
				for i := range 16 {
					data[n-1-i] = byte(last)
				}
				if broken > 1 {
					data[n-broken] ^= 0x80
					right = right && broken > last
				}
				plain := slices.Clone(data)
				if err := s.Encrypt(data, data, nil); err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				p := job{s: s, m: modes["ecb"], threads: 1}.pipeline(true)
				p.in, p.out = bytes.NewReader(data), &out
				before := 0 // what comes in chunks before the last
				for n-before >= 64+aheadSize {
					before += 64
				}
				err := p.run(func(int) {})
				switch {
				case right && (err != nil || !bytes.Equal(out.Bytes(), plain[:n-last])):
					t.Fatalf("%d bytes, padding %d, byte %d from the end differs: %v", n, last, broken, err)
				case !right && (!errors.Is(err, errPadding) || !bytes.Equal(out.Bytes(), plain[:before])):
					t.Fatalf("%d bytes, padding %d, byte %d from the end differs: error %v, %d bytes written", n, last, broken, err, out.Len())
				}
			}
		}
	}
}
