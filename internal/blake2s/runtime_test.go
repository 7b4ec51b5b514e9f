package blake2s_test

import (
	"bytes"
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	"ucrypt/internal/blake2s"
	"ucrypt/internal/kat"
)

// TestRuntime hashes while all that the runtime does to a goroutine from
// outside is going on: asynchronous preemption, garbage collections that stop
// and scan it, profiling signals, execution tracing, and stacks that move. A
// routine that misuses g, the stack pointer or the frame does not survive it.
//
// Before v7 of 32-bit Arm, Go's 64-bit atomic operations are made with locks,
// and under an emulator a profiling signal can wait for one that it has itself
// interrupted, with no assembly of ours (Go 1.26, qemu 7.2). The routine is the
// same for all versions, so v7 stands for them there; and nowhere does the test
// profile and trace at once.
func TestRuntime(t *testing.T) {
	t.Run("profile", func(t *testing.T) {
		if emulated && runtime.GOARCH == "arm" && !arm7 {
			t.Skip("not run: profiling signals: Go does not bear them on an emulated Arm before v7")
		}
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Skip(err)
		}
		defer pprof.StopCPUProfile()
		testRuntime(t)
	})
	t.Run("trace", func(t *testing.T) {
		if err := trace.Start(io.Discard); err != nil {
			t.Skip(err)
		}
		defer trace.Stop()
		testRuntime(t)
	})
}

func testRuntime(t *testing.T) {
	span := 300 * time.Millisecond
	if emulated {
		span = 1500 * time.Millisecond
	}
	if testing.Short() && !emulated {
		span = 100 * time.Millisecond
	}
	data := pattern(3*blake2s.MaxCall + 100)
	forTiers(t, func(t *testing.T, tier blake2s.Tier) {
		want := sum(blake2s.Generic, 32, kat.Key(32), data)
		short := sum(blake2s.Generic, 32, kat.Key(32), data[:100])
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
		var wg sync.WaitGroup
		stop := make(chan struct{})
		background := func(f func()) {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						f()
					}
				}
			})
		}
		background(runtime.GC)
		background(func() { runtime.Stack(make([]byte, 1<<16), true) })
		for offset := range 4 {
			// The message moves to other alignments, and half of the goroutines
			// hash at the end of a stack that has just grown.
			message := append(make([]byte, offset, offset+len(data)), data...)[offset:]
			background(func() {
				if got := sum(tier, 32, kat.Key(32), message); !bytes.Equal(got, want) {
					t.Errorf("%x, want %x", got, want)
				}
			})
			background(func() {
				done := make(chan []byte)
				go func() { done <- deep(20+60*offset, tier, message[:100]) }()
				if got := <-done; !bytes.Equal(got, short) {
					t.Errorf("on a deep stack: %x, want %x", got, short)
				}
			})
		}
		time.Sleep(span)
		close(stop)
		wg.Wait()
	})
}

//go:noinline
func deep(n int, tier blake2s.Tier, message []byte) []byte {
	var room [256]byte
	if n > 0 {
		room[n%256] = byte(n)
		out := deep(n-1, tier, message)
		if room[n%256] != byte(n) {
			panic("the stack was overwritten")
		}
		return out
	}
	return sum(tier, 32, kat.Key(32), message)
}
