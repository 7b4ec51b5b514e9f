// Package bars measures drivers beside their peers and judges the ratios against
// the bars that the project set itself. Commands with rows of their own use its parts.
//
// Both sides of a line work in turns, in one program and on one thread, in
// samples of at most half a millisecond; a ratio is the median of the rounds'
// ratios, so that load meets both sides alike.
package bars

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ucrypt"
	"ucrypt/internal/speed"
)

// Line is one comparison: the time of Peer over that of Ours.
type Line struct {
	What       string
	Bytes      int
	Ours, Peer Side
	Bar        float64 // least ratio; 0 if there is none
}

// Side is one of the two that a line compares.
type Side struct {
	Name string
	Open func() (speed.Work, error)
}

// Call is a side that calls crypt again and again.
func Call(name string, crypt func() error) Side {
	return Side{name, func() (speed.Work, error) {
		return func(n int) error {
			for range n {
				if err := crypt(); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// Driver is the side of a driver of the registry, keyed once.
func Driver(name string, op speed.Op, keyBits, bytes int) Side {
	return Side{name, func() (speed.Work, error) {
		d, err := ucrypt.Lookup(name)
		if err != nil {
			return nil, err
		}
		return speed.Registry.Open(d, op, keyBits, bytes)
	}}
}

// Pattern is n bytes that are not all alike.
func Pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + 1)
	}
	return b
}

// Usable reports whether a driver can be used here.
func Usable(name string) bool {
	_, err := ucrypt.Lookup(name)
	return err == nil
}

// Best is the driver that serves an algorithm.
func Best(algorithm string) string {
	d, err := ucrypt.Lookup(algorithm)
	if err != nil {
		return algorithm
	}
	return d.DriverName
}

// Heading refuses rounds that measure nothing, and prints what the figures below it
// depend on: what they are of the rounds, such as medians, and how they were taken.
func Heading(w io.Writer, rounds int, each time.Duration, what, how string) error {
	if rounds < 1 || each <= 0 {
		return errors.New("--rounds and --time must be more than 0")
	}
	m := speed.ThisMachine()
	fmt.Fprintf(w, "%s, %s, %s\n", m.Processor, m.System, m.Go)
	if m.Emulated != "" {
		fmt.Fprintf(w, "emulated (%s): these times mean nothing\n", m.Emulated)
	}
	fmt.Fprintf(w, "%s of %d rounds of %v, one thread%s\n\n", what, rounds, each, how)
	return nil
}

// Report measures the lines and prints a row for each.
func Report(w io.Writer, lines []Line, rounds int, each time.Duration) error {
	if err := Heading(w, rounds, each, "medians", ", in place"); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-34s%8s  %-24s%11s  %-26s%11s%8s%7s\n", "", "bytes", "driver", "ns", "over", "ns", "ratio", "bar")
	var tally Tally
	for _, l := range lines {
		ours, theirs, err := measure(l, rounds, each)
		if err != nil {
			return fmt.Errorf("%s, %d bytes: %w", l.What, l.Bytes, err)
		}
		ratio := Median(Quotients(theirs, ours))
		fmt.Fprintf(w, "%-34s%8d  %-24s%11.1f  %-26s%11.1f%8.2f%s\n", l.What, l.Bytes, l.Ours.Name, 1e9*Median(ours), l.Peer.Name, 1e9*Median(theirs), ratio, tally.Judge(ratio, l.Bar))
	}
	fmt.Fprintf(w, "\n%v met\n", tally)
	return nil
}

// Tally counts the bars that are met.
type Tally struct{ met, all int }

// Judge returns the end of a line: its bar and whether the ratio meets it, or
// nothing if there is no bar.
func (t *Tally) Judge(ratio, bar float64) string {
	if bar == 0 {
		return ""
	}
	t.all++
	verdict := "BELOW"
	if ratio >= bar {
		t.met++
		verdict = "met"
	}
	return fmt.Sprintf("%7.2f  %s", bar, verdict)
}

func (t Tally) String() string { return fmt.Sprintf("%d of %d bars", t.met, t.all) }

// measure returns the seconds of each round for both sides.
func measure(l Line, rounds int, each time.Duration) (ours, theirs []float64, err error) {
	a, err := l.Ours.Open()
	if err != nil {
		return nil, nil, err
	}
	b, err := l.Peer.Open()
	if err != nil {
		return nil, nil, err
	}
	return Turns(a, b, rounds, each, Seconds)
}

// Seconds is the figure of a round that most commands take: the median.
func Seconds(s speed.Stats) float64 { return s.Seconds }

// Turns lets both sides work in turns and returns the figure of each round.
func Turns(a, b speed.Work, rounds int, each time.Duration, figure func(speed.Stats) float64) (ours, theirs []float64, err error) {
	for range rounds {
		stats, err := speed.Measure([]speed.Work{a, b}, speed.Options{Time: each})
		if err != nil {
			return nil, nil, err
		}
		ours, theirs = append(ours, figure(stats[0])), append(theirs, figure(stats[1]))
	}
	return ours, theirs, nil
}

// Quotients divides the times of each round.
func Quotients(theirs, ours []float64) []float64 {
	q := make([]float64, len(ours))
	for i := range q {
		q[i] = theirs[i] / ours[i]
	}
	return q
}

// Median is the middle one of the figures, or the mean of two.
func Median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[n/2] + s[(n-1)/2]) / 2
}
