package speed

import "time"

// CycleRate returns about how many cycles a second the processor makes now, in this
// thread's circumstances, or 0 under an emulator, which has none.
//
// What the system says is not it: a hypervisor often hides the boost. So a chain of
// additions and XORs is timed, each of which needs the result of the one before and
// takes one cycle on every processor that Go runs on. The quickest of several samples,
// a few milliseconds in all, is the one that nothing disturbed.
func CycleRate(m Machine) float64 {
	if m.Emulated != "" {
		return 0
	}
	const rounds, samples = 3000, 64
	best := time.Duration(0)
	var x uint
	for range samples {
		start := time.Now()
		x = chain(rounds, x, 0x5bd1e995, 0x1b873593)
		if took := time.Since(start); best == 0 || took > 0 && took < best {
			best = took
		}
	}
	chainEnd = x
	return rounds * chainLength / best.Seconds()
}

var chainEnd uint

// chainLength is how many operations a round of chain has, one after the other.
const chainLength = 32

//go:noinline
func chain(rounds int, x, a, b uint) uint {
	for range rounds {
		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b

		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b

		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b

		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b
		x = (x + a) ^ b
	}
	return x
}
