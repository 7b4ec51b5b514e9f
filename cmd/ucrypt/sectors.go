package main

import (
	"encoding/binary"
	"math"
	"strconv"

	"ucrypt"
)

// sectorFlags are the flags of work on sectors, numbered as dm-crypt's plain64
// does.
type sectorFlags struct {
	first uint64
	size  int
	large bool
}

const (
	// dmSector is the unit that dm-crypt numbers in, whatever a sector's size,
	// unless it is told iv_large_sectors.
	dmSector = 512
	// maxSector keeps the buffers within bufferMemory, with any number of threads.
	maxSector = 64 << 10
)

// checkSectors reports whether the input consists of sectors.
func (r *crypt) checkSectors(d ucrypt.Driver, m mode) (bool, error) {
	for _, flag := range []string{"first-sector", "sector-size", "iv-large-sectors"} {
		switch {
		case !r.given(flag):
		case !m.units:
			return false, usagef("--%s is for modes of sectors (%s), which %s is not", flag, modeNames(func(m mode) bool { return m.units }), d.Name)
		case r.given("iv"):
			return false, usagef("--%s and --iv exclude each other: the iv of a sector is its number", flag)
		case !r.given("first-sector"):
			return false, usagef("--%s needs --first-sector with the first sector's number", flag)
		}
	}
	if !r.given("first-sector") {
		return false, nil
	}
	f := &r.sectors
	least := max(m.block, m.least)
	switch {
	case f.size < least || f.size > maxSector || f.size%m.block != 0:
		multiple := ""
		if m.block > 1 {
			multiple = " in multiples of " + strconv.Itoa(m.block)
		}
		return false, usagef("--sector-size: %d, want %d to %d%s for %s", f.size, least, maxSector, multiple, d.Name)
	case f.size%dmSector != 0 && !f.large:
		return false, usagef("--sector-size: %d, want a multiple of %d, in which sectors are numbered, or --iv-large-sectors, which numbers them by 1", f.size, dmSector)
	}
	return true, nil
}

// apply makes p work on sectors, and returns the iv of the first.
func (f *sectorFlags) apply(p *pipeline) []byte {
	p.sector, p.step = f.size, 1
	if !f.large {
		p.step = uint64(f.size / dmSector)
	}
	p.mode.advance = addSectors(p.sector, p.step)
	p.numbered = math.MaxInt64
	if after := (math.MaxUint64 - f.first) / p.step; after < math.MaxInt64/uint64(p.sector) {
		p.numbered = int64(after+1) * int64(p.sector)
	}
	p.first = f.first
	iv := make([]byte, blockSize)
	binary.LittleEndian.PutUint64(iv, f.first)
	return iv
}

// checkNumbers refuses an input of which more than size bytes are worked, if the
// last one's sector has no number: they would begin at 0 again, with ivs that
// others have had.
func (p *pipeline) checkNumbers(size int64) error {
	if p.sector == 0 || size <= p.numbered {
		return nil
	}
	return usagef("--first-sector: %d, of which on there are numbers for %d bytes of the input in sectors of %d; want at most %d for %d bytes",
		p.first, p.numbered, p.sector, math.MaxUint64-uint64((size-1)/int64(p.sector))*p.step, size)
}
