package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"ucrypt"
	"ucrypt/internal/speed"
)

// What tcrypt prints, as the kernel 6.12 prints it and without dmesg's stamps:
// programs read it, so it must not change.

// tcryptText is a line of tcrypt's, with the heading if it is the first one.
func tcryptText(t speed.Trial) string {
	const prefix = "tcrypt: "
	if t.Missing {
		if t.Mode.AEAD {
			return fmt.Sprintf(prefix+"alg: aead: Failed to load transform for %s: %d\n", t.Algorithm, -2)
		}
		return fmt.Sprintf(prefix+"failed to load transform for %s: %d\n", t.Algorithm, -2)
	}
	var b strings.Builder
	direction := ""
	if t.Op != speed.Digest {
		direction = " " + t.Op.String()[:2] + "cryption"
	}
	if t.Index == 0 {
		kind := "sync "
		switch {
		case t.Mode.Multi:
			kind = "multibuffer "
		case t.Mode.AEAD:
			kind = ""
		case t.Mode.Hash || t.Mode.Async: // every hash is asynchronous to tcrypt
			kind = "async "
		}
		fmt.Fprintf(&b, prefix+"testing speed of %s%s (%s)%s\n", kind, t.Algorithm, t.Driver, direction)
	}
	switch {
	case t.Mode.Hash:
		fmt.Fprintf(&b, prefix+"test%3d (%5d byte blocks,%5d bytes per update,%4d updates): ", t.Index, t.Bytes, t.Update, t.Bytes/t.Update)
		if t.Mode.Multi {
			b.WriteString(cipherFigure(t))
		} else if t.Seconds > 0 {
			fmt.Fprintf(&b, "%6d opers/sec, %9d bytes/sec\n", t.Operations/t.Seconds, int64(t.Operations)*int64(t.Bytes)/int64(t.Seconds))
		} else {
			fmt.Fprintf(&b, "%6d cycles/operation, %4d cycles/byte\n", t.Cycles, t.Cycles/uint64(t.Bytes))
		}
	default:
		fmt.Fprintf(&b, prefix+"test %d (%d bit key, %d byte blocks): ", t.Index, t.KeyBits, t.Bytes)
		b.WriteString(cipherFigure(t))
	}
	return b.String()
}

// cipherFigure is the figure of a cipher's line, and of a hash's of many messages.
func cipherFigure(t speed.Trial) string {
	if t.Seconds > 0 {
		return fmt.Sprintf("%d operations in %d seconds (%d bytes)\n", t.Operations, t.Seconds, int64(t.Operations)*int64(t.Bytes))
	}
	return fmt.Sprintf("1 operation in %d cycles (%d bytes)\n", t.Cycles, t.Bytes)
}

// listModes is what --mode without a number prints.
func listModes(w io.Writer) error {
	var b strings.Builder
	for _, m := range speed.Modes() {
		var names []string
		for _, t := range m.Tests {
			names = append(names, t.Algorithm)
		}
		fmt.Fprintf(&b, "%d  %-32s %s\n", m.Number, m.Title, strings.Join(names, " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// modesOf finds the modes of tcrypt's numbers.
func modesOf(numbers []string) ([]speed.Mode, error) {
	var modes []speed.Mode
	for _, text := range numbers {
		for word := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(word)
			all := speed.Modes()
			i := slices.IndexFunc(all, func(m speed.Mode) bool { return m.Number == n })
			if err != nil || i < 0 {
				return nil, usagef("--mode %s: no such mode; --mode alone lists them", word)
			}
			modes = append(modes, all[i])
		}
	}
	return modes, nil
}

// tcrypt runs modes, each for every driver that was asked for.
func (f *speedFlags) tcrypt(w io.Writer, src speed.Source, modes []speed.Mode) error {
	if f.sec == 0 && !speed.CountsCycles() {
		fmt.Fprintln(os.Stderr, "ucrypt speed: programs cannot read this processor's cycles: nanoseconds instead")
	}
	o := speed.TcryptOptions{Seconds: f.sec, Messages: f.numMB}
	drivers := f.drivers
	if !f.driversGiven {
		drivers = []string{"best"}
	}
	for i := range modes {
		if f.numMBGiven {
			if modes[i].AEAD {
				return usagef("--num-mb is for ciphers and hashes, which %s is not", modes[i].Tests[0].Algorithm)
			}
			modes[i].Multi, modes[i].Async = true, false
		}
	}
	for i := range modes {
		o.Queue = speed.Queued{}
		if modes[i].Async = modes[i].Async || f.async; modes[i].Async {
			o.Queue = speed.Queued{InFlight: f.inFlight, Workers: f.workers} // 0 in flight: one at a time, as tcrypt
		}
		for _, o.Driver = range drivers {
			for t, err := range src.Tcrypt(&modes[i], o) {
				if err != nil {
					return err
				}
				if _, err := io.WriteString(w, tcryptText(t)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// namedModes makes modes of algorithms, for --format tcrypt, with the lengths
// and key sizes that cells have.
func namedModes(algorithms []speed.Algorithm, cells []speed.Cell, async bool) []speed.Mode {
	var modes []speed.Mode
	for _, a := range algorithms {
		if len(a.Drivers) == 0 || a.Drivers[0].Type == ucrypt.TypeCipher {
			continue
		}
		m := speed.Mode{Async: async, AEAD: a.Drivers[0].Type == ucrypt.TypeAEAD, Hash: a.Drivers[0].Type == ucrypt.TypeShash}
		test := speed.ModeTest{Algorithm: a.Name}
		for _, c := range cells {
			if c.Name == a.Name && !slices.Contains(m.Lengths, c.Asked) {
				m.Lengths = append(m.Lengths, c.Asked)
			}
			if c.Name == a.Name && !slices.Contains(test.KeyBits, c.KeyBits) {
				test.KeyBits = append(test.KeyBits, c.KeyBits)
			}
		}
		m.Tests = []speed.ModeTest{test}
		modes = append(modes, m)
	}
	return modes
}
