package selftest

import (
	"bytes"
	"encoding"
	"errors"
	"hash"
	"os"
	"testing"
	"time"
	"unsafe"

	"ucrypt"
	"ucrypt/internal/vectors"
)

// wrongHash is a hash with a fault: write and sum stand in for its methods.
type wrongHash struct {
	right hash.Hash
	key   []byte
	taken int // bytes since the last Reset
	calls int // of Write since the last Reset
	fault *hashFault
}

func (w *wrongHash) Size() int      { return w.right.Size() }
func (w *wrongHash) BlockSize() int { return w.right.BlockSize() }

func (w *wrongHash) Reset() {
	if w.fault.reset != nil {
		w.fault.reset(w)
	} else {
		w.right.Reset()
	}
	w.taken, w.calls = 0, 0
}

func (w *wrongHash) Write(p []byte) (n int, err error) {
	if w.fault.write != nil {
		n, err = w.fault.write(w, p)
	} else {
		n, err = w.right.Write(p)
	}
	w.taken += len(p)
	w.calls++
	return n, err
}

func (w *wrongHash) Sum(b []byte) []byte {
	if w.fault.sum != nil {
		return w.fault.sum(w, b)
	}
	return w.right.Sum(b)
}

func (w *wrongHash) MarshalBinary() ([]byte, error) {
	state, err := w.right.(encoding.BinaryMarshaler).MarshalBinary()
	if err == nil && w.fault.state != nil {
		w.fault.state(state)
	}
	return state, err
}

func (w *wrongHash) UnmarshalBinary(b []byte) error {
	return w.right.(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
}

// spoilSum makes a fault of the digest: it is wrong in one bit when the condition holds.
func spoilSum(when func(w *wrongHash) bool) func(*wrongHash, []byte) []byte {
	return func(w *wrongHash, b []byte) []byte {
		b = w.right.Sum(b)
		if when(w) {
			b[len(b)-1] ^= 0x10
		}
		return b
	}
}

type hashFault struct {
	property  string
	write     func(w *wrongHash, p []byte) (int, error)
	sum       func(w *wrongHash, b []byte) []byte
	reset     func(w *wrongHash)
	state     func([]byte)
	construct func(right func([]byte) (hash.Hash, error), key []byte) (hash.Hash, error)
}

// hashFaults holds wrong hashes: what they do wrong is what the property is there to see.
var hashFaults = []hashFault{
	{property: usable, construct: func(func([]byte) (hash.Hash, error), []byte) (hash.Hash, error) {
		return nil, errors.New("cannot be bound")
	}},
	{property: "known-answers", sum: spoilSum(func(w *wrongHash) bool { return w.taken == 64 })},
	{property: "lengths", sum: spoilSum(func(w *wrongHash) bool { return w.taken == 1093 || w.taken == 1094 })},
	{property: "lengths", sum: spoilSum(func(w *wrongHash) bool { return w.taken > 64<<10 })},
	{property: "lengths", write: func(w *wrongHash, p []byte) (int, error) {
		n, err := w.right.Write(p)
		if len(p) == 77 || len(p) == 78 {
			n--
		}
		return n, err
	}},
	{property: "lengths", write: func(w *wrongHash, p []byte) (int, error) {
		n, err := w.right.Write(p)
		if len(p) == 512 || len(p) == 513 {
			p[511] ^= 1 // as a routine that swaps words in place
		}
		return n, err
	}},
	{property: "keys", sum: spoilSum(func(w *wrongHash) bool { return len(w.key) == 31 && w.taken == 0 })},
	{property: "keys", sum: spoilSum(func(w *wrongHash) bool { return len(w.key) == 1 && w.taken == 64 })},
	{property: "offsets", write: func(w *wrongHash, p []byte) (int, error) {
		if address(p)%64 == 61 && len(p) > 0 {
			p = append([]byte{p[0] ^ 1}, p[1:]...)
		}
		return w.right.Write(p)
	}},
	{property: "offsets", sum: func(w *wrongHash, b []byte) []byte {
		b = w.right.Sum(b)
		if address(b)%64 == 33 {
			*after(b) ^= 1
		}
		return b
	}},
	{property: "guard-pages", write: func(w *wrongHash, p []byte) (int, error) {
		if len(p) == 192 {
			sink = *after(p)
		}
		return w.right.Write(p)
	}},
	{property: "guard-pages", write: func(w *wrongHash, p []byte) (int, error) {
		// The driver's own code, assembly where there is any, runs into the page.
		n := len(p)
		if n == 129 && (address(p)+uintptr(n))%uintptr(os.Getpagesize()) == 0 {
			p = unsafe.Slice(unsafe.SliceData(p), n+128)
		}
		return w.right.Write(p)
	}},
	{property: "guard-pages", construct: func(right func([]byte) (hash.Hash, error), key []byte) (hash.Hash, error) {
		if len(key) > 0 {
			sink = *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(key)), -1))
		}
		return right(key)
	}},
	{property: "two-writes", write: func(w *wrongHash, p []byte) (int, error) {
		// A buffer that is exactly full is followed by a block of nothing.
		if len(p) == 0 || w.taken == 0 || (w.taken+len(p))%64 != 0 {
			return w.right.Write(p)
		}
		n, err := w.right.Write(p)
		w.right.Write(make([]byte, 64))
		return n, err
	}},
	{property: "two-writes", sum: spoilSum(func(w *wrongHash) bool { return w.calls == 2 && w.taken == 200 })},
	{property: "split-calls", sum: spoilSum(func(w *wrongHash) bool { return w.calls > 3 && w.taken%64 == 1 })},
	{property: "keep-state", sum: func(w *wrongHash, b []byte) []byte {
		b = w.right.Sum(b)
		if w.taken%64 == 0 && w.taken > 0 {
			w.right.Write(nil)
			w.right.Write([]byte{0}) // the last block was taken in for good
		}
		return b
	}},
	{property: "append", sum: func(w *wrongHash, b []byte) []byte { return w.right.Sum(nil) }},
	{property: "append", sum: func(w *wrongHash, b []byte) []byte { return w.right.Sum(bytes.Clone(b)) }},
	{property: "append", sum: func(w *wrongHash, b []byte) []byte {
		b = w.right.Sum(b)
		clear(b[len(b):cap(b)]) // writes the whole of its widest digest
		return b
	}},
	{property: "reset", reset: func(w *wrongHash) {
		w.right.Reset()
		if len(w.key) > 0 && w.taken > 64 {
			w.right.Write([]byte{0})
		}
	}},
	{property: "reset", reset: func(*wrongHash) {}},
	{property: "saved-state", state: func(state []byte) { state[5] ^= 1 }},
	{property: "wrong-keys", construct: func(right func([]byte) (hash.Hash, error), key []byte) (hash.Hash, error) {
		return right(key[:min(len(key), 32)]) // a longer key is cut
	}},
	{property: "wrong-keys", construct: func(right func([]byte) (hash.Hash, error), key []byte) (hash.Hash, error) {
		h, err := right(key)
		if err != nil {
			return nil, err
		}
		return &wrongHash{right: h, key: key, fault: &hashFault{reset: func(w *wrongHash) {
			if h, err := right(key); err == nil { // the caller's key, not a copy
				w.right = h
			}
		}}}, nil
	}},
	{property: "empty", write: func(w *wrongHash, p []byte) (int, error) {
		_ = &p[0]
		return w.right.Write(p)
	}},
	{property: "empty", sum: spoilSum(func(w *wrongHash) bool { return w.taken == 0 && w.calls == 3 })},
	{property: "goroutines", write: func(w *wrongHash, p []byte) (int, error) {
		defer busy.Add(-1)
		alone := busy.Add(1) == 1
		time.Sleep(50 * time.Microsecond)
		if !alone && len(p) > 0 {
			p = append([]byte{p[0] ^ 1}, p[1:]...)
		}
		return w.right.Write(p)
	}},
	{property: "random", sum: spoilSum(func(w *wrongHash) bool { return w.taken > 0 && w.taken%7 == 3 })},
}

// TestHashFaultsAreCaught is TestFaultsAreCaught for hashes.
func TestHashFaultsAreCaught(t *testing.T) {
	have := map[string]bool{}
	for i := range hashFaults {
		f := &hashFaults[i]
		have[f.property] = true
		t.Run(f.property, func(t *testing.T) {
			sub := driverOf(t, "blake2s-256-generic")
			right := sub.newHash
			sub.newHash = func(key []byte) (hash.Hash, error) {
				if f.construct != nil {
					return f.construct(right, key)
				}
				h, err := right(key)
				if err != nil {
					return nil, err
				}
				return &wrongHash{right: h, key: bytes.Clone(key), fault: f}, nil
			}
			caught(t, sub, f.property)
		})
	}
	for i := range hashProperties {
		if name := hashProperties[i].name; !have[name] {
			t.Errorf("no fault shows that the property %q of hashes can fail", name)
		}
	}
}

// A description of a hash that is not true is caught as well.
func TestWrongHashDescription(t *testing.T) {
	for name, change := range map[string]func(*ucrypt.Driver){
		"digest size": func(d *ucrypt.Driver) { d.DigestSize = 20 },
		"block size":  func(d *ucrypt.Driver) { d.BlockSize = 128 },
		"key size":    func(d *ucrypt.Driver) { d.MaxKeySize = 64 },
		"iv size":     func(d *ucrypt.Driver) { d.IVSize = 16 },
		"state":       func(d *ucrypt.Driver) { d.Status = ucrypt.Untested },
	} {
		sub := driverOf(t, "blake2s-256-generic")
		change(&sub.driver)
		if r := run(t, sub, Options{Properties: []string{usable}}); r.Status != Fail {
			t.Errorf("wrong %s: %s", name, r.Status)
		}
	}
}

// A hash whose state cannot be saved does not pass the property that is about it.
func TestSavedStateNotOffered(t *testing.T) {
	sub := driverOf(t, "blake2s-256-generic")
	right := sub.newHash
	sub.newHash = func(key []byte) (hash.Hash, error) {
		h, err := right(key)
		return struct{ hash.Hash }{h}, err
	}
	if r := run(t, sub, Options{Properties: []string{"saved-state"}}); r.Status != Skip || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}

// The definition of BLAKE2 is held against all vectors, those of unusual digest sizes
// included, and against the kernel's answers.
func TestHashReference(t *testing.T) {
	files, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, f := range files {
		var digest func(size int, key, message []byte) []byte
		if alg, err := newAlgorithm(f.Algorithm); err == nil && alg.digest != nil {
			digest = func(_ int, key, message []byte) []byte { return alg.digest(key, message) }
		} else if f.Algorithm == "blake2s-any" {
			digest = blake2sHash.sum
		} else {
			continue
		}
		for i := range f.Tests {
			v := &f.Tests[i]
			if !v.Valid() {
				continue
			}
			seen[f.Algorithm]++
			got := digest(len(v.Tag), v.Key, v.Plaintext)
			if newMACAlgorithm(f.Algorithm) != nil {
				got = got[:len(v.Tag)] // MACs may be cut
			}
			if !bytes.Equal(got, v.Tag) {
				t.Errorf("%s: %x, want %s", v.ID, got, v.Tag)
			}
		}
	}
	k, err := vectors.ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	for i := range k.Vectors {
		v := &k.Vectors[i]
		alg, err := newAlgorithm(v.Alg)
		if err != nil || alg.digest == nil {
			continue
		}
		seen[v.Alg]++
		if got := alg.digest(v.Key, v.Plaintext); !bytes.Equal(got, v.Ciphertext) {
			t.Errorf("%s, %d bytes: %x, want %s", v.Alg, v.Len, got, v.Ciphertext)
		}
	}
	for _, name := range []string{"blake2s-128", "blake2s-160", "blake2s-224", "blake2s-256", "blake2s-any",
		"blake2b-160", "blake2b-256", "blake2b-384", "blake2b-512",
		"cmac(sm4)", "cmac(aes)", "xcbc(sm4)", "xcbc(aes)", "cbcmac(sm4)", "cbcmac(aes)", "ghash"} {
		if seen[name] == 0 {
			t.Errorf("nothing to hold %s against", name)
		}
	}
}

// Names that are almost those of a hash have no definition.
func TestHashNames(t *testing.T) {
	for _, name := range []string{"blake2s-257", "blake2s-264", "blake2s-0", "blake2s--8", "blake2s-12", "blake2b-520", "blake2s-256x", "blake2c-256"} {
		if a := newHashAlgorithm(name); a != nil {
			t.Errorf("%s has a definition", name)
		}
	}
}

// A property that draws cases until the time is up is marked: it would leave no time to the
// others.
func TestEndlessProperties(t *testing.T) {
	const limit = time.Minute
	for _, algorithm := range []string{"sm4", "ctr(sm4)", "blake2s-256"} {
		s, err := newSuite(Options{Seed: 1, Sampled: true})
		if err != nil {
			t.Fatal(err)
		}
		s.addSubject(Options{}, driverOf(t, algorithm))
		for _, c := range s.Checks {
			if c.prop.endless {
				continue
			}
			if r := c.run(time.Now().Add(limit)); r.Elapsed >= limit {
				t.Errorf("%s: took all the time there was, for %d cases", c.Property, r.Cases)
			}
		}
	}
}
