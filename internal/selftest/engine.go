package selftest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ucrypt"
)

// Environment variables that the engine heeds.
const (
	// RequireVariable names drivers, separated by commas, that must be usable here: one
	// that is not is a failure instead of a skip.
	RequireVariable = "REQUIRE_DRIVERS"
	// EmulatedVariable set to 1 says that the processor is emulated, so that only a
	// sample of the cases is run.
	EmulatedVariable = "UCRYPT_EMULATED"
)

// Options chooses what is run. The zero value runs everything.
type Options struct {
	Names      []string // algorithms or drivers, as patterns of path.Match; none: all
	Properties []string // likewise
	Seed       uint64   // 0: a new one
	Case       int      // with OnlyCase, the number of the only case to run
	OnlyCase   bool
	Sampled    bool          // run a sample of the cases, chosen by the seed
	Time       time.Duration // how long it may take; 0: no limit, and a fixed amount of random cases
	Require    []string      // drivers that must be usable, besides those of RequireVariable
}

// Status is the outcome of one property of one driver.
type Status uint8

const (
	Pass Status = iota + 1
	Fail
	Skip
)

func (s Status) String() string {
	switch s {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Skip:
		return "skip"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// MarshalText returns the status's name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Result is what came out for one property of one driver.
type Result struct {
	Driver    string        `json:"driver"`
	Algorithm string        `json:"algorithm,omitempty"`
	Property  string        `json:"property"`
	Status    Status        `json:"status"`
	Reason    string        `json:"reason,omitempty"` // of a Skip
	Cases     int           `json:"cases"`            // that were run
	Failed    int           `json:"failed,omitempty"` // of them
	Failures  []Failure     `json:"failures,omitempty"`
	Elapsed   time.Duration `json:"elapsed_ns"`
}

// Failure is a case that failed, with its whole configuration.
type Failure struct {
	Driver    string `json:"driver"`
	Property  string `json:"property"`
	Seed      uint64 `json:"seed"`
	Case      int    `json:"case"`
	Op        string `json:"op,omitempty"`
	Length    int    `json:"length"`
	SrcOffset int    `json:"src_offset"`
	DstOffset int    `json:"dst_offset"`
	DstExtra  int    `json:"dst_extra"` // bytes by which dst is longer than src
	InPlace   bool   `json:"in_place"`
	Detail    string `json:"detail,omitempty"` // what else is special about the case
	Key       string `json:"key"`
	IV        string `json:"iv"`
	What      string `json:"what"`
}

// String returns the failure as one line.
func (f Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s seed=%d case=%d", f.Driver, f.Property, f.Seed, f.Case)
	if f.Op != "" {
		fmt.Fprintf(&b, " op=%s length=%d src_offset=%d dst_offset=%d dst_extra=%d in_place=%v key=%s iv=%s",
			f.Op, f.Length, f.SrcOffset, f.DstOffset, f.DstExtra, f.InPlace, f.Key, f.IV)
	}
	if f.Detail != "" {
		fmt.Fprintf(&b, " [%s]", f.Detail)
	}
	return b.String() + ": " + f.What
}

// maxFailures is how many failures of one property a Result holds; after as many the
// property is not tried further.
const maxFailures = 5

// Suite is a plan of checks.
type Suite struct {
	Seed    uint64
	Sampled bool
	Checks  []*Check

	time time.Duration
}

// Check is one property of one driver.
type Check struct {
	Driver, Algorithm, Property string

	suite   *Suite
	only    int // the case to run, -1 for all
	subject *subject
	prop    *property
	known   *Result // instead of a run, where there is nothing to run
}

// Plan looks up the drivers and lists the checks that the options ask for. A name that
// matches nothing is an error.
func Plan(o Options) (*Suite, error) {
	s, err := newSuite(o)
	if err != nil {
		return nil, err
	}
	used := make([]bool, len(o.Names))
	for _, d := range ucrypt.Drivers() {
		wanted := len(o.Names) == 0
		for i, pattern := range o.Names {
			if matches(pattern, d.Name) || matches(pattern, d.DriverName) {
				wanted, used[i] = true, true
			}
		}
		if wanted {
			s.addDriver(o, d)
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return nil, fmt.Errorf("no algorithm or driver matches %q", o.Names[i])
	}
	for _, name := range append(splitList(os.Getenv(RequireVariable)), o.Require...) {
		s.require(name)
	}
	return s, nil
}

func newSuite(o Options) (*Suite, error) {
	for _, pattern := range slices.Concat(o.Names, o.Properties) {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	for _, pattern := range o.Properties {
		if !slices.ContainsFunc(Properties(), func(name string) bool { return matches(pattern, name) }) {
			return nil, fmt.Errorf("no property matches %q; there are %s", pattern, strings.Join(Properties(), ", "))
		}
	}
	s := &Suite{Seed: o.Seed, Sampled: o.Sampled || os.Getenv(EmulatedVariable) == "1", time: o.Time}
	for s.Seed == 0 {
		s.Seed = uint64(rand.Uint32()) // short enough to type
	}
	return s, nil
}

// Properties lists the names of all properties.
func Properties() []string {
	var names []string
	for i := range properties {
		if !slices.Contains(names, properties[i].name) {
			names = append(names, properties[i].name)
		}
	}
	return names
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

// splitList splits a list of drivers at its commas and spaces, but not at the
// commas within a template's brackets.
func splitList(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ')
	})
}

// usable is the name of the property that a driver can be bound at all. A driver that
// cannot run here has this one result.
const usable = "usable"

// addDriver adds the checks of one driver.
func (s *Suite) addDriver(o Options, d ucrypt.Driver) {
	d, err := lookup(d)
	if err != nil {
		r := Result{Driver: d.DriverName, Algorithm: d.Name, Property: usable, Status: Skip, Reason: err.Error()}
		var unavailable *ucrypt.UnavailableError
		if !errors.As(err, &unavailable) || unavailable.Status != ucrypt.Unavailable {
			r = s.broken(d.DriverName, usable, err.Error())
			r.Algorithm = d.Name
		}
		s.addKnown(r)
		return
	}
	sub, err := newSubject(d)
	if err != nil {
		s.addKnown(Result{Driver: d.DriverName, Algorithm: d.Name, Property: usable, Status: Skip, Reason: err.Error()})
		return
	}
	s.addSubject(o, sub)
}

// lookup returns the driver in its state after its known answers.
func lookup(d ucrypt.Driver) (ucrypt.Driver, error) {
	got, err := ucrypt.Lookup(d.DriverName)
	if err != nil {
		return d, err
	}
	return got, nil
}

// addSubject adds a check for each property of the subject's type.
func (s *Suite) addSubject(o Options, sub *subject) {
	for i := range properties {
		p := &properties[i]
		if p.kind != sub.driver.Type.String() || p.applies != nil && !p.applies(sub) {
			continue
		}
		if len(o.Properties) > 0 && !slices.ContainsFunc(o.Properties, func(pattern string) bool { return matches(pattern, p.name) }) {
			continue
		}
		c := &Check{Driver: sub.driver.DriverName, Algorithm: sub.driver.Name, Property: p.name, suite: s, only: -1, subject: sub, prop: p}
		if o.OnlyCase {
			c.only = o.Case
		}
		s.Checks = append(s.Checks, c)
	}
}

func (s *Suite) addKnown(r Result) {
	s.Checks = append(s.Checks, &Check{Driver: r.Driver, Algorithm: r.Algorithm, Property: r.Property, suite: s, known: &r})
}

// require adds a check that fails if the named driver is not usable here.
func (s *Suite) require(name string) {
	const property = "required"
	for _, d := range ucrypt.Drivers() {
		if d.DriverName != name {
			continue
		}
		if _, err := lookup(d); err != nil {
			s.addKnown(s.broken(name, property, err.Error()))
		} else {
			s.addKnown(Result{Driver: name, Algorithm: d.Name, Property: property, Status: Pass, Cases: 1})
		}
		return
	}
	s.addKnown(s.broken(name, property, "there is no such driver"))
}

func (s *Suite) broken(driver, property, what string) Result {
	return Result{Driver: driver, Property: property, Status: Fail, Cases: 1, Failed: 1,
		Failures: []Failure{{Driver: driver, Property: property, Seed: s.Seed, What: what}}}
}

// Run runs the checks one after the other. each, if not nil, is called with every result
// as it comes. Within a time limit the properties with a fixed number of cases come
// first, and what time they leave goes to those that draw cases at random.
func (s *Suite) Run(each func(Result)) []Result {
	start := time.Now()
	results := make([]Result, 0, len(s.Checks))
	run := func(c *Check, deadline time.Time) {
		r := c.run(deadline)
		results = append(results, r)
		if each != nil {
			each(r)
		}
	}
	if s.time == 0 {
		for _, c := range s.Checks {
			run(c, time.Time{})
		}
		return results
	}
	end := start.Add(s.time)
	var open []*Check
	for _, c := range s.Checks {
		if c.prop != nil && c.prop.endless {
			open = append(open, c)
		} else {
			run(c, end)
		}
	}
	for i, c := range open {
		run(c, time.Now().Add(time.Until(end)/time.Duration(len(open)-i)))
	}
	return results
}

// Run plans and runs what the options ask for.
func Run(o Options, each func(Result)) (*Suite, []Result, error) {
	s, err := Plan(o)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Run(each), nil
}

// Run runs the check alone, without a time limit.
func (c *Check) Run() Result { return c.run(time.Time{}) }

func (c *Check) run(deadline time.Time) Result {
	if c.known != nil {
		return *c.known
	}
	start := time.Now()
	r := &runner{
		subject: c.subject, alg: c.subject.alg, check: c, deadline: deadline,
		result: Result{Driver: c.Driver, Algorithm: c.Algorithm, Property: c.Property},
	}
	c.prop.run(r)
	r.close()
	res := &r.result
	res.Elapsed = time.Since(start)
	switch {
	case res.Failed > 0:
		res.Status = Fail
	case res.Reason != "":
		res.Status = Skip
	case r.cut:
		res.Status, res.Reason = Skip, fmt.Sprintf("the time was up after %d cases", res.Cases)
	case res.Cases == 0:
		res.Status, res.Reason = Skip, "no case was run"
	default:
		res.Status = Pass
	}
	return *res
}

// property is one row of the matrix.
type property struct {
	name    string
	kind    string // the type of driver that has it
	run     func(*runner)
	thin    int                 // a sampled run takes about one case of so many
	endless bool                // draws cases until the time is up
	applies func(*subject) bool // nil: to all of the kind
}

// properties is the table of the matrix.
var properties = slices.Concat(skcipherProperties, cipherProperties, hashProperties, aeadProperties)

// runner runs the cases of one check.
type runner struct {
	subject  *subject
	alg      *algorithm
	check    *Check
	deadline time.Time
	result   Result
	number   int // of the next case
	cut      bool
	memory   [4]arena
	guarded  []guarded
}

// skip ends the property without a verdict.
func (r *runner) skip(reason string) { r.result.Reason = reason }

// over reports whether no further case would be run.
func (r *runner) over() bool { return r.cut || r.result.Failed >= maxFailures }

// more is the loop condition of a property that draws cases at random: it is true for
// fixed cases, or until the time is up if there is a limit.
func (r *runner) more(fixed int) bool {
	switch {
	case r.result.Failed >= maxFailures:
		return false
	case r.check.only >= 0:
		return r.number <= r.check.only
	case !r.deadline.IsZero():
		return r.number == 0 || time.Now().Before(r.deadline)
	default:
		return r.number < fixed
	}
}

// do runs one case, if it is one of those to be run. A panic in it, a memory fault
// included, fails the case.
func (r *runner) do(f func(*testCase)) {
	number := r.number
	r.number++
	p := r.check.prop
	if r.over() || r.check.only >= 0 && number != r.check.only {
		return
	}
	seed := caseSeed(r.check.suite.Seed, p.name, number)
	if r.check.only < 0 && r.check.suite.Sampled && p.thin > 1 && number > 0 && seed%uint64(p.thin) != 0 {
		return
	}
	if !p.endless && !r.deadline.IsZero() && time.Now().After(r.deadline) {
		r.cut = true
		return
	}
	c := &testCase{runner: r, rand: rand.New(rand.NewPCG(seed, uint64(number)))}
	c.Failure = Failure{Driver: r.check.Driver, Property: p.name, Seed: r.check.suite.Seed, Case: number}
	r.result.Cases++
	c.protect(f)
	if c.What != "" {
		r.result.Failed++
		r.result.Failures = append(r.result.Failures, c.Failure)
	}
}

// caseSeed depends on nothing but its arguments, so that a case has the same data with
// every driver, whatever else is run.
func caseSeed(seed uint64, property string, number int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", seed, property, number)
	x := h.Sum64() // spread the last bytes over all bits
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}

// testCase is one case while it runs; its Failure describes it from the start.
type testCase struct {
	*runner
	Failure
	rand *rand.Rand
}

// protect runs f and turns a panic into a failure.
func (c *testCase) protect(f func(*testCase)) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch v := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // a memory fault
			c.failf("%s", c.faultText(v.Addr()))
		default:
			c.failf("panic: %v", v)
		}
	}()
	f(c)
}

// failf fails the case. Only the first reason counts.
func (c *testCase) failf(format string, args ...any) {
	if c.What == "" {
		c.What = fmt.Sprintf(format, args...)
	}
}

func (c *testCase) failed() bool { return c.What != "" }

// bytes returns n random bytes.
func (c *testCase) bytes(n int) []byte {
	b := make([]byte, n)
	fill(c.rand, b)
	return b
}

func fill(rnd *rand.Rand, b []byte) {
	var x uint64
	for i := range b {
		if i%8 == 0 {
			x = rnd.Uint64()
		}
		b[i] = byte(x)
		x >>= 8
	}
}

// key draws a key of a size that the algorithm takes, and notes it.
func (c *testCase) key() []byte {
	k := c.bytes(c.alg.keySizes[c.rand.IntN(len(c.alg.keySizes))])
	c.Key = hex.EncodeToString(k)
	return k
}

// iv draws an iv of the algorithm's size, and notes it.
func (c *testCase) iv() []byte {
	return c.useIV(c.bytes(c.alg.ivSize))
}

func (c *testCase) useIV(iv []byte) []byte {
	c.IV = hex.EncodeToString(iv)
	return iv
}
