package speed

import (
	"encoding/json"
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
}

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
	return json.Marshal(struct {
		Name       string  `json:"name"`
		Driver     string  `json:"driver"`
		Op         string  `json:"op"`
		KeyBits    int     `json:"keybits"`
		Bytes      int     `json:"bytes"`
		Ops        float64 `json:"ops_per_s"`
		MB         float64 `json:"mb_per_s"`
		Spread     float64 `json:"spread"`
		Samples    int     `json:"samples"`
		Unreliable bool    `json:"unreliable,omitempty"`
		Asked      int     `json:"asked_bytes,omitempty"`
	}{r.Name, r.Driver, r.Op.String(), r.KeyBits, r.Bytes, math.Round(r.OpsPerSecond()), thousandths(r.MBPerSecond()),
		thousandths(r.Spread), r.Samples, r.Unreliable, asked})
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
