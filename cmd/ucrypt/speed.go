package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ucrypt"
	"ucrypt/internal/cpu"
	"ucrypt/internal/speed"
)

// foundingTotal is what "ucrypt speed" spends on measuring.
const foundingTotal = 15 * time.Second

// speedFlags is the command line of speed.
type speedFlags struct {
	json         bool
	format       string
	drivers      []string
	driversGiven bool
	bytes        []int
	bytesGiven   bool
	keybits      []int
	time         time.Duration
	plot         string
	compare      string

	mode       string
	sec        int
	numMB      int
	numMBGiven bool

	async    bool
	inFlight int
	workers  int

	earlier speed.Earlier  // what compare names
	shown   []speed.Result // for plot and compare
}

// listWord is the value of --mode without a number.
const listWord = "list"

func speedCommand() *cobra.Command { return speedCommandOf(speed.Registry) }

func speedCommandOf(src speed.Source) *cobra.Command {
	f := &speedFlags{}
	c := &cobra.Command{
		Use:   "speed [NAME… | all | --mode N]",
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

--format prints the figures for other programs: json (an object a line), csv,
benchstat (lines as go test -bench prints them), cryptsetup (the table of
"cryptsetup benchmark"), tcrypt (the kernel's). --plot draws them as well.
--compare sets them against what --json printed earlier, and says which changes
chance does not explain (Mann-Whitney test, p < 0.05).

--mode N runs a number of the kernel's tcrypt and prints what the kernel does,
with each of --drivers (default best) in turn; --mode alone lists the numbers.
--sec N counts operations for N seconds; 0 counts the cycles of an operation.
--num-mb N works on N messages in each step, as mode 600 does by itself: with the
calls for many messages, which gain where the blocks of one wait for each other.

--async sends the messages through a ucrypt.Queue with --workers workers, so
that --in-flight of them are under way at once; big ones are split.

Under qemu-user with the plugin internal/speed/plugin/count.c, figures are
instructions instead of times: its head says how.`,
		Example: `  ucrypt speed
  ucrypt speed 'ctr(sm4)'
  ucrypt speed --bytes 16,65536 --drivers generic,best 'ecb(sm4)' 'cbc(sm4)'
  ucrypt speed --json all > before
  ucrypt speed --compare before all
  ucrypt speed --plot ctr.svg 'ctr(sm4)'
  ucrypt speed --mode 218 --sec 1 --drivers generic,best`,
		PreRunE: func(c *cobra.Command, args []string) error { return f.check(c, args) },
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.OutOrStdout(), src, args)
		},
	}
	c.Flags().BoolVar(&f.json, "json", false, "as --format json")
	c.Flags().StringVar(&f.format, "format", "table", strings.Join(speedFormats, ", "))
	c.Flags().StringVar(&f.plot, "plot", "", "draw the figures into an .svg or .png `FILE`")
	c.Flags().StringVar(&f.compare, "compare", "", "compare with a `FILE` that --json wrote")
	c.Flags().StringVar(&f.mode, "mode", "", "run tcrypt's mode of this `NUMBER`")
	c.Flags().Lookup("mode").NoOptDefVal = listWord
	c.Flags().IntVar(&f.sec, "sec", 1, "seconds for each line of --mode; 0 counts cycles")
	c.Flags().IntVar(&f.numMB, "num-mb", 8, "messages in each step of --mode 600, and of other modes if it is given")
	c.Flags().BoolVar(&f.async, "async", false, "through a queue")
	c.Flags().IntVar(&f.inFlight, "in-flight", 0, "messages under way at once, with --async (default 4 for each worker)")
	c.Flags().IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "workers of the queue")
	c.Flags().StringSliceVar(&f.drivers, "drivers", []string{"all"}, "drivers to measure: all, best, generic, or names and patterns")
	c.Flags().IntSliceVar(&f.bytes, "bytes", speed.Lengths, "message lengths; for hashes 32,100,500,4096 unless this is given")
	c.Flags().IntSliceVar(&f.keybits, "keybits", nil, "key sizes in bits (default all that the algorithm has)")
	c.Flags().DurationVar(&f.time, "time", speed.DefaultTime, "time for each figure")
	return c
}

// run does what the command line, which has been checked, asks for.
func (f *speedFlags) run(w io.Writer, src speed.Source, args []string) error {
	if f.async {
		src.Queue = speed.Queued{InFlight: f.inFlight, Workers: f.workers}
	}
	var err error
	switch {
	case f.mode == listWord && len(args) == 0:
		return listModes(w)
	case f.mode != "":
		if f.mode != listWord {
			args = []string{f.mode}
		}
		modes, err := modesOf(args)
		if err != nil {
			return err
		}
		return f.tcrypt(w, src, modes)
	case f.compare != "":
		file, err := os.Open(f.compare)
		if err != nil {
			return usageError{err}
		}
		defer file.Close()
		if f.earlier, err = speed.ReadEarlier(file); err != nil {
			return usagef("--compare %s: %w", f.compare, err)
		}
	}
	switch {
	case len(args) == 0 && f.format == "cryptsetup":
		return f.cryptsetup(w, src)
	case len(args) == 0:
		return f.founding(w, src)
	}
	if err = f.named(w, src, args); err == nil && f.plot != "" {
		err = writePlot(f.plot, f.machineLine(src), f.shown)
	}
	return err
}

// machineLine is what a picture says of the machine.
func (f *speedFlags) machineLine(src speed.Source) string {
	m := speed.ThisMachine()
	return fmt.Sprintf("ucrypt speed on %s, %s, %s, %s", m.Processor, m.System, m.Go, threads(src))
}

// check refuses what no run can do.
func (f *speedFlags) check(c *cobra.Command, args []string) error {
	f.driversGiven, f.bytesGiven = c.Flags().Changed("drivers"), c.Flags().Changed("bytes")
	if f.json {
		if c.Flags().Changed("format") && f.format != "json" {
			return usagef("--json is --format json, not %s", f.format)
		}
		f.format = "json"
	}
	f.json = f.format == "json"
	if !slices.Contains(speedFormats, f.format) {
		return usagef("--format %s: want %s", f.format, strings.Join(speedFormats, ", "))
	}
	if p := plotFormat(f.plot); f.plot != "" && p != "svg" && p != "png" {
		return usagef("--plot %s: want a name that ends in .svg or .png", f.plot)
	}
	if c.Flags().Changed("plot") {
		if f.plot == "" {
			return usagef("--plot needs the name of a file")
		}
		if folder := filepath.Dir(f.plot); !isFolder(folder) {
			return usagef("--plot %s: there is no folder %s", f.plot, folder)
		}
	}
	for _, flag := range []string{"plot", "time"} {
		if c.Flags().Changed(flag) && f.format == "tcrypt" {
			return usagef("--%s does not go with --format tcrypt", flag)
		}
	}
	if f.compare != "" && f.format != "table" {
		return usagef("--compare prints a table: it does not go with --format %s", f.format)
	}
	inFlightLeast := 0
	if c.Flags().Changed("in-flight") {
		inFlightLeast = 1
	}
	for _, n := range []struct {
		flag         string
		value, least int
	}{{"sec", f.sec, 0}, {"num-mb", f.numMB, 1}, {"workers", f.workers, 1}, {"in-flight", f.inFlight, inFlightLeast}} {
		if n.value < n.least || n.value > 1<<16 {
			return usagef("--%s %d: want %d to %d", n.flag, n.value, n.least, 1<<16)
		}
	}
	for _, flag := range []string{"in-flight", "workers"} {
		if c.Flags().Changed(flag) && !f.async && f.mode == "" {
			return usagef("--%s needs --async", flag)
		}
	}
	if f.async && c.Flags().Changed("num-mb") {
		return usagef("--async and --num-mb exclude each other")
	}
	if f.async && f.inFlight == 0 {
		f.inFlight = 4 * f.workers // with fewer a worker waits for the next now and then
	}
	f.numMBGiven = c.Flags().Changed("num-mb")
	if f.mode == "" && f.format != "tcrypt" && (f.numMBGiven || c.Flags().Changed("sec")) {
		return usagef("--sec and --num-mb need --mode or --format tcrypt")
	}
	if f.mode != "" {
		// Since --mode alone is allowed, the number behind it is an argument to the flags'
		// parser.
		if f.mode != listWord && len(args) > 0 {
			return usagef("--mode %s and %s: want one of them", f.mode, strings.Join(args, " "))
		}
		for _, flag := range []string{"bytes", "keybits", "time", "plot", "compare"} {
			if c.Flags().Changed(flag) {
				return usagef("--%s does not go with --mode", flag)
			}
		}
		if f.format != "table" && f.format != "tcrypt" {
			return usagef("--mode prints as tcrypt does, not as %s", f.format)
		}
		return nil
	}
	if len(args) == 0 {
		if f.format == "tcrypt" {
			return usagef("--format tcrypt needs the NAME of an algorithm or driver, or --mode")
		}
		for _, flag := range []string{"plot", "compare", "async"} {
			if c.Flags().Changed(flag) {
				return usagef("--%s needs the NAME of an algorithm or driver, or all", flag)
			}
		}
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
		if len(names) > 1 {
			return nil, nil, usagef("all stands for every algorithm; give it alone")
		}
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
	lengths := f.bytes
	if !f.bytesGiven && f.format != "cryptsetup" {
		lengths = nil // the authors', which are others for hashes
	}
	cells, err := src.Plan(algorithms, lengths, f.keybits)
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
	if f.format == "cryptsetup" {
		if !f.bytesGiven {
			f.bytes = []int{cryptsetupBytes}
		}
		if !f.driversGiven {
			f.drivers = []string{"best"}
		}
	}
	algorithms, cells, err := f.plan(src, names)
	if err != nil {
		return err
	}
	if f.format == "tcrypt" {
		return f.tcrypt(w, src, namedModes(algorithms, cells, f.async))
	}
	o := speed.Options{Time: f.time}
	if slices.Contains(names, "all") {
		first := w
		if f.format != "table" {
			first = os.Stderr
		}
		fmt.Fprintf(first, "%s, %s: about %s\n", plural(len(algorithms), "algorithm"), plural(speed.Figures(cells), "figure"), approximately(speed.Duration(cells, o)))
	}
	head := formatHead(f.format)
	switch f.format {
	case "table":
		head = machineHeader(speed.ThisMachine(), threads(src))
	case "cryptsetup":
		head = cryptsetupHead
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
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
		text := ""
		switch f.format {
		case "table":
			text = "\n" + t.text()
			if f.earlier != nil {
				text += t.changes(f.earlier)
			}
		case "cryptsetup":
			text = t.cryptsetup()
		}
		if err := meter.print(w, text); err != nil {
			return err
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
	if f.plot != "" {
		f.shown = append(f.shown, results...)
	}
	for _, r := range results {
		text, err := figureText(f.format, r)
		if err != nil {
			return nil, err
		}
		if err := meter.print(w, text); err != nil {
			return nil, err
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
	if f.format != "table" {
		text = io.Discard
		if _, err := io.WriteString(w, formatHead(f.format)); err != nil {
			return err
		}
	}
	title := "What this processor gains, beside what the kernel work's authors measured on theirs"
	if len(cells) > 0 {
		title += " (about " + approximately(speed.Duration(cells, o)) + ")"
	}
	if _, err := io.WriteString(text, title+"\n"+machineHeader(speed.ThisMachine(), threads(src))); err != nil {
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

// cryptsetup measures what "cryptsetup benchmark" does.
func (f *speedFlags) cryptsetup(w io.Writer, src speed.Source) error {
	if _, err := io.WriteString(w, cryptsetupHead); err != nil {
		return err
	}
	for _, row := range cryptsetupRows {
		var figures [2]float64
		if d, err := src.Lookup(row.Name); err == nil {
			for i, op := range []speed.Op{speed.Encrypt, speed.Decrypt} {
				c := speed.Cell{Name: row.Name, Op: op, KeyBits: row.KeyBits, Bytes: cryptsetupBytes, Asked: cryptsetupBytes, Drivers: []ucrypt.Driver{d}}
				results, err := src.Measure(c, speed.Options{Time: f.time})
				if err != nil {
					return err
				}
				figures[i] = results[0].MBPerSecond()
			}
		}
		if _, err := io.WriteString(w, cryptsetupRow(row.Name, row.KeyBits, figures[0], figures[1])); err != nil {
			return err
		}
	}
	return nil
}

// threads says how many threads figures are of.
func threads(src speed.Source) string {
	if q := src.Queue; q.InFlight > 0 {
		return fmt.Sprintf("a queue of %s, %d in flight", plural(q.Workers, "worker"), q.InFlight)
	}
	return "one thread"
}

// machineHeader says what figures were measured on.
func machineHeader(m speed.Machine, threads string) string {
	s := fmt.Sprintf("%s, %s, %s, %s\n", m.Processor, m.System, m.Go, threads)
	if len(m.Disabled) > 0 {
		s += fmt.Sprintf("%s=%s\n", cpu.DisableVariable, strings.Join(m.Disabled, ","))
	}
	switch {
	case m.Emulated != "" && speed.CountsInstructions():
		s += "emulated (" + m.Emulated + "): instructions instead of times\n"
	case m.Emulated != "":
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

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
