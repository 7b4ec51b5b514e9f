package speed

import (
	"errors"
	"math"
	"testing"
	"time"
)

// fakeClock is a clock that only the fake works move.
type fakeClock struct{ now time.Duration }

func (c *fakeClock) clock() time.Duration { return c.now }

// work takes each for an operation, plus what noise adds to a run.
func (c *fakeClock) work(each time.Duration, noise func() time.Duration) Work {
	return func(n int) error {
		c.now += time.Duration(n) * each
		if noise != nil {
			c.now += noise()
		}
		return nil
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.02*want {
		t.Errorf("%s = %v, want about %v", what, got, want)
	}
}

func TestMeasure(t *testing.T) {
	c := &fakeClock{}
	stats, err := Measure([]Work{c.work(100*time.Nanosecond, nil), c.work(3*time.Microsecond, nil), c.work(40*time.Millisecond, nil)},
		Options{Time: 20 * time.Millisecond, Clock: c.clock})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "short operation", stats[0].Seconds, 100e-9)
	near(t, "longer operation", stats[1].Seconds, 3e-6)
	near(t, "operation longer than its time", stats[2].Seconds, 40e-3)
	for i, s := range stats {
		if s.Unreliable || s.Spread > 0.01 || s.Samples < minSamples {
			t.Errorf("work %d: %+v, want a reliable figure of at least %d samples", i, s, minSamples)
		}
	}
}

// TestTime holds the measuring to the time that it was given.
func TestTime(t *testing.T) {
	for _, each := range []time.Duration{time.Nanosecond, 700 * time.Nanosecond, 90 * time.Microsecond} {
		for _, limit := range []time.Duration{10 * time.Millisecond, DefaultTime, time.Second} {
			c := &fakeClock{}
			if _, err := Measure([]Work{c.work(each, nil), c.work(2*each, nil)}, Options{Time: limit, Clock: c.clock}); err != nil {
				t.Fatal(err)
			}
			if c.now < 2*limit*9/10 || c.now > 2*limit*13/10 {
				t.Errorf("operations of %v took %v, want about 2 x %v", each, c.now, limit)
			}
		}
	}
}

// TestNoise lets a third of the samples take three times as long: the median
// stays, and the figure is marked.
func TestNoise(t *testing.T) {
	c := &fakeClock{}
	runs := 0
	w := c.work(time.Microsecond, func() time.Duration {
		if runs++; runs%3 == 0 {
			return time.Millisecond
		}
		return 0
	})
	stats, err := Measure([]Work{w}, Options{Clock: c.clock})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "median", stats[0].Seconds, 1e-6)
	if !stats[0].Unreliable || stats[0].Spread < UnreliableSpread {
		t.Errorf("%+v, want it unreliable", stats[0])
	}
}

// TestTurns expects the works to alternate: every sample of one has a sample of
// each other one beside it.
func TestTurns(t *testing.T) {
	c := &fakeClock{}
	var log []int
	var works []Work
	for i := range 3 {
		w := c.work(time.Duration(i+1)*10*time.Microsecond, nil)
		works = append(works, func(n int) error { log = append(log, i); return w(n) })
	}
	stats, err := Measure(works, Options{Time: 10 * time.Millisecond, Clock: c.clock})
	if err != nil {
		t.Fatal(err)
	}
	n := stats[0].Samples
	for log = log[len(log)-3*n:]; len(log) > 0; log = log[3:] {
		if log[0]+log[1]+log[2] != 3 || log[0] == log[1] || log[1] == log[2] {
			t.Fatalf("a round ran the works %v, want each once", log[:3])
		}
	}
}

func TestStandingClock(t *testing.T) {
	stats, err := Measure([]Work{func(int) error { return nil }}, Options{Clock: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	if !stats[0].Unreliable {
		t.Errorf("%+v, want it unreliable", stats[0])
	}
	if r := (Result{Bytes: 16, Stats: stats[0]}); r.OpsPerSecond() != 0 || r.MBPerSecond() != 0 {
		t.Errorf("%v operations a second, want 0", r.OpsPerSecond())
	}
}

func TestWorkFails(t *testing.T) {
	broken := errors.New("broken")
	for fails := range 4 {
		c := &fakeClock{}
		good, runs := c.work(time.Millisecond, nil), 0
		_, err := Measure([]Work{good, func(n int) error {
			if runs++; runs > fails {
				return broken
			}
			return good(n)
		}}, Options{Clock: c.clock})
		if !errors.Is(err, broken) {
			t.Errorf("a work that fails after %d runs: error %v", fails, err)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		samples []float64
		q, want float64
	}{
		{[]float64{7}, 0.5, 7},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2, 3}, 0.5, 2},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4, 5}, 0.75, 4},
		{[]float64{1, 2, 3, 4}, 1, 4},
	} {
		if got := quantile(test.samples, test.q); got != test.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", test.samples, test.q, got, test.want)
		}
	}
}

// TestStatistics finds the outliers of samples, and an interval that holds the
// median.
func TestStatistics(t *testing.T) {
	var samples []float64
	for i := range 100 {
		samples = append(samples, 1+float64(i%10)/1000)
	}
	samples[3], samples[50], samples[97] = 2, 3, 0.1
	s := summarize(samples)
	if s.Outliers != 3 || s.Samples != 100 || len(s.Groups) != groups {
		t.Errorf("%+v, want 3 outliers", s)
	}
	if s.Low > s.Seconds || s.High < s.Seconds || s.Low < 0.99 || s.High > 1.01 {
		t.Errorf("%v lies between %v and %v", s.Seconds, s.Low, s.High)
	}
	one := summarize([]float64{5})
	if one.Seconds != 5 || len(one.Groups) != 1 {
		t.Errorf("one sample: %+v", one)
	}
}

// TestCost separates what a call costs from what a byte costs.
func TestCost(t *testing.T) {
	var results []Result
	for _, n := range []int{16, 64, 1024, 4096} {
		results = append(results, Result{Bytes: n, Stats: Stats{Seconds: 50e-9 + float64(n)*2e-9}})
	}
	cost, ok := CostOf(results)
	near(t, "call", cost.Call, 50e-9)
	near(t, "byte", cost.Byte, 2e-9)
	if _, few := CostOf(results[:2]); !ok || few {
		t.Error("two lengths are not enough, four are")
	}
}

// TestDrift notices that the clock of the processor changes meanwhile.
func TestDrift(t *testing.T) {
	// Each look moves the clock by as much as what is timed seems to take: a
	// microsecond, and two from the 20th piece of work on, when counting is over.
	now, step, calls := time.Duration(0), time.Microsecond, 0
	clock := func() time.Duration { now += step; return now }
	stats, err := Measure([]Work{func(int) error {
		if calls++; calls == 20 {
			step *= 2
		}
		return nil
	}}, Options{Time: time.Millisecond, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "drift", stats[0].Drift, 1)
}
