package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ucrypt/internal/selftest"
)

func testCommand() *cobra.Command {
	var o selftest.Options
	var other string
	c := &cobra.Command{
		Use:   "test [NAME…]",
		Short: "Every driver through the test matrix",
		Long: `test runs drivers through the properties of the test matrix and compares them with
references that share no code with them. NAME is an algorithm, a driver, or a
pattern of their names in which * and ? stand for any text and any character;
without a NAME every driver is tested.

A failure is printed with its whole configuration and the command that replays it,
and makes the exit status 1. What could not be run is said, and is not a pass. The
drivers that the variable REQUIRE_DRIVERS names (with commas) fail if they are not
usable here.

--against compares with what another program answers to random messages, for
every algorithm that both have: openssl, or afalg, the running kernel's crypto
API. The openssl command has neither xts nor AEADs; a build with -tags clibs asks
its library for those.`,
		Example: `  ucrypt test
  ucrypt test 'ctr(sm4)' ecb-sm4-aesni-avx2
  ucrypt test --time 10m '*aesni*'
  ucrypt test --against openssl 'ctr(*)'
  ucrypt test --seed 42 --property lengths --case 17 ctr-sm4-aesni-avx2`,
		PreRunE: func(c *cobra.Command, _ []string) error {
			o.OnlyCase = c.Flags().Changed("case")
			switch {
			case c.Flags().Changed("against") && oracles[other] == nil:
				return usagef("--against %s: want afalg or openssl", other)
			case other != "" && (o.OnlyCase || o.Time != 0 || len(o.Properties) > 0):
				return usagef("--against goes with --seed only")
			case o.Time < 0:
				return usagef("--time: %s, want a duration such as 30s", o.Time)
			case o.OnlyCase && (o.Case < 0 || o.Seed == 0 || len(o.Properties) == 0):
				return usagef("--case wants the number of a case, and the --seed and the --property that it belongs to")
			}
			return nil
		},
		RunE: func(c *cobra.Command, names []string) error {
			if other != "" {
				return against(c.OutOrStdout(), oracles[other], names, o.Seed)
			}
			o.Names = names
			return runTest(c.OutOrStdout(), o)
		},
	}
	c.Flags().Uint64Var(&o.Seed, "seed", 0, "what everything random comes from; 0 for a new one, which is printed")
	c.Flags().DurationVar(&o.Time, "time", 0, "how long to test; 0 for a fixed number of cases")
	c.Flags().StringSliceVar(&o.Properties, "property", nil, "only these properties, names or patterns")
	c.Flags().StringVar(&other, "against", "", "compare with `afalg` or openssl instead")
	c.Flags().IntVar(&o.Case, "case", 0, "only the case of this number")
	return c
}

func runTest(w io.Writer, o selftest.Options) error {
	suite, err := selftest.Plan(o)
	if err != nil {
		return usageError{err}
	}
	status := newStatusLine()
	start, done, failed := time.Now(), 0, 0
	status.set(fmt.Sprintf("seed %d: %d checks", suite.Seed, len(suite.Checks)))
	results := suite.Run(func(r selftest.Result) {
		done++
		if r.Status == selftest.Fail {
			failed++
		}
		status.set(fmt.Sprintf("seed %d: %d of %d checks, %d failed: %s %s", suite.Seed, done, len(suite.Checks), failed, r.Driver, r.Property))
	})
	status.set("")
	if err := printMatrix(w, results); err != nil {
		return err
	}
	sum := testSum(results)
	if err := printNotes(w, results); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nseed %d: %s passed, %d failed, %d not run; %s in %s\n", suite.Seed, plural(sum.passed, "check"),
		sum.failed, sum.skipped, plural(sum.cases, "case"), time.Since(start).Round(time.Millisecond))
	switch {
	case err != nil:
		return err
	case sum.failed > 0:
		return fmt.Errorf("%d of %s failed", sum.failed, plural(len(results), "check"))
	case sum.passed == 0:
		return fmt.Errorf("nothing could be tested")
	}
	return nil
}

// printMatrix writes one row a driver and one letter a property.
func printMatrix(w io.Writer, results []selftest.Result) error {
	var drivers, properties []string
	cells := map[[2]string]string{}
	cases := map[string]int{}
	for _, r := range results {
		if !slices.Contains(drivers, r.Driver) {
			drivers = append(drivers, r.Driver)
		}
		if !slices.Contains(properties, r.Property) {
			properties = append(properties, r.Property)
		}
		cells[[2]string{r.Driver, r.Property}] = cell(r.Status)
		cases[r.Driver] += r.Cases
	}
	slices.Sort(properties)
	head := []string{"driver", "cases"}
	for i := range properties {
		head = append(head, letter(i))
	}
	rows := [][]string{head}
	for _, d := range drivers {
		row := []string{d, strconv.Itoa(cases[d])}
		for _, p := range properties {
			mark, ok := cells[[2]string{d, p}]
			if !ok {
				mark = "."
			}
			row = append(row, mark)
		}
		rows = append(rows, row)
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	legend := "\n+ passed, F failed, - not run, . has no such property"
	for i, p := range properties {
		if i%5 == 0 {
			legend += "\n"
		}
		legend += fmt.Sprintf("%s %-16s", letter(i), p)
	}
	for line := range strings.Lines(legend) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// letter returns the column head of the property of that index.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return string(rune('A' + (i-26)%26))
}

func cell(s selftest.Status) string {
	switch s {
	case selftest.Pass:
		return "+"
	case selftest.Fail:
		return "F"
	}
	return "-"
}

// printNotes writes what was not run, and then every failure.
func printNotes(w io.Writer, results []selftest.Result) error {
	var b strings.Builder
	type why struct{ driver, reason string }
	var skips []why
	skipped := map[why][]string{}
	for _, r := range results {
		if r.Status == selftest.Skip {
			w := why{r.Driver, strings.TrimPrefix(r.Reason, "ucrypt: ")}
			if skipped[w] == nil {
				skips = append(skips, w)
			}
			skipped[w] = append(skipped[w], r.Property)
		}
	}
	for _, w := range skips {
		fmt.Fprintf(&b, "\nnot run: %s %s: %s", w.driver, strings.Join(skipped[w], ", "), w.reason)
	}
	for _, r := range results {
		for _, f := range r.Failures {
			fmt.Fprintf(&b, "\nFAIL %s", f)
			if f.Op != "" {
				fmt.Fprintf(&b, "\n     replay: ucrypt test --seed %d --property %s --case %d '%s'", f.Seed, f.Property, f.Case, f.Driver)
			}
		}
		if n := r.Failed - len(r.Failures); n > 0 {
			fmt.Fprintf(&b, "\nFAIL %s %s: %d more", r.Driver, r.Property, n)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}

type sums struct{ passed, failed, skipped, cases int }

func testSum(results []selftest.Result) sums {
	var s sums
	for _, r := range results {
		s.cases += r.Cases
		switch r.Status {
		case selftest.Pass:
			s.passed++
		case selftest.Fail:
			s.failed++
		default:
			s.skipped++
		}
	}
	return s
}
