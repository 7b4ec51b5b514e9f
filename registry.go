package ucrypt

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ucrypt/internal/cpu"
	"ucrypt/internal/kat"
	"ucrypt/internal/selection"
)

// state is the outcome of a driver's known answers, found on first use.
type state struct {
	mu     sync.Mutex
	status Status
	reason string
}

var states = make([]state, len(table))

// Drivers returns every driver that ucrypt has, usable here or not, in the
// order of the table. It tests none: the Status of a driver that nothing has
// asked for is Untested. The result is the caller's.
func Drivers() []Driver {
	all := make([]Driver, len(table))
	for i := range table {
		all[i] = driver(i)
	}
	return all
}

// driver returns the driver of a table index with its present state.
func driver(i int) Driver {
	d := table[i].describe()
	d.Status, d.Reason = status(i)
	return d
}

// status returns what is known of a driver without testing it.
func status(i int) (Status, string) {
	if err := table[i].available(); err != nil {
		return Unavailable, err.Error()
	}
	s := &states[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.reason
}

// try tests a driver that has not been tested, and returns its state.
func try(i int) (Status, string) {
	if status, reason := status(i); status != Untested {
		return status, reason
	}
	s := &states[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == Untested {
		s.status = Passed
		if err := check(&table[i]); err != nil {
			s.status, s.reason = Failed, err.Error()
		}
	}
	return s.status, s.reason
}

// check runs the known answers of the driver's tier, on the bare routines, and
// then those of its algorithm through the driver itself.
func check(r *row) error {
	for _, t := range r.tiers() {
		if err := t.SelfTest(); err != nil {
			return err
		}
	}
	var err error
	switch r.algorithm {
	case oneBlock: // the tier's own answers are those of single blocks
	case gcm, ccm:
		err = kat.CheckAEAD(r.name, r.aead)
	case blake2, ghashHash, cmac, xcbc, cbcmac:
		err = kat.CheckHash(r.name, func(key, message []byte) []byte {
			h, err := r.hash(key)
			if err != nil {
				return nil
			}
			h.Write(message)
			return h.Sum(nil)
		})
	default:
		err = checkSkcipher(r)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", selection.ErrSelfTest, err)
	}
	return nil
}

func checkSkcipher(r *row) error {
	return kat.Check(r.name, false, func(key []byte, decrypt bool, dst, src, iv []byte) error {
		s := newSkcipher(r, Driver{}, key)
		s.crypt(dst, src, iv, decrypt)
		return nil
	})
}

// Lookup returns the driver that serves name: for the name of an algorithm, the
// usable one of the highest priority; for a driver's own name, that driver; for
// cryptd(DRIVER), that driver behind a queue. It tests the driver, and those
// before it that fail, if nothing has yet.
//
// An unknown name gives an *UnknownAlgorithmError. A driver that cannot be
// used, or an algorithm none of whose drivers can, gives an *UnavailableError.
func Lookup(name string) (Driver, error) {
	_, d, err := findDriver(name)
	return d, err
}

func find(name string) (int, error) {
	if _, err := cpu.DisabledWords(); err != nil {
		return 0, err
	}
	var candidates []int
	for i := range table {
		if table[i].name == name || table[i].driver == name {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return 0, &UnknownAlgorithmError{Name: name}
	}
	slices.SortStableFunc(candidates, func(i, j int) int {
		switch {
		case table[i].before(&table[j]):
			return -1
		case table[j].before(&table[i]):
			return 1
		}
		return 0
	})
	var why error
	for _, i := range candidates {
		status, reason := try(i)
		if status == Passed {
			return i, nil
		}
		why = errors.Join(why, &UnavailableError{Driver: table[i].driver, Status: status, Reason: reason})
	}
	return 0, why
}
