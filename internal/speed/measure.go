package speed

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// Work does one operation n times.
type Work func(n int) error

// Options say how long to measure. The zero value is usable.
type Options struct {
	// Time is spent on each Work, warm-up included; 0 means DefaultTime. A Work
	// takes longer if its operations do.
	Time time.Duration
	// Clock is a monotonic clock; nil means the system's.
	Clock func() time.Duration
}

const (
	// DefaultTime is spent on a figure unless told otherwise.
	DefaultTime = 100 * time.Millisecond
	// UnreliableSpread is the Spread from which on a figure is unreliable.
	UnreliableSpread = 0.1

	// A sample is much shorter than a scheduler's time slice, so that load
	// spoils some samples wholly and leaves the others alone: the median then
	// is that of an idle machine, unless half of the samples are spoilt.
	maxSample  = 500 * time.Microsecond
	minSample  = 20 * time.Microsecond
	minSamples = 5
	maxSamples = 4000
)

// Stats is what the samples of one Work came to.
type Stats struct {
	Seconds    float64 // median time of one operation
	Spread     float64 // interquartile range of the samples over their median
	Samples    int
	Unreliable bool // Spread is too big
}

func (o Options) time() time.Duration {
	if o.Time <= 0 {
		return DefaultTime
	}
	return o.Time
}

// Measure runs the works in turns, on one thread, and returns the figures of
// each. It fails with the first error of a work.
func Measure(works []Work, o Options) ([]Stats, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	clock := o.Clock
	if clock == nil {
		epoch := time.Now()
		clock = func() time.Duration { return time.Since(epoch) }
	}
	start, budget := clock(), o.time()*time.Duration(len(works))

	sample := min(max(o.time()/32, minSample), maxSample)
	counts := make([]int, len(works))
	for i, w := range works {
		n, err := calibrate(w, sample, clock)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	samples := make([][]float64, len(works))
	for round := 0; round < maxSamples; round++ {
		if round >= minSamples && clock()-start >= budget {
			break
		}
		for turn := range works {
			i := (turn + round) % len(works) // so that none always follows the same one
			t := clock()
			if err := works[i](counts[i]); err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], (clock()-t).Seconds()/float64(counts[i]))
		}
	}
	stats := make([]Stats, len(works))
	for i := range works {
		stats[i] = summarize(samples[i])
	}
	return stats, nil
}

// calibrate finds how many operations take as long as a sample should, and
// warms caches and clock frequency up by it.
func calibrate(w Work, sample time.Duration, clock func() time.Duration) (int, error) {
	const most = 1 << 30 // for a clock that stands still
	for n := 1; ; {
		t := clock()
		if err := w(n); err != nil {
			return 0, err
		}
		took := clock() - t
		if took >= sample*4/5 || n == most {
			return max(1, int(float64(n)*min(1, float64(sample)/float64(max(took, 1))))), nil
		}
		grow := 16.0
		if took > 0 {
			grow = min(grow, 1.1*float64(sample)/float64(took))
		}
		n = int(min(most, math.Ceil(float64(n)*grow)))
	}
}

// summarize reduces samples, of which there is at least one, to their figures.
func summarize(samples []float64) Stats {
	s := slices.Sorted(slices.Values(samples))
	st := Stats{Seconds: quantile(s, 0.5), Samples: len(s)}
	if st.Seconds > 0 {
		st.Spread = (quantile(s, 0.75) - quantile(s, 0.25)) / st.Seconds
	}
	st.Unreliable = st.Spread >= UnreliableSpread || st.Seconds <= 0
	return st
}

// quantile interpolates between the two samples nearest to q.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
