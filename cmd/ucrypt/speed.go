package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ucrypt/internal/cpu"
	"ucrypt/internal/speed"
)

// foundingTotal is what "ucrypt speed" spends on measuring.
const foundingTotal = 15 * time.Second

// speedFlags is the command line of speed.
type speedFlags struct {
	json    bool
	drivers []string
	bytes   []int
	keybits []int
	time    time.Duration
}

func speedCommand() *cobra.Command { return speedCommandOf(speed.Registry) }

func speedCommandOf(src speed.Source) *cobra.Command {
	f := &speedFlags{}
	c := &cobra.Command{
		Use:   "speed [NAME… | all]",
		Short: "What this processor gains; the speed of drivers by message length",
		Long: `speed alone answers what this processor gains: for each piece of kernel work that
ucrypt started from, the speed of the generic, the authors' and the best driver
here, and the gain beside the one that the authors measured.

speed NAME prints a table for each algorithm: drivers and directions down,
message lengths across, megabytes (10^6 bytes) a second, then the ratios to the
generic driver. NAME is an algorithm, a driver, or a pattern of their names in
which * and ? stand for any text and any character. all measures everything.

A figure is the median of many samples on one thread, taken in turns with the
other drivers of its table, of messages that are worked on in place. It is marked
when the samples differ too much to rely on it.

With --json each figure is an object on a line of its own.`,
		Example: `  ucrypt speed
  ucrypt speed 'ctr(sm4)'
  ucrypt speed --bytes 16,65536 --drivers generic,best 'ecb(sm4)' 'cbc(sm4)'
  ucrypt speed --json all`,
		PreRunE: func(c *cobra.Command, args []string) error { return f.check(c, args) },
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.founding(c.OutOrStdout(), src)
			}
			return f.named(c.OutOrStdout(), src, args)
		},
	}
	c.Flags().BoolVar(&f.json, "json", false, "one JSON object a figure, each on a line")
	c.Flags().StringSliceVar(&f.drivers, "drivers", []string{"all"}, "drivers to measure: all, best, generic, or names and patterns")
	c.Flags().IntSliceVar(&f.bytes, "bytes", speed.Lengths, "message lengths")
	c.Flags().IntSliceVar(&f.keybits, "keybits", nil, "key sizes in bits (default all that the algorithm has)")
	c.Flags().DurationVar(&f.time, "time", speed.DefaultTime, "time for each figure")
	return c
}

// check refuses what no run can do.
func (f *speedFlags) check(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		for _, flag := range []string{"drivers", "bytes", "keybits"} {
			if c.Flags().Changed(flag) {
				return usagef("--%s needs the NAME of an algorithm or driver, or all", flag)
			}
		}
		if !c.Flags().Changed("time") {
			f.time = 0 // see foundingTotal
		}
	}
	if c.Flags().Changed("time") && f.time <= 0 {
		return usagef("--time %s: want more than 0", f.time)
	}
	for _, n := range f.bytes {
		if n < 1 || n > 1<<28 {
			return usagef("--bytes %d: want 1 to %d", n, 1<<28)
		}
	}
	for _, n := range f.keybits {
		if n < 8 || n%8 != 0 {
			return usagef("--keybits %d: want a multiple of 8", n)
		}
	}
	if len(f.bytes) == 0 || len(f.drivers) == 0 {
		return usagef("--bytes and --drivers need a value")
	}
	for _, p := range append(slices.Clone(args), f.drivers...) {
		if _, err := path.Match(p, ""); err != nil {
			return usagef("pattern %q: %w", p, err)
		}
	}
	return nil
}

// plan finds what the command line asks for.
func (f *speedFlags) plan(src speed.Source, names []string) ([]speed.Algorithm, []speed.Cell, error) {
	if slices.Contains(names, "all") {
		names = nil
	}
	algorithms, err := src.Select(names)
	if err != nil {
		return nil, nil, err
	}
	usable := slices.ContainsFunc(algorithms, func(a speed.Algorithm) bool { return len(a.Drivers) > 0 })
	if algorithms, err = src.Restrict(algorithms, f.drivers); err != nil {
		return nil, nil, usageError{err}
	}
	cells, err := src.Plan(algorithms, f.bytes, f.keybits)
	switch {
	case err != nil:
		return nil, nil, err
	case len(cells) > 0:
		return algorithms, cells, nil
	case !usable:
		return nil, nil, fmt.Errorf("no driver of %s can be used here; ucrypt list says why", strings.Join(names, " "))
	case len(algorithms) == 0:
		return nil, nil, usagef("--drivers %s leaves no driver that can be used here", strings.Join(f.drivers, ","))
	}
	return nil, nil, usagef("--keybits %s: no algorithm that was named has such keys", joinNumbers(f.keybits))
}

// named measures algorithms and prints a table for each and each key size.
func (f *speedFlags) named(w io.Writer, src speed.Source, names []string) error {
	algorithms, cells, err := f.plan(src, names)
	if err != nil {
		return err
	}
	o := speed.Options{Time: f.time}
	if slices.Contains(names, "all") {
		first := w
		if f.json {
			first = os.Stderr
		}
		fmt.Fprintf(first, "%s, %s: about %s\n", plural(len(algorithms), "algorithm"), plural(speed.Figures(cells), "figure"), approximately(speed.Duration(cells, o)))
	}
	if !f.json {
		if _, err := io.WriteString(w, machineHeader(speed.ThisMachine())); err != nil {
			return err
		}
	}
	meter := newMeter(cells, o)
	defer meter.close()
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].Name == cells[0].Name && cells[n].KeyBits == cells[0].KeyBits {
			n++
		}
		t := speedTable{cells: cells[:n], results: speed.Index{}}
		for _, a := range algorithms {
			if a.Name == cells[0].Name {
				t.algorithm = a
			}
		}
		for _, c := range t.cells {
			results, err := f.measure(w, src, c, o, meter)
			if err != nil {
				return err
			}
			t.results.Add(results...)
		}
		if !f.json {
			if err := meter.print(w, "\n"+t.text()); err != nil {
				return err
			}
		}
		cells = cells[n:]
	}
	return nil
}

// measure measures one cell, and prints its figures if they are printed singly.
func (f *speedFlags) measure(w io.Writer, src speed.Source, c speed.Cell, o speed.Options, meter *meter) ([]speed.Result, error) {
	meter.show(c)
	results, err := src.Measure(c, o)
	if err != nil {
		return nil, err
	}
	if f.json {
		for _, r := range results {
			line, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			if err := meter.print(w, string(line)+"\n"); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// founding measures the founding pieces.
func (f *speedFlags) founding(w io.Writer, src speed.Source) error {
	plans, err := src.Founding()
	if err != nil {
		return err
	}
	o := speed.Options{Time: f.time}
	if o.Time == 0 {
		o.Time = speed.FoundingTime(plans, foundingTotal)
	}
	var cells []speed.Cell
	for _, p := range plans {
		for _, g := range p.Groups {
			cells = append(cells, g.Cells...)
		}
	}
	text := io.Writer(w)
	if f.json {
		text = io.Discard
	}
	title := "What this processor gains, beside what the kernel work's authors measured on theirs"
	if len(cells) > 0 {
		title += " (about " + approximately(speed.Duration(cells, o)) + ")"
	}
	if _, err := io.WriteString(text, title+"\n"+machineHeader(speed.ThisMachine())); err != nil {
		return err
	}
	meter := newMeter(cells, o)
	defer meter.close()
	for _, p := range plans {
		if p.Reason != "" {
			if err := meter.print(text, fmt.Sprintf("\n%d. %s: %s\n", p.Number, p.Title, p.Reason)); err != nil {
				return err
			}
			continue
		}
		t := foundingTable{p, speed.Index{}}
		if err := meter.print(text, "\n"+t.head()); err != nil {
			return err
		}
		for _, g := range p.Groups {
			for _, c := range g.Cells {
				results, err := f.measure(w, src, c, o, meter)
				if err != nil {
					return err
				}
				t.results.Add(results...)
			}
			if err := meter.print(text, t.rows(g)); err != nil {
				return err
			}
		}
		if err := meter.print(text, t.ratios()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(text, "\nnext: ucrypt speed 'ctr(sm4)'   ucrypt list   ucrypt test")
	return err
}

// meter shows on a terminal how far the measuring is.
type meter struct {
	line      *statusLine
	each      time.Duration
	all, done int // figures
}

func newMeter(cells []speed.Cell, o speed.Options) *meter {
	all := speed.Figures(cells)
	return &meter{line: newStatusLine(), each: speed.Duration(cells, o) / time.Duration(max(all, 1)), all: all}
}

// show says that c is being measured.
func (m *meter) show(c speed.Cell) {
	m.line.set(fmt.Sprintf("%d of %d figures, about %s left: %s %s, %d bytes",
		m.done, m.all, approximately(time.Duration(m.all-m.done)*m.each), c.Name, c.Op, c.Bytes))
	m.done += len(c.Drivers)
}

// print writes text where the status line was.
func (m *meter) print(w io.Writer, text string) error {
	m.line.set("")
	_, err := io.WriteString(w, text)
	return err
}

func (m *meter) close() { m.line.set("") }

// machineText says what figures were measured on.
func machineHeader(m speed.Machine) string {
	s := fmt.Sprintf("%s, %s, %s, one thread\n", m.Processor, m.System, m.Go)
	if len(m.Disabled) > 0 {
		s += fmt.Sprintf("%s=%s\n", cpu.DisableVariable, strings.Join(m.Disabled, ","))
	}
	if m.Emulated != "" {
		s += "emulated (" + m.Emulated + "): these times mean nothing\n"
	}
	return s
}

func approximately(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func joinNumbers(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}
