package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// All that the command does differently on a terminal is in this file. It never
// uses colours, and it shortens nothing but its own status line.

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// refuseTerminal is the error of binary output that would go to a terminal.
func refuseTerminal(f *os.File) error {
	if isTerminal(f) {
		return usagef("standard output is a terminal and the output is binary: name a file with -o FILE, or a pipe, or insist with -o -")
	}
	return nil
}

// promptHidden asks for a line on the controlling terminal, even if standard
// input is something else, without showing what is typed.
func promptHidden(prompt string) (string, error) {
	in, out := os.Stdin, os.Stderr
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		defer tty.Close()
		in, out = tty, tty
	}
	fd := int(in.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", errNoTerminal
	}
	var forget func()
	uninterrupted(func() {
		forget = onSignal(func() {
			term.Restore(fd, state)
			fmt.Fprintln(out)
		})
	})
	fmt.Fprint(out, prompt)
	line, err := readHidden(in)
	uninterrupted(forget)
	fmt.Fprintln(out)
	if err == io.EOF {
		err = errNothingTyped
	}
	return string(line), err
}

var (
	errNoTerminal   = fmt.Errorf("no terminal to ask on")
	errNothingTyped = usagef("the input ended before a key was typed")
)

// progressDelay is how long work may take before a progress bar appears.
const progressDelay = time.Second

// progress is a bar of bytes on standard error, if that is a terminal. The zero
// value shows nothing.
type progress struct {
	bar    *progressbar.ProgressBar
	forget func()
}

// newProgress returns a bar for total bytes, -1 if that is unknown.
func newProgress(total int64) *progress {
	if !isTerminal(os.Stderr) || total == 0 {
		return &progress{}
	}
	p := &progress{bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(&delayed{w: os.Stderr, from: time.Now().Add(progressDelay)}),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
	uninterrupted(func() { p.forget = onSignal(func() { p.bar.Finish() }) })
	return p
}

func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.Add(n)
	}
}

// close removes the bar.
func (p *progress) close() {
	if p.bar != nil {
		uninterrupted(p.forget)
		p.bar.Finish()
		p.bar = nil
	}
}

// delayed drops what is written before its time, so that short work shows no bar.
type delayed struct {
	w    io.Writer
	from time.Time
}

func (d *delayed) Write(b []byte) (int, error) {
	if time.Now().Before(d.from) {
		return len(b), nil
	}
	return d.w.Write(b)
}

// statusLine is a line on standard error that is written over and over, if that
// is a terminal.
type statusLine struct {
	width int // of what is shown now
	off   bool
}

func newStatusLine() *statusLine { return &statusLine{off: !isTerminal(os.Stderr)} }

// set shows text, cut to the terminal's width; the empty text removes the line.
func (s *statusLine) set(text string) {
	if s.off {
		return
	}
	columns, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil || columns < 2 {
		columns = 80
	}
	runes := []rune(text)
	if len(runes) > columns-1 {
		runes = runes[:columns-1]
	}
	blank := max(0, s.width-len(runes))
	fmt.Fprintf(os.Stderr, "\r%s%s%s", string(runes), strings.Repeat(" ", blank), strings.Repeat("\b", blank))
	if len(runes) == 0 {
		fmt.Fprint(os.Stderr, "\r")
	}
	s.width = len(runes)
}
