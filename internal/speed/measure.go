package speed

import (
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/perf/benchmath"
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
	// Threads says that the works use other threads: they are then not held on one,
	// and samples are long enough for what starts and ends those to count little.
	Threads bool
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
	minSamples = groups
	maxSamples = 4000

	maxThreadsSample = 10 * time.Millisecond

	// groups is how many figures are kept of the samples, each the median of as many
	// that followed each other: enough for benchstat's tests.
	groups = 10
	// confidence is that of a Stats' interval.
	confidence = 0.95

	// LoadedShare is the Share under which other programs are to blame.
	LoadedShare = 0.9
	// ChangedClock is the Drift from which on the processor's clock is to blame.
	ChangedClock = 0.05
)

// Stats is what the samples of one Work came to.
type Stats struct {
	Seconds    float64 // median time of one operation
	Spread     float64 // interquartile range of the samples over their median
	Samples    int
	Unreliable bool // Spread is too big

	// Instructions of an operation, where those are counted; Seconds then is as if each
	// took a nanosecond.
	Instructions float64

	Low, High float64   // between which the median is with 95 % confidence
	Outliers  int       // samples beyond one and a half interquartile ranges from the quartiles
	Groups    []float64 // seconds; medians of the ten tenths of the samples
	Share     float64   // of the processor that the thread had meanwhile; 0 if that is unknown
	Drift     float64   // of the time that the same instructions took before and after
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
	if counter := instructions(); counter != nil && o.Clock == nil {
		return measureInstructions(works, counter)
	}
	longest := maxSample
	if o.Threads {
		longest = maxThreadsSample
	} else {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	clock := o.Clock
	if clock == nil {
		clock = func() time.Duration { return time.Since(epoch) }
	}
	start, budget := clock(), o.time()*time.Duration(len(works))

	sample := min(max(o.time()/32, minSample), longest)
	counts := make([]int, len(works))
	for i, w := range works {
		n, err := calibrate(w, sample, clock)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	samples := make([][]float64, len(works))
	before, busy, begun := paceOf(clock), threadTime(), clock()
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
	share := 0.0
	if took := clock() - begun; busy > 0 && took > 0 && !o.Threads {
		share = min(1, (threadTime()-busy).Seconds()/took.Seconds())
	}
	drift := 0.0
	if after := paceOf(clock); before > 0 {
		drift = after.Seconds()/before.Seconds() - 1
	}
	stats := make([]Stats, len(works))
	for i := range works {
		stats[i] = summarize(samples[i])
		stats[i].Share, stats[i].Drift = share, drift
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
	low, high := quantile(s, 0.25), quantile(s, 0.75)
	for _, x := range s {
		if x < low-1.5*(high-low) || x > high+1.5*(high-low) {
			st.Outliers++
		}
	}
	n := min(groups, len(samples))
	for i := range n {
		tenth := slices.Sorted(slices.Values(samples[i*len(samples)/n : (i+1)*len(samples)/n]))
		st.Groups = append(st.Groups, quantile(tenth, 0.5))
	}
	sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(st.Groups), &benchmath.DefaultThresholds), confidence)
	st.Low, st.High = min(sum.Lo, st.Seconds), max(sum.Hi, st.Seconds)
	return st
}

// paceOf is how long some instructions take that depend on each other and on
// nothing else: the least of a few times, so that only the processor's clock
// changes it.
func paceOf(clock func() time.Duration) time.Duration {
	const times, steps = 9, 10000
	least := time.Duration(math.MaxInt64)
	for range times {
		t := clock()
		x := uint64(t) | 1
		for range steps {
			x = x*x + 1
		}
		paceSink = x
		least = min(least, clock()-t)
	}
	return least
}

var paceSink uint64

// quantile interpolates between the two samples nearest to q.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
