package speed

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ucrypt"
)

// Lengths are the message lengths of the kernel authors' tables.
var Lengths = []int{16, 64, 128, 256, 1024, 1420, 4096}

// HashLengths are those of their table for BLAKE2s.
var HashLengths = []int{32, 100, 500, 4096}

// Algorithm is an algorithm with those of its drivers that are to be measured.
type Algorithm struct {
	Name     string
	Drivers  []ucrypt.Driver // usable, in order of priority, generic first
	Unusable []ucrypt.Driver // the reason is in the driver
	Base     string          // driver that ratios are over; empty if it is not among Drivers
}

// Select finds what names stand for: each is the name of an algorithm or of a
// driver, or a pattern of such names with * and ?; no names mean everything.
// Drivers are tested before they are chosen. A name that nothing has is an
// *ucrypt.UnknownAlgorithmError, a driver asked for by its own name that cannot
// be used an *ucrypt.UnavailableError.
func (src Source) Select(names []string) ([]Algorithm, error) {
	all := src.Drivers()
	chosen := map[string]ucrypt.Driver{}
	var order []string // of algorithms
	take := func(d ucrypt.Driver) {
		if !slices.Contains(order, d.Name) {
			order = append(order, d.Name)
		}
		chosen[d.DriverName] = d
	}
	if len(names) == 0 {
		names = []string{"*"}
	}
	for _, name := range names {
		found := false
		for _, d := range all {
			if match(name, d.Name) || match(name, d.DriverName) {
				take(d)
				found = true
			}
		}
		if found && !slices.ContainsFunc(all, func(d ucrypt.Driver) bool { return d.DriverName == name }) {
			continue
		}
		// A driver by its own name, or a template that no table lists.
		d, err := src.Lookup(name)
		if err != nil {
			return nil, err
		}
		take(d)
	}
	var algorithms []Algorithm
	for _, name := range order {
		a := Algorithm{Name: name}
		for _, d := range chosen {
			if d.Name != name {
				continue
			}
			tested, err := src.Lookup(d.DriverName)
			var unavailable *ucrypt.UnavailableError
			switch {
			case err == nil:
				a.Drivers = append(a.Drivers, tested)
			case errors.As(err, &unavailable):
				d.Status, d.Reason = unavailable.Status, unavailable.Reason
				a.Unusable = append(a.Unusable, d)
			default:
				return nil, err
			}
		}
		slices.SortFunc(a.Drivers, byPriority)
		slices.SortFunc(a.Unusable, byPriority)
		a.setBase()
		algorithms = append(algorithms, a)
	}
	return algorithms, nil
}

// Restrict leaves of each algorithm the drivers that words name: all, best,
// generic, or names and patterns of drivers. Algorithms that keep none are
// left out. A word that no driver answers to is an error.
func (src Source) Restrict(algorithms []Algorithm, words []string) ([]Algorithm, error) {
	used := make([]bool, len(words))
	var kept []Algorithm
	for _, a := range algorithms {
		a.Drivers, a.Unusable = slices.Clone(a.Drivers), slices.Clone(a.Unusable)
		for _, word := range words {
			// A template that no table lists joins when it is named.
			d, err := src.Lookup(word)
			if err == nil && d.DriverName == word && d.Name == a.Name && !slices.ContainsFunc(a.Drivers, func(o ucrypt.Driver) bool { return o.DriverName == word }) {
				a.Drivers = append(a.Drivers, d)
				slices.SortFunc(a.Drivers, byPriority)
			}
		}
		best := ""
		if d, err := src.Lookup(a.Name); err == nil {
			best = d.DriverName
		}
		keep := func(d ucrypt.Driver) bool {
			kept := false
			for i, word := range words {
				if word == "all" || word == "best" && d.DriverName == best ||
					word == "generic" && isGeneric(d.DriverName) || match(word, d.DriverName) {
					used[i], kept = true, true
				}
			}
			return kept
		}
		drop := func(d ucrypt.Driver) bool { return !keep(d) }
		a.Drivers = slices.DeleteFunc(a.Drivers, drop)
		a.Unusable = slices.DeleteFunc(a.Unusable, drop)
		if len(a.Drivers) > 0 {
			a.setBase()
			kept = append(kept, a)
		}
	}
	for i, word := range words {
		if !used[i] && word != "all" && word != "best" && word != "generic" {
			return nil, fmt.Errorf("no driver of what is to be measured is called %s", word)
		}
	}
	return kept, nil
}

// setBase chooses the driver that ratios are over. If there is no other one,
// there are no ratios.
func (a *Algorithm) setBase() {
	a.Base = ""
	if i := slices.IndexFunc(a.Drivers, func(d ucrypt.Driver) bool { return isGeneric(d.DriverName) }); i >= 0 && len(a.Drivers) > 1 {
		a.Base = a.Drivers[i].DriverName
	}
}

// isGeneric reports whether all that a driver is composed of is generic: of
// gcm_base(ctr(sm4-generic),ghash-generic) both parts are.
func isGeneric(driver string) bool {
	parts := strings.FieldsFunc(driver, func(r rune) bool { return r == '(' || r == ')' || r == ',' })
	rest, generic := driver, false
	for _, part := range parts {
		_, after, _ := strings.Cut(rest, part)
		rest = after
		switch {
		case strings.HasPrefix(after, "("): // a template
		case strings.HasSuffix(part, "-generic"):
			generic = true
		case !strings.HasPrefix(part, "sha256"): // which makes essiv's key and does no more
			return false
		}
	}
	return generic
}

func byPriority(a, b ucrypt.Driver) int {
	return cmp.Or(a.Priority-b.Priority, cmp.Compare(a.DriverName, b.DriverName))
}

// match reports whether a name is the pattern's. A bad pattern matches nothing
// but itself.
func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == name || err == nil && ok
}

// Cell is what is measured together: one operation at one length, by some
// drivers of an algorithm.
type Cell struct {
	Name         string
	Op           Op
	KeyBits      int
	Bytes, Asked int
	Drivers      []ucrypt.Driver
}

// Plan lists the cells of algorithms for message lengths and key sizes. No
// lengths mean those of the authors' tables, no key sizes all that the algorithm
// has. Cells of one algorithm and key size
// follow each other.
func (src Source) Plan(algorithms []Algorithm, lengths, keyBits []int) ([]Cell, error) {
	var cells []Cell
	for _, a := range algorithms {
		if len(a.Drivers) == 0 {
			continue
		}
		d := a.Drivers[0]
		for _, bits := range keySizes(d) {
			if len(keyBits) > 0 && !slices.Contains(keyBits, bits) {
				continue
			}
			_, err := src.Open(d, ops(d)[0], bits, length(d, 16))
			var size *ucrypt.KeySizeError
			if errors.As(err, &size) {
				continue
			}
			if err != nil {
				return nil, err
			}
			lengths := lengths
			switch {
			case d.Type == ucrypt.TypeCipher:
				lengths = []int{d.BlockSize}
			case len(lengths) > 0:
			case d.Type == ucrypt.TypeShash && d.MinKeySize == 0:
				lengths = HashLengths
			default:
				lengths = Lengths
			}
			for _, op := range ops(d) {
				for _, asked := range lengths {
					cells = append(cells, Cell{a.Name, op, bits, length(d, asked), asked, a.Drivers})
				}
			}
		}
	}
	return cells, nil
}

// Measure runs the cell's drivers in turns.
func (src Source) Measure(c Cell, o Options) ([]Result, error) {
	works := make([]Work, len(c.Drivers))
	for i, d := range c.Drivers {
		w, release, err := src.prepare(d, c.Op, Trial{KeyBits: c.KeyBits, Bytes: c.Bytes}, src.Queue)
		if err != nil {
			return nil, err
		}
		defer release()
		works[i] = w
	}
	o.Threads = o.Threads || src.Queue.InFlight > 0
	stats, err := Measure(works, o)
	if err != nil {
		return nil, fmt.Errorf("%s, %s, %d bytes: %w", c.Name, c.Op, c.Bytes, err)
	}
	results := make([]Result, len(works))
	for i, d := range c.Drivers {
		results[i] = Result{Name: c.Name, Driver: d.DriverName, Op: c.Op, KeyBits: c.KeyBits, Bytes: c.Bytes, Asked: c.Asked, Stats: stats[i]}
		if c.Op == Digest && o.Clock == nil {
			results[i].CycleRate = rate()
		}
	}
	return results, nil
}

// rate is the CycleRate when the first digest was measured.
var rate = sync.OnceValue(func() float64 { return CycleRate(ThisMachine()) })

// Figures is the number of results that cells will give.
func Figures(cells []Cell) int {
	n := 0
	for _, c := range cells {
		n += len(c.Drivers)
	}
	return n
}

// Duration is how long cells take to measure.
func Duration(cells []Cell, o Options) time.Duration {
	return time.Duration(Figures(cells)) * o.time()
}
