package selftest

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"ucrypt"
)

// wrong is a driver with a fault: call stands in for both directions.
type wrong struct {
	skcipher
	call  func(right skcipher, decrypt bool, dst, src, iv []byte) error
	units func(right skcipher, decrypt bool, dst, src []byte, size int, first uint64) error
}

func (w *wrong) Encrypt(dst, src, iv []byte) error { return w.do(false, dst, src, iv) }
func (w *wrong) Decrypt(dst, src, iv []byte) error { return w.do(true, dst, src, iv) }

func (w *wrong) do(decrypt bool, dst, src, iv []byte) error {
	if w.call == nil {
		return crypt(w.skcipher, decrypt, dst, src, iv)
	}
	return w.call(w.skcipher, decrypt, dst, src, iv)
}

func (w *wrong) EncryptUnits(dst, src []byte, size int, first uint64) error {
	return w.doUnits(false, dst, src, size, first)
}

func (w *wrong) DecryptUnits(dst, src []byte, size int, first uint64) error {
	return w.doUnits(true, dst, src, size, first)
}

func (w *wrong) doUnits(decrypt bool, dst, src []byte, size int, first uint64) error {
	if w.units == nil {
		return cryptUnits(w.skcipher, decrypt, dst, src, size, first)
	}
	return w.units(w.skcipher, decrypt, dst, src, size, first)
}

// spoil makes a fault of the output: it is wrong in one bit when the condition holds.
func spoil(when func(decrypt bool, dst, src, iv []byte) bool) func(skcipher, bool, []byte, []byte, []byte) error {
	return func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		bad := when(decrypt, dst, src, iv)
		err := crypt(right, decrypt, dst, src, iv)
		if bad && err == nil && len(src) > 0 {
			dst[len(src)-1] ^= 0x10
		}
		return err
	}
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// after returns the byte that follows b in memory.
func after(b []byte) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), len(b))) }

// skFaults holds wrong drivers: what they do wrong is what the property is there to see.
var skFaults = []struct {
	property, algorithm string
	call                func(right skcipher, decrypt bool, dst, src, iv []byte) error
	units               func(right skcipher, decrypt bool, dst, src []byte, size int, first uint64) error
	construct           func(right func([]byte) (skcipher, error), key []byte) (skcipher, error)
}{
	{property: usable, algorithm: "ecb(sm4)", construct: func(func([]byte) (skcipher, error), []byte) (skcipher, error) {
		return nil, errors.New("cannot be bound")
	}},
	{property: "known-answers", algorithm: "ecb(sm4)", call: spoil(func(decrypt bool, _, src, _ []byte) bool { return len(src) == 16 })},
	{property: "known-answers", algorithm: "ctr(sm4)", call: spoil(func(_ bool, _, _, iv []byte) bool { return iv[15] == 0xfd })},
	{property: "lengths", algorithm: "ecb(sm4)", call: spoil(func(decrypt bool, _, src, _ []byte) bool { return decrypt && len(src) == 33*16 })},
	{property: "lengths", algorithm: "ctr(sm4)", call: spoil(func(_ bool, _, src, _ []byte) bool { return len(src) == 1093 })},
	{property: "lengths", algorithm: "cbc(sm4)", call: spoil(func(_ bool, _, src, _ []byte) bool { return len(src) == 64<<10+16 })},
	{property: "in-place", algorithm: "cfb(sm4)", call: spoil(func(_ bool, dst, src, _ []byte) bool {
		return address(dst) == address(src) && len(src)%16 == 9
	})},
	{property: "offsets", algorithm: "cbc(sm4)", call: spoil(func(_ bool, dst, src, _ []byte) bool {
		return address(dst)%64 == 61 && address(src)%64 == 2
	})},
	{property: "guard-pages", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if len(src) == 48 {
			sink = *after(src)
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "guard-pages", algorithm: "cbc(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		sink = *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(iv)), -1))
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "guard-pages", algorithm: "ecb(sm4)", construct: func(right func([]byte) (skcipher, error), key []byte) (skcipher, error) {
		sink = *after(key)
		return right(key)
	}},
	{property: "guard-pages", algorithm: "cfb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		// The driver's own code, assembly where there is any, runs into the page.
		n := len(src)
		atEnd := func(b []byte) bool { return (address(b)+uintptr(n))%uintptr(os.Getpagesize()) == 0 }
		if n == 512 && decrypt && atEnd(src) && atEnd(dst) {
			src, dst = unsafe.Slice(unsafe.SliceData(src), n+128), unsafe.Slice(unsafe.SliceData(dst), n+128)
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "poison", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		err := crypt(right, decrypt, dst, src, iv)
		if len(src)%16 == 5 {
			*after(dst[:len(src)]) ^= 1
		}
		return err
	}},
	{property: "poison", algorithm: "ecb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if len(src) == 128 {
			*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), -16)) ^= 1
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "long-dst", algorithm: "cfb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		err := crypt(right, decrypt, dst, src, iv)
		clear(dst[len(src):])
		return err
	}},
	{property: "overlap", algorithm: "ecb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		return crypt(right, decrypt, dst, bytes.Clone(src), iv)
	}},
	{property: "overlap", algorithm: "cbc(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		chain := bytes.Clone(iv)
		err := crypt(right, decrypt, dst, src, chain)
		copy(iv, chain)
		return err
	}},
	{property: "overlap", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		err := crypt(right, decrypt, dst, src, iv)
		if err != nil && len(dst) > 0 {
			dst[0] ^= 1 // too late, but written all the same
		}
		return err
	}},
	{property: "split-calls", algorithm: "cbc(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if len(src) == 48 {
			iv = bytes.Clone(iv)
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "next-iv", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		err := crypt(right, decrypt, dst, src, iv)
		if err == nil && len(src)%16 != 0 {
			decrement(iv) // a partial block did not count
		}
		return err
	}},
	{property: "next-iv", algorithm: "cfb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		err := crypt(right, decrypt, dst, src, iv)
		if err == nil && len(src) > 0 && len(src) < 16 {
			copy(iv, dst[:len(src)])
		}
		return err
	}},
	{property: "counter", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		// Loses the carry into the upper half in the seventh block.
		if len(iv) == 16 && bytes.HasPrefix(iv[8:], []byte{255, 255, 255, 255, 255, 255, 255, 249}) && len(src) >= 112 {
			upper := bytes.Clone(iv[:8])
			if err := crypt(right, decrypt, dst[:112], src[:112], iv); err != nil {
				return err
			}
			copy(iv, upper)
			dst, src = dst[112:], src[112:]
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "units", algorithm: "cbc(sm4)", units: func(skcipher, bool, []byte, []byte, int, uint64) error { return nil }},
	{property: "units", algorithm: "xts(sm4)", units: func(right skcipher, decrypt bool, dst, src []byte, size int, first uint64) error {
		return cryptUnits(right, decrypt, dst, src, max(size, len(src)), first) // one unit of all
	}},
	{property: "units", algorithm: "xts(sm4)", units: func(right skcipher, decrypt bool, dst, src []byte, size int, first uint64) error {
		return cryptUnits(right, decrypt, dst, src, size, uint64(uint32(first)))
	}},
	{property: "wrong-keys", algorithm: "ecb(sm4)", construct: func(right func([]byte) (skcipher, error), key []byte) (skcipher, error) {
		return right(key[:min(len(key), 16)]) // a longer key is cut
	}},
	{property: "wrong-keys", algorithm: "ctr(sm4)", construct: func(right func([]byte) (skcipher, error), key []byte) (skcipher, error) {
		if _, err := right(key); err != nil {
			return nil, err
		}
		return &wrong{call: func(_ skcipher, decrypt bool, dst, src, iv []byte) error {
			s, err := right(key) // the caller's key, not a copy
			if err != nil {
				return err
			}
			return crypt(s, decrypt, dst, src, iv)
		}}, nil
	}},
	{property: "wrong-ivs", algorithm: "cbc(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if len(iv) < 16 {
			iv = append(bytes.Clone(iv), make([]byte, 16-len(iv))...)
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "wrong-ivs", algorithm: "ecb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		return crypt(right, decrypt, dst, src, nil)
	}},
	{property: "wrong-lengths", algorithm: "ecb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		return crypt(right, decrypt, dst, src[:len(src)/16*16], iv) // the rest is dropped
	}},
	{property: "wrong-lengths", algorithm: "cfb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		return crypt(right, decrypt, dst, src[:min(len(src), len(dst))], iv)
	}},
	{property: "wrong-lengths", algorithm: "cbc(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if n := len(src) / 16 * 16; n < len(src) && n <= len(dst) {
			crypt(right, decrypt, dst, src[:n], iv) // works, then refuses
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "empty", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		if len(src) == 0 && len(iv) == 16 {
			iv[15]++
		}
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "empty", algorithm: "ecb(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		_ = &src[0]
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "round-trip", algorithm: "cbc(sm4)", call: spoil(func(decrypt bool, _, src, _ []byte) bool {
		return decrypt && len(src) > 40<<10
	})},
	{property: "goroutines", algorithm: "ctr(sm4)", call: func(right skcipher, decrypt bool, dst, src, iv []byte) error {
		defer busy.Add(-1)
		if busy.Add(1) > 1 && len(dst) > 0 {
			dst[0] ^= 1
		}
		time.Sleep(50 * time.Microsecond)
		return crypt(right, decrypt, dst, src, iv)
	}},
	{property: "random", algorithm: "ctr(sm4)", call: spoil(func(_ bool, _, src, _ []byte) bool { return len(src)%7 == 3 })},
}

var (
	sink byte
	busy atomic.Int32
)

// block is a block cipher with a fault.
type wrongBlock struct {
	cipher.Block
	crypt func(right cipher.Block, decrypt bool, dst, src []byte)
}

func (w *wrongBlock) Encrypt(dst, src []byte) { w.crypt(w.Block, false, dst, src) }
func (w *wrongBlock) Decrypt(dst, src []byte) { w.crypt(w.Block, true, dst, src) }

var cipherFaults = []struct {
	property  string
	crypt     func(right cipher.Block, decrypt bool, dst, src []byte)
	construct func(right func([]byte) (cipher.Block, error), key []byte) (cipher.Block, error)
}{
	{property: usable, construct: func(func([]byte) (cipher.Block, error), []byte) (cipher.Block, error) {
		return nil, errors.New("cannot be bound")
	}},
	{property: "blocks", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, src)
		if decrypt && src[7] == 0x40 {
			dst[3] ^= 1
		}
	}},
	{property: "offsets", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, src)
		if address(dst)%64 == 63 {
			dst[3] ^= 1
		}
	}},
	{property: "guard-pages", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		sink = *after(src[:16])
		block(right, decrypt, dst, src)
	}},
	{property: "long-dst", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, src)
		clear(dst[16:])
	}},
	{property: "overlap", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, bytes.Clone(src))
	}},
	{property: "wrong-keys", construct: func(right func([]byte) (cipher.Block, error), key []byte) (cipher.Block, error) {
		return right(append(bytes.Clone(key), make([]byte, 16)...)[:16])
	}},
	{property: "wrong-lengths", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, append(bytes.Clone(src), make([]byte, 16)...))
	}},
	{property: "standard-modes", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, src)
		dst[15] ^= 1
	}},
	{property: "goroutines", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		defer busy.Add(-1)
		one := busy.Add(1) == 1
		time.Sleep(20 * time.Microsecond)
		block(right, decrypt, dst, src)
		if !one {
			dst[0] ^= 1
		}
	}},
	{property: "random", crypt: func(right cipher.Block, decrypt bool, dst, src []byte) {
		block(right, decrypt, dst, src)
		if decrypt && src[0]%8 == 5 {
			dst[9] ^= 1
		}
	}},
}

// driverOf returns the subject of the driver that serves an algorithm.
func driverOf(t *testing.T, algorithm string) *subject {
	d, err := ucrypt.Lookup(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSubject(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs one property of a subject.
func run(t *testing.T, sub *subject, o Options) Result {
	t.Helper()
	s, err := newSuite(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Sampled = o.Sampled // a sample need not hit the fault
	s.addSubject(o, sub)
	if len(s.Checks) != 1 {
		t.Fatalf("%d checks for %s of %s", len(s.Checks), o.Properties, sub.driver.DriverName)
	}
	return s.Checks[0].Run()
}

// caught expects that a wrong subject fails the property, and that the failure's seed and
// number bring it back.
func caught(t *testing.T, sub *subject, property string) {
	t.Helper()
	o := Options{Seed: 7, Properties: []string{property}}
	r := run(t, sub, o)
	if r.Status == Skip {
		t.Skip(r.Reason)
	}
	if r.Status != Fail || len(r.Failures) == 0 {
		t.Fatalf("%s after %d cases, want a failure", r.Status, r.Cases)
	}
	first := r.Failures[0]
	line := first.String()
	t.Log(line)
	for _, part := range []string{sub.driver.DriverName, property, "seed=7"} {
		if !strings.Contains(line, part) {
			t.Errorf("the failure does not say %q: %s", part, line)
		}
	}
	if strings.Contains(line, "\n") {
		t.Errorf("the failure is not one line: %q", line)
	}
	if property == "goroutines" {
		return
	}
	o.OnlyCase, o.Case = true, first.Case
	again := run(t, sub, o)
	if again.Cases != 1 || len(again.Failures) != 1 || again.Failures[0] != first {
		t.Errorf("case %d alone: %d cases, %v", first.Case, again.Cases, again.Failures)
	}
}

// Each property catches a driver with the fault that it is there for. The matrix over the
// real drivers shows that it lets right ones pass.
func TestFaultsAreCaught(t *testing.T) {
	have := map[string]bool{}
	for _, f := range skFaults {
		have["skcipher "+f.property] = true
		t.Run("skcipher/"+f.property+"/"+f.algorithm, func(t *testing.T) {
			sub := driverOf(t, f.algorithm)
			right := sub.newSkcipher
			sub.newSkcipher = func(key []byte) (skcipher, error) {
				if f.construct != nil {
					return f.construct(right, key)
				}
				s, err := right(key)
				if err != nil {
					return nil, err
				}
				return &wrong{s, f.call, f.units}, nil
			}
			caught(t, sub, f.property)
		})
	}
	for _, f := range cipherFaults {
		have["cipher "+f.property] = true
		t.Run("cipher/"+f.property, func(t *testing.T) {
			sub := driverOf(t, "sm4")
			right := sub.newCipher
			sub.newCipher = func(key []byte) (cipher.Block, error) {
				if f.construct != nil {
					return f.construct(right, key)
				}
				b, err := right(key)
				if err != nil {
					return nil, err
				}
				return &wrongBlock{b, f.crypt}, nil
			}
			caught(t, sub, f.property)
		})
	}
	for i := range properties {
		if properties[i].kind == "shash" || properties[i].kind == "aead" {
			continue // see TestHashFaultsAreCaught and TestAEADFaultsAreCaught
		}
		if name := properties[i].kind + " " + properties[i].name; !have[name] {
			t.Errorf("no fault shows that the property %q of type %s can fail", properties[i].name, properties[i].kind)
		}
	}
}

// A description that is not true is caught as well.
func TestWrongDescription(t *testing.T) {
	for name, change := range map[string]func(*ucrypt.Driver){
		"iv size":    func(d *ucrypt.Driver) { d.IVSize = 12 },
		"block size": func(d *ucrypt.Driver) { d.BlockSize = 8 },
		"key size":   func(d *ucrypt.Driver) { d.MaxKeySize = 32 },
		"name":       func(d *ucrypt.Driver) { d.DriverName = "cbc-sm4-other" },
		"state":      func(d *ucrypt.Driver) { d.Status = ucrypt.Untested },
	} {
		sub := driverOf(t, "cbc(sm4)")
		change(&sub.driver)
		if r := run(t, sub, Options{Properties: []string{usable}}); r.Status != Fail {
			t.Errorf("wrong %s: %s", name, r.Status)
		}
	}
}

// Nothing that was not run is a pass.
func TestSkipsAreNotPasses(t *testing.T) {
	t.Run("time", func(t *testing.T) {
		s, results, err := Run(Options{Time: time.Nanosecond}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cut := 0
		for _, r := range results {
			if r.Status == Pass && r.Cases == 0 || r.Status == Skip && r.Reason == "" {
				t.Errorf("%+v", r)
			}
			if strings.HasPrefix(r.Reason, "the time was up") {
				cut++
			}
		}
		if cut == 0 || len(results) != len(s.Checks) {
			t.Errorf("%d of %d results for want of time, of %d checks", cut, len(results), len(s.Checks))
		}
	})
	t.Run("type without properties", func(t *testing.T) {
		if _, err := newSubject(ucrypt.Driver{Name: "gcm(sm4)", Type: 99}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("algorithm without a definition", func(t *testing.T) {
		if _, err := newSubject(ucrypt.Driver{Name: "lrw(sm4)", Type: ucrypt.TypeSkcipher}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("required", func(t *testing.T) {
		s := &Suite{Seed: 1}
		s.require("nosuch-driver")
		if r := s.Checks[0].Run(); r.Status != Fail || len(r.Failures) != 1 {
			t.Errorf("a driver that does not exist: %+v", r)
		}
	})
	t.Run("driver that is not usable", func(t *testing.T) {
		if os.Getenv("UCRYPT_DISABLE") == "" {
			again(t, "UCRYPT_DISABLE=generic", RequireVariable+"=ecb(sm4-generic)")
			return
		}
		_, results, err := Run(Options{Names: []string{"ecb(sm4-generic)"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(results) != 2 || results[0].Status != Skip || results[0].Reason == "" || results[1].Status != Fail {
			t.Errorf("%+v", results)
		}
	})
}

// again runs the calling test once more in a process with other environment variables.
func again(t *testing.T, env ...string) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
		t.Skipf("cannot start itself: %v", err) // under an emulator, perhaps
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("with %s: %v\n%s", env, err, out)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Names: []string{"nosuch(sm4)"}},
		{Names: []string{"ecb(sm4)", "[" /* a bad pattern */}},
		{Properties: []string{"nosuch"}},
	} {
		if _, err := Plan(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	s, err := Plan(Options{Names: []string{"cbc(sm4)"}, Properties: []string{"in-place", "wrong-*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Checks {
		if c.known == nil && (c.Algorithm != "cbc(sm4)" || c.Property != "in-place" && !strings.HasPrefix(c.Property, "wrong-")) {
			t.Errorf("%s %s", c.Driver, c.Property)
		}
	}
	if s.Seed == 0 {
		t.Error("no seed")
	}
}

// The seed fixes the cases: two runs are alike, another seed is another run, and a sample
// has the same cases, only fewer.
func TestSeed(t *testing.T) {
	// Every call fails, and the failures have the keys.
	fail := func(o Options) []Failure {
		sub := driverOf(t, "ctr(sm4)")
		right := sub.newSkcipher
		sub.newSkcipher = func(key []byte) (skcipher, error) {
			s, err := right(key)
			return &wrong{skcipher: s, call: spoil(func(bool, []byte, []byte, []byte) bool { return true })}, err
		}
		o.Properties = []string{"offsets"}
		r := run(t, sub, o)
		return r.Failures
	}
	one, two, other := fail(Options{Seed: 1}), fail(Options{Seed: 1}), fail(Options{Seed: 2})
	if !slices.Equal(one, two) {
		t.Errorf("seed 1 twice:\n%v\n%v", one, two)
	}
	if slices.Equal(one, other) || one[0].Key == other[0].Key {
		t.Error("seeds 1 and 2 give the same cases")
	}
	sample := fail(Options{Seed: 1, Sampled: true})
	if len(sample) == 0 || sample[0].Case != 0 || sample[len(sample)-1].Case < 20 {
		t.Errorf("sample: %v", sample)
	}
	if alone := fail(Options{Seed: 1, OnlyCase: true, Case: sample[1].Case}); len(alone) != 1 || alone[0] != sample[1] {
		t.Errorf("case %d of the sample: %v, alone: %v", sample[1].Case, sample[1], alone)
	}
}
