package blake2s

// Compress runs the routine of tier t on whole blocks.
func (t Tier) Compress(h *[8]uint32, counter uint64, last uint32, blocks []byte) {
	t.compress(h, counter, last, blocks)
}

// SetCounter makes d believe that it has compressed n bytes.
func (d *Digest) SetCounter(n uint64) { d.count = n }

// Assembly is the GOARCH whose routines are built in.
const Assembly = assembly

// MaxCall is how many bytes a routine takes in one call.
const MaxCall = maxCall

// Lanes is what a routine for many messages works on.
type Lanes struct {
	H       [8][16]uint32
	Counter [2][16]uint32
	Last    [16]uint32
}

// CompressMany runs the routine of tier t of that width on n blocks from each of
// p on.
func CompressMany(t ManyTier, width int, l *Lanes, p *[16]*byte, n int) {
	in := lanes{l.H, l.Counter, l.Last}
	compressMany(t, width, &in, p, n)
	*l = Lanes{in.h, in.counter, in.last}
}

// PreferredOn is Preferred on a processor of that family, or of another one.
func PreferredOn(zen5 bool) []Tier { return preferred(zen5) }
