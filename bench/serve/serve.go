// Package serve lets a program measure at another one's request, so that builds
// that cannot be in one program work in turns: a JSON object a line, requests on
// standard input and answers on standard output.
package serve

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"ucrypt/internal/speed"
)

// Hello is what a program says of itself before the first request.
type Hello struct {
	Versions map[string]string // modules that it was built with
	Tags     string            // build tags
	Drivers  []string          // that it can measure; nil if it has no such thing
}

// Request asks for one figure.
type Request struct {
	Driver  string `json:",omitempty"`
	Mode    string
	Decrypt bool
	Bytes   int
	Time    time.Duration
}

// Answer is the median time of an operation.
type Answer struct {
	Seconds float64
	Error   string
}

// Run answers requests until there are no more, and ends the program with
// status 1 if it cannot.
func Run(drivers []string, open func(Request) (speed.Work, error)) {
	if err := run(os.Stdin, os.Stdout, drivers, open); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func run(r io.Reader, w io.Writer, drivers []string, open func(Request) (speed.Work, error)) error {
	in, out := json.NewDecoder(r), json.NewEncoder(w)
	hello := Hello{Versions: map[string]string{}, Drivers: drivers}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			hello.Versions[m.Path] = m.Version
		}
		if i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-tags" }); i >= 0 {
			hello.Tags = info.Settings[i].Value
		}
	}
	if err := out.Encode(hello); err != nil {
		return err
	}
	works := map[Request]speed.Work{}
	for {
		var q Request
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := out.Encode(answer(q, works, open)); err != nil {
			return err
		}
	}
}

func answer(q Request, works map[Request]speed.Work, open func(Request) (speed.Work, error)) Answer {
	w, ok := works[q]
	if !ok {
		var err error
		if w, err = open(q); err != nil {
			return Answer{Error: err.Error()}
		}
		works[q] = w
	}
	stats, err := speed.Measure([]speed.Work{w}, speed.Options{Time: q.Time})
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return Answer{Seconds: stats[0].Seconds}
}
