package main

import (
	"math"

	"ucrypt"
)

// part is a part of the input, which is worked alone and gives just that part of
// the whole result.
type part struct {
	from    int64
	length  int64
	limited bool // to length, instead of reaching to the end
}

func (p part) end() int64 { return p.from + p.length }

// of returns how many bytes the part has of an input of size bytes; -1 stands
// for an unknown number.
func (p part) of(size int64) int64 {
	switch {
	case p.limited:
		return p.length
	case size < 0:
		return -1
	}
	return size - p.from
}

// checkPart refuses a part that cannot be worked alone, whatever the input is.
func (r *crypt) checkPart(d ucrypt.Driver, p *pipeline) error {
	for _, flag := range []string{"offset", "length"} {
		switch {
		case !r.given(flag):
		case p.whole():
			return usagef("--%s: an input that is one data unit (--iv) has no parts; --first-sector makes sectors of it", flag)
		case p.mode.advance == nil:
			return usagef("--%s is for modes whose parts can be worked alone (%s), which %s is not", flag,
				modeNames(func(m mode) bool { return m.advance != nil || m.units }), d.Name)
		}
	}
	unit := p.unit()
	switch {
	case r.part.from < 0 || r.part.from%unit != 0:
		if unit == 1 {
			return usagef("--offset: %d, want 0 or more", r.part.from)
		}
		return usagef("--offset: %d, want a multiple of %d for %s", r.part.from, unit, d.Name)
	case r.part.length < 0 || r.part.length > math.MaxInt64-r.part.from:
		return usagef("--length: %d, want 0 to %d", r.part.length, math.MaxInt64-r.part.from)
	}
	return nil
}
