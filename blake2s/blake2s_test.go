package blake2s_test

import (
	"bytes"
	"crypto"
	"encoding"
	"errors"
	"hash"
	"io"
	"strings"
	"testing"

	"ucrypt/blake2s"
	"ucrypt/internal/kat"
	"ucrypt/internal/vectors"
)

// Constants of golang.org/x/crypto/blake2s are untyped.
const (
	_ uint8 = blake2s.BlockSize
	_ uint8 = blake2s.Size
	_ uint8 = blake2s.Size128
	_ uint8 = blake2s.OutputLengthUnknown
)

func message(n int) []byte { return kat.Message(n) }

// TestOneShot: the functions that work at once, the constructors and AppendSum
// agree, for every key length.
func TestOneShot(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 128, 129, 1000} {
		data := message(n)
		for keyLen := range blake2s.KeySize + 1 {
			key := kat.Key(keyLen)
			got := map[int][]byte{}
			if keyLen == 0 {
				a, b, c, d := blake2s.Sum128(data), blake2s.Sum160(data), blake2s.Sum224(data), blake2s.Sum256(data)
				got[16], got[20], got[28], got[32] = a[:], b[:], c[:], d[:]
			} else {
				a, b, c, d := blake2s.MAC128(key, data), blake2s.MAC160(key, data), blake2s.MAC224(key, data), blake2s.MAC256(key, data)
				got[16], got[20], got[28], got[32] = a[:], b[:], c[:], d[:]
			}
			constructors := map[int]func([]byte) (hash.Hash, error){16: blake2s.New128, 20: blake2s.New160, 28: blake2s.New224, 32: blake2s.New256}
			for size := 1; size <= blake2s.Size; size++ {
				h, err := blake2s.New(size, key)
				if err != nil {
					t.Fatal(err)
				}
				h.Write(data)
				want := h.Sum(nil)
				if appended, err := blake2s.AppendSum([]byte("x"), size, key, data); err != nil || string(appended) != "x"+string(want) {
					t.Errorf("AppendSum, %d bytes: %x, %v, want %x", size, appended, err, want)
				}
				if len(want) != size || h.Size() != size || h.BlockSize() != 64 {
					t.Errorf("New(%d): digest of %d bytes, Size %d, BlockSize %d", size, len(want), h.Size(), h.BlockSize())
				}
				if got[size] != nil && !bytes.Equal(got[size], want) {
					t.Errorf("key of %d bytes, message of %d, digest of %d: at once %x, New %x", keyLen, n, size, got[size], want)
				}
				if constructors[size] == nil || size == 16 && keyLen == 0 {
					continue
				}
				h, err = constructors[size](key)
				if err != nil {
					t.Fatal(err)
				}
				h.Write(data)
				if sum := h.Sum(nil); !bytes.Equal(sum, want) {
					t.Errorf("New%d: %x, want %x", 8*size, sum, want)
				}
			}
		}
	}
}

// TestErrors: the texts that golang.org/x/crypto/blake2s has are the same here.
func TestErrors(t *testing.T) {
	long := make([]byte, 33)
	for _, c := range []struct {
		name string
		f    func() error
		want string
	}{
		{"New256", func() error { _, err := blake2s.New256(long); return err }, "blake2s: invalid key size"},
		{"New128", func() error { _, err := blake2s.New128(long); return err }, "blake2s: invalid key size"},
		{"New128 without a key", func() error { _, err := blake2s.New128(nil); return err }, "blake2s: a key is required for a 128-bit hash"},
		{"New", func() error { _, err := blake2s.New(32, long); return err }, "blake2s: invalid key size"},
		{"New(0)", func() error { _, err := blake2s.New(0, nil); return err }, "blake2s: invalid hash size"},
		{"New(33)", func() error { _, err := blake2s.New(33, nil); return err }, "blake2s: invalid hash size"},
		{"AppendSum", func() error { _, err := blake2s.AppendSum(nil, 32, long, nil); return err }, "blake2s: invalid key size"},
		{"AppendSum(0)", func() error { _, err := blake2s.AppendSum(nil, 0, nil, nil); return err }, "blake2s: invalid hash size"},
		{"NewXOF", func() error { _, err := blake2s.NewXOF(1, long); return err }, "blake2s: invalid key size"},
		{"NewXOF(65535)", func() error { _, err := blake2s.NewXOF(65535, nil); return err }, "blake2s: XOF length too large"},
		{"marshal a MAC", func() error {
			h, _ := blake2s.New256([]byte{1})
			_, err := h.(encoding.BinaryMarshaler).MarshalBinary()
			return err
		}, "crypto/blake2s: cannot marshal MACs"},
	} {
		if err := c.f(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, key := range [][]byte{nil, long} {
		func() {
			defer func() {
				if r := recover(); r != "blake2s: invalid key size" {
					t.Errorf("MAC256 with a key of %d bytes: panic %v", len(key), r)
				}
			}()
			blake2s.MAC256(key, nil)
		}()
	}
	x, _ := blake2s.NewXOF(1, nil)
	x.Read(make([]byte, 1))
	defer func() {
		if r := recover(); r != "blake2s: write to XOF after read" {
			t.Errorf("Write after Read: panic %v", r)
		}
	}()
	x.Write(nil)
}

func TestMarshal(t *testing.T) {
	data := message(300)
	want := blake2s.Sum256(data)
	for n := range data {
		h, _ := blake2s.New256(nil)
		h.Write(data[:n])
		state, err := h.(encoding.BinaryAppender).AppendBinary([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		g, _ := blake2s.New256(nil)
		if err := g.(encoding.BinaryUnmarshaler).UnmarshalBinary(state[1:]); err != nil {
			t.Fatal(err)
		}
		c, err := g.(hash.Cloner).Clone()
		if err != nil {
			t.Fatal(err)
		}
		c.Write(data[n:])
		if got := c.Sum(nil); !bytes.Equal(got, want[:]) {
			t.Fatalf("after %d bytes: %x, want %x", n, got, want)
		}
	}
}

// TestRegistered: crypto.BLAKE2s_256 is there, as with golang.org/x/crypto.
func TestRegistered(t *testing.T) {
	h := crypto.BLAKE2s_256.New()
	h.Write([]byte("abc"))
	if got, want := h.Sum(nil), blake2s.Sum256([]byte("abc")); !bytes.Equal(got, want[:]) {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestXOFVectors runs the published vectors of BLAKE2Xs, read at once and in
// pieces with a Clone between them.
func TestXOFVectors(t *testing.T) {
	f, err := vectors.For("blake2xs")
	if err != nil || f == nil {
		t.Fatalf("%v, %v", f, err)
	}
	if len(f.Tests) != 197 {
		t.Errorf("%d tests, want 197", len(f.Tests))
	}
	for _, v := range f.Tests {
		size := len(v.Tag)
		if strings.Contains(v.Comment, "not fixed in advance") {
			size = blake2s.OutputLengthUnknown
		}
		x, err := blake2s.NewXOF(uint16(size), v.Key)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{1 << 20, 1, 7, 31, 32, 33, 100} {
			x.Reset()
			x.Write(v.Plaintext[:len(v.Plaintext)/2])
			x.Write(v.Plaintext[len(v.Plaintext)/2:])
			got := make([]byte, len(v.Tag))
			for rest := got; len(rest) > 0; {
				x = x.Clone()
				n, err := x.Read(rest[:min(step, len(rest))])
				if err != nil || n != min(step, len(rest)) {
					t.Fatalf("%s: Read gives %d, %v", v.ID, n, err)
				}
				rest = rest[n:]
			}
			if !bytes.Equal(got, v.Tag) {
				t.Errorf("%s, in pieces of %d: %x, want %s", v.ID, step, got, v.Tag)
			}
			if size == blake2s.OutputLengthUnknown {
				continue
			}
			if n, err := x.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("%s: Read behind the end gives %d, %v", v.ID, n, err)
			}
		}
	}
	// A Read that asks for more than there is gets what there is.
	x, _ := blake2s.NewXOF(40, nil)
	if n, err := x.Read(make([]byte, 100)); n != 40 || err != nil {
		t.Errorf("Read of 100 bytes of 40 gives %d, %v", n, err)
	}
}

func TestAllocations(t *testing.T) {
	for name, f := range map[string]func(){
		"Sum256": func() {
			var data [100]byte
			sink = blake2s.Sum256(data[:])[0]
		},
		"MAC256": func() {
			var data [100]byte
			var key [32]byte
			sink = blake2s.MAC256(key[:], data[:])[0]
		},
		"MAC128": func() {
			var data [32]byte
			var key [32]byte
			sink = blake2s.MAC128(key[:], data[:])[0]
		},
		"AppendSum": func() {
			var data [32]byte
			var out [32]byte
			d, _ := blake2s.AppendSum(out[:0], 20, data[:], data[:])
			sink = d[0]
		},
	} {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var sink byte

func TestOverlap(t *testing.T) {
	buf := message(300)
	want := blake2s.MAC256(buf[10:20], buf)
	got, err := blake2s.AppendSum(buf[:5], blake2s.Size, buf[10:20], buf)
	if err != nil || !bytes.Equal(got[5:], want[:]) {
		t.Errorf("AppendSum into its message: %x, %v, want %x", got[5:], err, want)
	}
}

// FuzzWrites takes a program of write lengths.
func FuzzWrites(f *testing.F) {
	f.Add([]byte{}, []byte{0, 1, 64, 63, 65, 128, 255}, uint8(32))
	f.Add([]byte{1}, []byte{64, 64, 0, 1}, uint8(1))
	f.Fuzz(func(t *testing.T, key, program []byte, size uint8) {
		key = key[:min(len(key), blake2s.KeySize)]
		n := int(size)%blake2s.Size + 1
		h, err := blake2s.New(n, key)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, length := range program {
			all = append(all, message(int(length))...)
			h.Write(all[len(all)-int(length):])
		}
		want, err := blake2s.AppendSum(nil, n, key, all)
		if got := h.Sum(nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%x, at once %x, %v", got, want, err)
		}
	})
}
