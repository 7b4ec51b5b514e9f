package speed

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"ucrypt"
)

// Mode is one of the numbers of the kernel's tcrypt module: what it measures,
// in the order in which it does.
type Mode struct {
	Number int
	Title  string
	// Async sends the requests through a queue, one at a time unless told otherwise.
	Async bool
	// Multi works on several messages in each step, each with a buffer of its own, by
	// the calls for many messages where there are some.
	Multi bool
	Hash  bool
	AEAD  bool
	Tests []ModeTest
	// Lengths instead of tcrypt's, if there are any.
	Lengths []int
}

// ModeTest is one algorithm of a Mode; ciphers are measured in both directions.
type ModeTest struct {
	Algorithm string
	KeyBits   []int
}

// aeadLengths are tcrypt's message lengths for AEADs; Lengths are those of the
// other ciphers.
var aeadLengths = []int{16, 64, 256, 512, 1024, 1420, 4096, 8192}

// hashLengths are tcrypt's message lengths for hashes, each with the lengths of
// the updates that bring the message.
var hashLengths = [][2]int{
	{16, 16}, {64, 16}, {64, 64}, {256, 16}, {256, 64}, {256, 256},
	{1024, 16}, {1024, 256}, {1024, 1024}, {2048, 16}, {2048, 256}, {2048, 1024}, {2048, 2048},
	{4096, 16}, {4096, 256}, {4096, 1024}, {4096, 4096},
	{8192, 16}, {8192, 256}, {8192, 1024}, {8192, 4096}, {8192, 8192},
}

// Modes returns tcrypt's modes whose algorithms ucrypt has, in order.
func Modes() []Mode {
	sm4 := func(modes ...string) (tests []ModeTest) {
		for _, m := range modes {
			bits := 128
			if m == "xts" {
				bits = 256
			}
			if m == "cts" {
				m = "cts(cbc"
			}
			name := m + "(sm4)"
			if m == "cts(cbc" {
				name += ")"
			}
			tests = append(tests, ModeTest{name, []int{bits}})
		}
		return tests
	}
	keys := []int{128, 192, 256}
	aes := []ModeTest{
		{"ecb(aes)", keys}, {"cbc(aes)", keys}, {"lrw(aes)", []int{256, 320, 384}}, {"xts(aes)", []int{256, 512}},
		{"cts(cbc(aes))", keys}, {"ctr(aes)", keys}, {"cfb(aes)", keys},
	}
	more := append(slices.Clone(aes), ModeTest{"ofb(aes)", keys}, ModeTest{"rfc3686(ctr(aes))", []int{160, 224, 288}})
	hash := func(name string) []ModeTest { return []ModeTest{{name, nil}} }
	return []Mode{
		{Number: 200, Title: "AES", Tests: aes},
		{Number: 218, Title: "SM4", Tests: sm4("ecb", "cbc", "cts", "cfb", "ctr", "xts")},
		{Number: 222, Title: "gcm of SM4", AEAD: true, Tests: []ModeTest{{"gcm(sm4)", []int{128}}}},
		{Number: 223, Title: "ccm of SM4, as RFC 4309 uses it", AEAD: true, Tests: []ModeTest{{"rfc4309(ccm(sm4))", []int{152}}}},
		{Number: 316, Title: "BLAKE2s-256", Hash: true, Tests: hash("blake2s-256")},
		{Number: 317, Title: "BLAKE2b-512", Hash: true, Tests: hash("blake2b-512")},
		{Number: 416, Title: "BLAKE2s-256, asynchronous", Hash: true, Async: true, Tests: hash("blake2s-256")},
		{Number: 417, Title: "BLAKE2b-512, asynchronous", Hash: true, Async: true, Tests: hash("blake2b-512")},
		{Number: 500, Title: "AES, asynchronous", Async: true, Tests: more},
		{Number: 518, Title: "SM4, asynchronous", Async: true, Tests: sm4("ecb", "cbc", "cfb", "ctr", "xts")},
		{Number: 600, Title: "AES, many messages in each step", Multi: true, Tests: more},
	}
}

// Trial is one line of tcrypt's.
type Trial struct {
	Mode              *Mode
	Algorithm, Driver string
	Op                Op
	Missing           bool // there is no such algorithm or driver; the rest is zero
	Index             int  // counts from 0 for each algorithm and direction
	KeyBits           int
	Bytes             int // of a message
	Update            int // of an update, for hashes

	Seconds    int // that operations were counted for; 0 if Cycles were measured instead
	Operations int // in all of Seconds
	Cycles     uint64
}

// TcryptOptions say how a Mode is run.
type TcryptOptions struct {
	Driver   string // best, generic, or a name or pattern of drivers
	Seconds  int    // to count operations for; 0 measures cycles
	Messages int    // of a step, for modes of many messages
	Queue    Queued
	Clock    func() time.Duration // nil means the system's
	Counter  func() uint64        // of cycles; nil means the processor's
}

// Counter reads the processor's counter of cycles, as the kernel's get_cycles
// does, or nanoseconds where it has none that programs may read.
func Counter() uint64 {
	if hasCounter {
		return cpuid.CPU.RTCounter()
	}
	return uint64(time.Since(epoch))
}

var (
	epoch      = time.Now()
	hasCounter = cpuid.CPU.RTCounter() != 0
)

// CountsCycles reports whether Counter counts cycles.
func CountsCycles() bool { return hasCounter }

// Tcrypt runs a mode and yields its lines as they are measured.
func (src Source) Tcrypt(m *Mode, o TcryptOptions) iter.Seq2[Trial, error] {
	return func(yield func(Trial, error) bool) {
		for _, test := range m.Tests {
			kinds := []Op{Encrypt, Decrypt}
			if m.Hash {
				kinds = []Op{Digest}
			}
			for _, op := range kinds {
				t := Trial{Mode: m, Algorithm: test.Algorithm, Op: op, Seconds: o.Seconds}
				d, ok, err := src.driverOf(test.Algorithm, o.Driver)
				switch {
				case err != nil:
					yield(t, err)
					return
				case !ok:
					t.Missing = true
					if !yield(t, nil) {
						return
					}
					continue
				}
				t.Driver = d.DriverName
				for _, size := range m.sizes(test, d) {
					if m.Hash && m.Multi && size.update != size.bytes {
						t.Index++ // tcrypt leaves these out, but counts them
						continue
					}
					t.KeyBits, t.Bytes, t.Update = size.keyBits, size.bytes, size.update
					if err := src.trial(d, &t, o); err != nil {
						yield(t, fmt.Errorf("%s, %s, %d bytes: %w", d.DriverName, op, t.Bytes, err))
						return
					}
					if !yield(t, nil) {
						return
					}
					t.Index++
				}
			}
		}
	}
}

// size is what one line measures.
type size struct{ keyBits, bytes, update int }

func (m *Mode) sizes(test ModeTest, d ucrypt.Driver) (sizes []size) {
	if m.Hash {
		for _, l := range hashLengths {
			sizes = append(sizes, size{0, l[0], l[1]})
		}
		return sizes
	}
	lengths := m.Lengths
	if len(lengths) == 0 && m.AEAD {
		lengths = aeadLengths
	} else if len(lengths) == 0 {
		lengths = Lengths
	}
	for _, bits := range test.KeyBits {
		for _, n := range lengths {
			sizes = append(sizes, size{bits, length(d, n), 0})
		}
	}
	return sizes
}

// driverOf finds the driver of an algorithm that a word means; ok is false if
// there is none that can be used.
func (src Source) driverOf(algorithm, word string) (d ucrypt.Driver, ok bool, err error) {
	if inner, is := inIPsec(algorithm); is {
		d, ok, err = src.driverOf(inner, word)
		d.Name, d.DriverName = algorithm, ipsecPrefix+d.DriverName+")"
		return d, ok, err
	}
	names := []string{algorithm}
	if word != "best" && word != "" {
		names = nil
		for _, d := range slices.SortedStableFunc(slices.Values(src.Drivers()), func(a, b ucrypt.Driver) int { return -byPriority(a, b) }) {
			if d.Name == algorithm && (word == "generic" && isGeneric(d.DriverName) || match(word, d.DriverName)) {
				names = append(names, d.DriverName)
			}
		}
		if len(names) == 0 && word != "generic" {
			names = []string{word} // a template that no table lists
		}
	}
	for _, name := range names {
		d, err := src.Lookup(name)
		var unknown *ucrypt.UnknownAlgorithmError
		var unavailable *ucrypt.UnavailableError
		switch {
		case err == nil && d.Name == algorithm:
			return d, true, nil
		case err != nil && !errors.As(err, &unknown) && !errors.As(err, &unavailable):
			return d, false, err
		}
	}
	return ucrypt.Driver{}, false, nil
}

// rfc4309(ccm(X)) is ccm(X) with the first bytes of its nonce behind the key. The
// registry has no such template: it is measured as what it does, ccm(X) with
// a nonce of that length.
const (
	ipsecPrefix = "rfc4309("
	ipsecSalt   = 3
	ipsecNonce  = ipsecSalt + 8
)

// inIPsec returns the algorithm or driver in rfc4309().
func inIPsec(name string) (inner string, ok bool) {
	inner, ok = strings.CutPrefix(name, ipsecPrefix)
	return strings.TrimSuffix(inner, ")"), ok
}

// trial measures one line.
func (src Source) trial(d ucrypt.Driver, t *Trial, o TcryptOptions) error {
	messages := 1
	if t.Mode.Multi {
		messages = max(1, o.Messages)
	}
	q := o.Queue
	if t.Mode.Async {
		q.InFlight = max(1, q.InFlight)
	}
	step, release, err := src.step(d, *t, messages, q)
	if err != nil {
		return err
	}
	defer release()
	if q.InFlight == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	if o.Seconds > 0 {
		n, err := count(step, time.Duration(o.Seconds)*time.Second, o.Clock)
		t.Operations = n * messages
		return err
	}
	counter := o.Counter
	if counter == nil {
		counter = Counter
	}
	c, err := countCycles(step, messages, counter)
	t.Cycles = c
	return err
}

// step opens a driver for a number of messages, on all of which each operation
// works.
func (src Source) step(d ucrypt.Driver, t Trial, messages int, q Queued) (w Work, release func(), err error) {
	if !t.Mode.Multi {
		return src.prepare(d, t.Op, t, q)
	}
	if q.InFlight == 0 && src.OpenMany != nil {
		w, err = src.OpenMany(d, t.Op, t.KeyBits, t.Bytes, messages)
		return w, func() {}, err
	}
	var works []Work
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	for range messages {
		w, r, err := src.prepare(d, t.Op, t, q)
		if err != nil {
			release()
			return nil, nil, err
		}
		works, releases = append(works, w), append(releases, r)
	}
	return inTurns(works), release, nil
}

// inTurns does one operation of each work in each step.
func inTurns(works []Work) Work {
	return func(n int) error {
		for range n {
			for _, w := range works {
				if err := w(1); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// prepare opens a driver as a line of tcrypt's uses it.
func (src Source) prepare(d ucrypt.Driver, op Op, t Trial, q Queued) (w Work, release func(), err error) {
	switch {
	case q.InFlight > 0 && src.OpenQueued != nil:
		return src.OpenQueued(d, op, t.KeyBits, t.Bytes, t.Update, q)
	case t.Update > 0 && t.Update < t.Bytes && src.OpenUpdates != nil:
		w, err = src.OpenUpdates(d, t.Bytes, t.Update)
	default:
		w, err = src.Open(d, op, t.KeyBits, t.Bytes)
	}
	return w, func() {}, err
}

// count counts operations until d is over.
func count(w Work, d time.Duration, clock func() time.Duration) (int, error) {
	if clock == nil {
		clock = func() time.Duration { return time.Since(epoch) }
	}
	batch, err := calibrate(w, maxSample, clock)
	if err != nil {
		return 0, err
	}
	n := 0
	for start := clock(); clock()-start < d; n += batch {
		if err := w(batch); err != nil {
			return 0, err
		}
	}
	return n, nil
}

const (
	cycleWarmUps = 4 // as tcrypt
	cycleSteps   = 8 // as tcrypt
	cycleSamples = 31
)

// countCycles is the median over samples of what tcrypt calculates from one.
func countCycles(w Work, messages int, counter func() uint64) (uint64, error) {
	if err := w(cycleWarmUps); err != nil {
		return 0, err
	}
	samples := make([]uint64, cycleSamples)
	for i := range samples {
		start := counter()
		if err := w(cycleSteps); err != nil {
			return 0, err
		}
		samples[i] = (counter() - start + 4) / uint64(cycleSteps*messages)
	}
	slices.Sort(samples)
	return samples[len(samples)/2], nil
}
