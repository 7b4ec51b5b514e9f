package speed

import "sync"

// InstructionsVariable is the environment variable that names the file in which
// plugin/count.c counts an emulated program's instructions. With it, figures are
// instructions instead of times, which mean nothing there.
const InstructionsVariable = "UCRYPT_INSTRUCTIONS"

// instructions returns what reads the count, or nil if nothing counts.
var instructions = sync.OnceValue(openInstructions)

// CountsInstructions reports whether figures are of instructions.
func CountsInstructions() bool { return instructions() != nil }

const (
	instructionRuns  = 20 // operations of the shorter run
	instructionTimes = 5
)

// countInstructions is how many instructions an operation takes: a run is
// compared with one of twice the length, so that what surrounds the operations
// falls out, and the least of a few differences is the one without other
// threads.
func countInstructions(w Work, counter func() uint64) (float64, error) {
	run := func(n int) (uint64, error) {
		before := counter()
		err := w(n)
		return counter() - before, err
	}
	if err := w(1); err != nil {
		return 0, err
	}
	var short, long uint64
	for i := range instructionTimes {
		s, err := run(instructionRuns)
		if err != nil {
			return 0, err
		}
		l, err := run(2 * instructionRuns)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			short, long = s, l
		}
		short, long = min(short, s), min(long, l)
	}
	return max(0, float64(long)-float64(short)) / instructionRuns, nil
}

// measureInstructions is Measure under a counter: there is nothing to take turns
// for.
func measureInstructions(works []Work, counter func() uint64) ([]Stats, error) {
	stats := make([]Stats, len(works))
	for i, w := range works {
		n, err := countInstructions(w, counter)
		if err != nil {
			return nil, err
		}
		// As if each took a nanosecond, so that ratios hold.
		stats[i] = Stats{Seconds: n * 1e-9, Samples: instructionTimes, Instructions: n}
	}
	return stats, nil
}
