package speed

import (
	"encoding/json"
	"fmt"
	"math"
)

// Op is what is done to a message.
type Op uint8

const (
	Encrypt Op = iota
	Decrypt
	Digest
)

func (o Op) String() string { return [...]string{"encrypt", "decrypt", "digest"}[o] }

// Result is one figure: a driver's speed at one operation on messages of one
// length.
type Result struct {
	Name, Driver string
	Op           Op
	KeyBits      int // 0 without a key
	Bytes        int // length of a message
	Asked        int // length that was asked for: modes of whole blocks round up
	Stats
	CycleRate float64 // of the processor meanwhile, for digests; 0 if it is unknown
}

// CyclesPerByte is what a byte costs, or 0 if the CycleRate is unknown.
func (r Result) CyclesPerByte() float64 { return r.Seconds * r.CycleRate / float64(max(1, r.Bytes)) }

// OpsPerSecond is the number of messages a second.
func (r Result) OpsPerSecond() float64 {
	if r.Seconds <= 0 {
		return 0
	}
	return 1 / r.Seconds
}

// MBPerSecond is in units of 10^6 bytes.
func (r Result) MBPerSecond() float64 { return r.OpsPerSecond() * float64(r.Bytes) / 1e6 }

// MarshalJSON gives the object that "ucrypt speed --json" prints; other
// programs read it, so it may grow, not change.
func (r Result) MarshalJSON() ([]byte, error) {
	thousandths := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	asked := 0
	if r.Asked != r.Bytes {
		asked = r.Asked
	}
	var confidence []float64
	if r.High > 0 {
		confidence = []float64{nanoseconds(r.Low), nanoseconds(r.High)}
	}
	if r.Instructions > 0 {
		return json.Marshal(resultJSON{Name: r.Name, Driver: r.Driver, Op: r.Op.String(), KeyBits: r.KeyBits, Bytes: r.Bytes, Samples: r.Samples,
			Asked: asked, Instructions: thousandths(r.Instructions)})
	}
	return json.Marshal(resultJSON{r.Name, r.Driver, r.Op.String(), r.KeyBits, r.Bytes, math.Round(r.OpsPerSecond()), thousandths(r.MBPerSecond()),
		thousandths(r.Spread), r.Samples, r.Unreliable, asked,
		confidence, r.Outliers, nanosecondsOf(r.Groups), nanoseconds(r.Seconds), thousandths(r.CyclesPerByte()), 0})
}

// resultJSON is a Result as it is written.
type resultJSON struct {
	Name       string    `json:"name"`
	Driver     string    `json:"driver"`
	Op         string    `json:"op"`
	KeyBits    int       `json:"keybits"`
	Bytes      int       `json:"bytes"`
	Ops        float64   `json:"ops_per_s"`
	MB         float64   `json:"mb_per_s"`
	Spread     float64   `json:"spread"`
	Samples    int       `json:"samples"`
	Unreliable bool      `json:"unreliable,omitempty"`
	Asked      int       `json:"asked_bytes,omitempty"`
	Confidence []float64 `json:"ns_95,omitempty"`
	Outliers   int       `json:"outliers,omitempty"`
	Groups     []float64 `json:"samples_ns,omitempty"`
	NS         float64   `json:"ns,omitempty"`
	Cycles     float64   `json:"cycles_per_byte,omitempty"`
	// Instructions of a message instead of times, under an emulator that counts them.
	Instructions float64 `json:"instructions,omitempty"`
}

func nanoseconds(seconds float64) float64 { return math.Round(seconds*1e12) / 1e3 }

func nanosecondsOf(seconds []float64) []float64 {
	ns := make([]float64, len(seconds))
	for i, s := range seconds {
		ns[i] = nanoseconds(s)
	}
	return ns
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(b []byte) error {
	var in resultJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Result{Name: in.Name, Driver: in.Driver, KeyBits: in.KeyBits, Bytes: in.Bytes, Asked: in.Bytes}
	if in.Asked > 0 {
		r.Asked = in.Asked
	}
	found := false
	for _, op := range []Op{Encrypt, Decrypt, Digest} {
		if op.String() == in.Op {
			r.Op, found = op, true
		}
	}
	if !found || in.NS <= 0 && in.Ops <= 0 {
		return fmt.Errorf("not a figure of ucrypt speed: op %q, %v ns", in.Op, in.NS)
	}
	r.Seconds = in.NS / 1e9
	if in.NS <= 0 {
		r.Seconds = 1 / in.Ops
	}
	r.Spread, r.Samples, r.Unreliable, r.Outliers = in.Spread, in.Samples, in.Unreliable, in.Outliers
	if len(in.Confidence) == 2 {
		r.Low, r.High = in.Confidence[0]/1e9, in.Confidence[1]/1e9
	}
	for _, ns := range in.Groups {
		r.Groups = append(r.Groups, ns/1e9)
	}
	return nil
}

// Index finds results by what they are of.
type Index map[Key]Result

// Key is what tells results apart. Asked is the length that was asked for.
type Key struct {
	Driver         string
	Op             Op
	KeyBits, Asked int
}

// Add enters results.
func (x Index) Add(results ...Result) {
	for _, r := range results {
		x[Key{r.Driver, r.Op, r.KeyBits, r.Asked}] = r
	}
}

// Ratio is the speed of k's driver over that of another one, or 0 if one of
// them was not measured; the second result says whether one of the two figures
// is unreliable.
func (x Index) Ratio(k Key, over string) (ratio float64, unreliable bool) {
	a := x[k]
	k.Driver = over
	b := x[k]
	if a.Seconds <= 0 || b.Seconds <= 0 {
		return 0, false
	}
	return b.Seconds / a.Seconds, a.Unreliable || b.Unreliable
}
