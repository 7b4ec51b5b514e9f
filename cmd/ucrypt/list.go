package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ucrypt"
	"ucrypt/internal/cpu"
)

func listCommand() *cobra.Command {
	var form struct{ proc, json, verbose bool }
	c := &cobra.Command{
		Use:   "list [PATTERN]",
		Short: "Algorithms, their drivers, and why a driver is not usable here",
		Long: `list shows every driver that this program has, best first for each algorithm, in
its state after the self-tests, which it runs first. The first passed driver of
an algorithm serves it. PATTERN chooses by algorithm or driver; * and ? stand
for any text and any character.

Sizes are in bytes. "const. time" tells whether no branch and no address depends
on a key or on data. UCRYPT_DISABLE takes features and tiers away, as in
UCRYPT_DISABLE=avx2,generic; what it took is said below the table. A driver with a
part named -go wraps Go's standard library there.

With --proc the form is exactly /proc/crypto's. As there, a driver that the
machine cannot run is not registered and so not shown, and one whose self-test
failed has "selftest     : unknown".`,
		Example: `  ucrypt list
  ucrypt list '*sm4*'
  ucrypt list -v ctr-sm4-aesni-avx2
  ucrypt list --json 'ctr(sm4)'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%d patterns, want one; quote it to keep the shell from expanding it", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			pattern := "*"
			if len(args) == 1 {
				pattern = args[0]
			}
			drivers, err := testedDrivers(pattern)
			if err != nil {
				return err
			}
			print := printTable
			switch {
			case form.proc:
				print = printProc
			case form.json:
				print = printJSON
			case form.verbose:
				print = printVerbose
			}
			return print(c.OutOrStdout(), drivers)
		},
	}
	c.Flags().BoolVar(&form.proc, "proc", false, "in the form of /proc/crypto")
	c.Flags().BoolVar(&form.json, "json", false, "one JSON object a driver, each on a line")
	c.Flags().BoolVarP(&form.verbose, "verbose", "v", false, "each driver at length, with the features that it needs and what is missing")
	exclusive(c, "proc", "json", "verbose")
	return c
}

// exclusive refuses, as wrong usage, more than one of the flags.
func exclusive(c *cobra.Command, flags ...string) {
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		var given []string
		for _, f := range flags {
			if c.Flags().Changed(f) {
				given = append(given, "--"+f)
			}
		}
		if len(given) > 1 {
			return usagef("%s exclude each other", strings.Join(given, " and "))
		}
		return nil
	}
}

// testedDrivers returns the drivers that pattern matches after their
// self-tests, by algorithm, best first.
func testedDrivers(pattern string) ([]ucrypt.Driver, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, usagef("pattern %q: %w", pattern, err)
	}
	for _, d := range ucrypt.Drivers() {
		// The error says why a driver is not usable; so does its state.
		_, _ = ucrypt.Lookup(d.DriverName)
	}
	var found []ucrypt.Driver
	for _, d := range ucrypt.Drivers() {
		if matches(pattern, d.Name) || matches(pattern, d.DriverName) {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no algorithm or driver matches %q", pattern)
	}
	slices.SortStableFunc(found, func(a, b ucrypt.Driver) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), -cmp.Compare(a.Priority, b.Priority))
	})
	return found, nil
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

func printTable(w io.Writer, drivers []ucrypt.Driver) error {
	rows := [][]string{{"algorithm", "driver", "priority", "type", "block", "iv", "key", "const. time", "self-test", "features", "not usable because"}}
	for _, d := range drivers {
		rows = append(rows, []string{d.Name, d.DriverName, strconv.Itoa(d.Priority), d.Type.String(), orDash(d.BlockSize), orDash(d.IVSize),
			keySizes(d), yesNo(d.ConstantTime), d.Status.String(), words(d.Features), reason(d)})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	if slices.ContainsFunc(drivers, wrapsGo) {
		if _, err := fmt.Fprintln(w, "-go: Go's standard library does it"); err != nil {
			return err
		}
	}
	return printDisabled(w)
}

var goName = regexp.MustCompile(`-go\b`)

// wrapsGo reports whether a driver, or a part of it, is the standard library.
func wrapsGo(d ucrypt.Driver) bool { return goName.MatchString(d.DriverName) }

// writeTable writes rows in columns, which two spaces keep apart.
func writeTable(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func printVerbose(w io.Writer, drivers []ucrypt.Driver) error {
	for _, d := range drivers {
		missing, verdict := "-", d.Status.String()
		switch d.Status {
		case ucrypt.Unavailable:
			missing, verdict = reason(d), "not run"
		case ucrypt.Failed:
			verdict += ": " + reason(d)
		}
		title := d.DriverName
		if wrapsGo(d) {
			title += " (-go: Go's standard library)"
		}
		err := writeTable(w, [][]string{
			{title},
			{"  algorithm", d.Name},
			{"  type", fmt.Sprintf("%s, priority %d", d.Type, d.Priority)},
			{"  sizes", sizes(d)},
			{"  constant-time", yesNo(d.ConstantTime)},
			{"  needs", words(d.Features)},
			{"  missing", missing},
			{"  self-test", verdict},
		})
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "\nprocessor: %s\n", processor()); err != nil {
		return err
	}
	return printDisabled(w)
}

// printDisabled says what UCRYPT_DISABLE takes away.
func printDisabled(w io.Writer) error {
	disabled, err := cpu.DisabledWords()
	if err != nil || len(disabled) == 0 {
		return err
	}
	_, err = fmt.Fprintf(w, "disabled by %s: %s\n", cpu.DisableVariable, words(disabled))
	return err
}

// printProc writes what /proc/crypto of a kernel with these drivers would show.
func printProc(w io.Writer, drivers []ucrypt.Driver) error {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%-12s : %v\n", name, value) }
	for _, d := range drivers {
		if d.Status == ucrypt.Unavailable {
			continue
		}
		line("name", d.Name)
		line("driver", d.DriverName)
		line("module", "ucrypt")
		line("priority", d.Priority)
		line("refcnt", 1)
		if d.Status == ucrypt.Passed {
			line("selftest", "passed")
		} else {
			line("selftest", "unknown")
		}
		line("internal", "no")
		line("type", d.Type)
		switch d.Type {
		case ucrypt.TypeCipher:
			line("blocksize", d.BlockSize)
			line("min keysize", d.MinKeySize)
			line("max keysize", d.MaxKeySize)
		case ucrypt.TypeSkcipher:
			line("async", "no")
			line("blocksize", d.BlockSize)
			line("min keysize", d.MinKeySize)
			line("max keysize", d.MaxKeySize)
			line("ivsize", d.IVSize)
			line("chunksize", d.ChunkSize)
			line("walksize", d.WalkSize)
		case ucrypt.TypeAEAD:
			line("async", "no")
			line("blocksize", d.BlockSize)
			line("ivsize", d.IVSize)
			line("maxauthsize", d.MaxTagSize)
			line("geniv", "<none>")
		case ucrypt.TypeShash:
			line("blocksize", d.BlockSize)
			line("digestsize", d.DigestSize)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// listed is a driver as --json prints it.
type listed struct {
	Name         string        `json:"name"`
	Driver       string        `json:"driver"`
	Type         ucrypt.Type   `json:"type"`
	Priority     int           `json:"priority"`
	BlockSize    int           `json:"block_size"`
	IVSize       int           `json:"iv_size"`
	ChunkSize    int           `json:"chunk_size"`
	WalkSize     int           `json:"walk_size"`
	MinKeySize   int           `json:"min_key_size"`
	MaxKeySize   int           `json:"max_key_size"`
	DigestSize   int           `json:"digest_size"`
	MaxTagSize   int           `json:"max_tag_size"`
	Features     []string      `json:"features"`
	ConstantTime bool          `json:"constant_time"`
	Status       ucrypt.Status `json:"status"`
	Reason       string        `json:"reason"`
}

func printJSON(w io.Writer, drivers []ucrypt.Driver) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range drivers {
		if d.Features == nil {
			d.Features = []string{}
		}
		err := enc.Encode(listed{d.Name, d.DriverName, d.Type, d.Priority, d.BlockSize, d.IVSize, d.ChunkSize, d.WalkSize,
			d.MinKeySize, d.MaxKeySize, d.DigestSize, d.MaxTagSize, d.Features, d.ConstantTime, d.Status, d.Reason})
		if err != nil {
			return err
		}
	}
	return nil
}

// sizes lists the sizes that a driver's type has.
func sizes(d ucrypt.Driver) string {
	all := []struct {
		name  string
		value string
	}{
		{"block", orDash(d.BlockSize)}, {"iv", orDash(d.IVSize)}, {"chunk", orDash(d.ChunkSize)}, {"walk", orDash(d.WalkSize)},
		{"key", keySizes(d)}, {"digest", orDash(d.DigestSize)}, {"tag at most", orDash(d.MaxTagSize)},
	}
	var s []string
	for _, size := range all {
		if size.value != "-" {
			s = append(s, size.name+" "+size.value)
		}
	}
	return strings.Join(s, ", ")
}

func keySizes(d ucrypt.Driver) string {
	if d.MinKeySize == d.MaxKeySize {
		return orDash(d.MaxKeySize)
	}
	return fmt.Sprintf("%d-%d", d.MinKeySize, d.MaxKeySize)
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func words(s []string) string {
	if len(s) == 0 {
		return "-"
	}
	return strings.Join(s, " ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// reason returns why a driver is not usable, as one line.
func reason(d ucrypt.Driver) string { return strings.Join(strings.Fields(d.Reason), " ") }
