package speed

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"golang.org/x/perf/benchmath"
)

// Earlier is the figures of an earlier run, by what they are of.
type Earlier map[earlierKey]Result

type earlierKey struct {
	Key
	Name  string
	Bytes int
}

func keyOf(r Result) earlierKey {
	return earlierKey{Key{r.Driver, r.Op, r.KeyBits, 0}, r.Name, r.Bytes}
}

// ReadEarlier reads what "ucrypt speed --json" printed.
func ReadEarlier(r io.Reader) (Earlier, error) {
	all := Earlier{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var result Result
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(result.Groups) == 0 {
			return nil, fmt.Errorf("line %d has no samples_ns: an older version wrote it", n)
		}
		all[keyOf(result)] = result
	}
	return all, lines.Err()
}

// Change is what became of a figure.
type Change struct {
	Old, New Result
	// Delta is the change of the speed, as "+3.21%", or "~" if chance explains it.
	Delta string
	// Test is p and the numbers of samples of benchstat's test.
	Test string
}

// Compare compares a figure with the earlier one, if there is one.
func (e Earlier) Compare(r Result) (c Change, ok bool) {
	old, ok := e[keyOf(r)]
	if !ok {
		return Change{}, false
	}
	sample := func(r Result) *benchmath.Sample {
		var speeds []float64
		for _, s := range r.Groups {
			speeds = append(speeds, 1/s)
		}
		return benchmath.NewSample(speeds, &benchmath.DefaultThresholds)
	}
	test := benchmath.AssumeNothing.Compare(sample(old), sample(r))
	return Change{old, r, test.FormatDelta(old.OpsPerSecond(), r.OpsPerSecond()), test.String()}, true
}

// Cost is what a call and what a byte costs, in seconds.
type Cost struct{ Call, Byte float64 }

// CostOf fits a line through the times of results that differ in length only,
// so that each length's relative error counts alike. It needs three lengths.
func CostOf(results []Result) (Cost, bool) {
	var w, x, y, xx, xy float64
	lengths := map[int]bool{}
	for _, r := range results {
		if r.Seconds <= 0 {
			continue
		}
		weight, n := 1/(r.Seconds*r.Seconds), float64(r.Bytes)
		w, x, y, xx, xy = w+weight, x+weight*n, y+weight*r.Seconds, xx+weight*n*n, xy+weight*n*r.Seconds
		lengths[r.Bytes] = true
	}
	if len(lengths) < 3 {
		return Cost{}, false
	}
	slope := (w*xy - x*y) / (w*xx - x*x)
	return Cost{(y - slope*x) / w, slope}, true
}
