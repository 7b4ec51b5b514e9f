package main

import (
	"fmt"
	"slices"
	"strings"

	"ucrypt"
	"ucrypt/internal/speed"
)

// Tables of speeds are at most 100 columns wide and plain text, on a terminal
// and elsewhere alike.

const (
	footRounded    = "* %d bytes: modes of whole blocks round up, as tcrypt does\n"
	footUnreliable = "? unreliable: the samples differ by %.0f %% or more; something else is running, or the clock changes\n"
)

// speedTable is the figures of one algorithm and key size.
type speedTable struct {
	algorithm speed.Algorithm
	cells     []speed.Cell
	results   speed.Index
}

func (t *speedTable) text() string {
	var b strings.Builder
	first := t.cells[0]
	b.WriteString(first.Name)
	if first.KeyBits > 0 {
		fmt.Fprintf(&b, ", %d-bit key", first.KeyBits)
	}
	b.WriteString(", " + figureUnit() + "\n")

	var ops []speed.Op
	width := 0
	for _, c := range t.cells {
		if !slices.Contains(ops, c.Op) {
			ops = append(ops, c.Op)
		}
	}
	for _, d := range t.algorithm.Drivers {
		width = max(width, len(driverLabel(d, ops[0])))
	}
	columns := slices.DeleteFunc(slices.Clone(t.cells), func(c speed.Cell) bool { return c.Op != ops[0] })
	b.WriteString(speedRow("", width, lengthHeader(columns)))
	unreliable := false
	lines := func(drivers []ucrypt.Driver, figure func(speed.Key) (string, bool)) {
		for _, d := range drivers {
			for _, op := range ops {
				var figures []string
				for _, c := range columns {
					text, bad := figure(speed.Key{Driver: d.DriverName, Op: op, KeyBits: c.KeyBits, Asked: c.Asked})
					figures = append(figures, text+mark(bad, "?"))
					unreliable = unreliable || bad
				}
				b.WriteString(speedRow(driverLabel(d, op), width, figures))
			}
		}
	}
	lines(t.algorithm.Drivers, func(k speed.Key) (string, bool) {
		r := t.results[k]
		return figureOf(r), r.Unreliable
	})
	if slices.ContainsFunc(t.algorithm.Drivers, func(d ucrypt.Driver) bool {
		return t.results[speed.Key{Driver: d.DriverName, Op: first.Op, KeyBits: first.KeyBits, Asked: first.Asked}].CyclesPerByte() > 0
	}) {
		b.WriteString("cycles a byte\n")
		lines(t.algorithm.Drivers, func(k speed.Key) (string, bool) {
			r := t.results[k]
			return fmt.Sprintf("%.2f", r.CyclesPerByte()), r.Unreliable
		})
	}
	if base := t.algorithm.Base; base != "" {
		fmt.Fprintf(&b, "ratio to %s\n", base)
		others := slices.DeleteFunc(slices.Clone(t.algorithm.Drivers), func(d ucrypt.Driver) bool { return d.DriverName == base })
		lines(others, func(k speed.Key) (string, bool) {
			x, bad := t.results.Ratio(k, base)
			return ratioText(x), bad
		})
	}
	b.WriteString(t.costs(ops, width))
	b.WriteString(footnotes(columns, unreliable))
	b.WriteString(causes(t.results))
	for _, d := range t.algorithm.Unusable {
		fmt.Fprintf(&b, "not measured: %s: %s\n", d.DriverName, reason(d))
	}
	return b.String()
}

// costs tells what a call costs from what a byte costs, if there are enough
// lengths.
func (t *speedTable) costs(ops []speed.Op, width int) string {
	s := ""
	for _, d := range t.algorithm.Drivers {
		for _, op := range ops {
			var results []speed.Result
			for _, c := range t.cells {
				if r, ok := t.results[speed.Key{Driver: d.DriverName, Op: op, KeyBits: c.KeyBits, Asked: c.Asked}]; ok && c.Op == op {
					results = append(results, r)
				}
			}
			if cost, ok := speed.CostOf(results); ok {
				s += fmt.Sprintf("%-*s%9.1f%9.4f\n", width, driverLabel(d, op), max(0, cost.Call*1e9), cost.Byte*1e9)
			}
		}
	}
	unit := "nanoseconds"
	if speed.CountsInstructions() {
		unit = "instructions"
	}
	if s != "" {
		s = unit + " for a call, and for each byte\n" + s
	}
	return s
}

// changes compares the table's figures with earlier ones.
func (t *speedTable) changes(earlier speed.Earlier) string {
	s := ""
	for _, c := range t.cells {
		for _, d := range t.algorithm.Drivers {
			r := t.results[speed.Key{Driver: d.DriverName, Op: c.Op, KeyBits: c.KeyBits, Asked: c.Asked}]
			change, ok := earlier.Compare(r)
			if !ok {
				continue
			}
			s += fmt.Sprintf("%-40s %8d %9s -> %9s %8s (%s)\n", driverLabel(d, c.Op), c.Bytes,
				megabytesText(change.Old.MBPerSecond()), megabytesText(r.MBPerSecond()), change.Delta, change.Test)
		}
	}
	if s == "" {
		return "nothing of this is in the earlier figures\n"
	}
	return "changes; ~ may be chance\n" + s
}

// cryptsetup is the table's figures at its first length as cryptsetup prints
// them, a row for each driver.
func (t *speedTable) cryptsetup() string {
	s := ""
	for _, d := range t.algorithm.Drivers {
		k := speed.Key{Driver: d.DriverName, KeyBits: t.cells[0].KeyBits, Asked: t.cells[0].Asked}
		encrypt := t.results[k].MBPerSecond()
		k.Op = speed.Decrypt
		if decrypt := t.results[k].MBPerSecond(); d.Type == ucrypt.TypeSkcipher {
			s += cryptsetupRow(t.algorithm.Name, k.KeyBits, encrypt, decrypt)
		}
	}
	return s
}

// causes says what made figures doubtful, as far as that can be seen.
func causes(results speed.Index) string {
	share, drift := 1.0, 0.0
	for _, r := range results {
		if r.Share > 0 {
			share = min(share, r.Share)
		}
		if d := r.Drift; d > drift || -d > drift {
			drift = max(d, -d)
		}
	}
	s := ""
	if share < speed.LoadedShare {
		s += fmt.Sprintf("warning: other programs took up to %.0f %% of the processor\n", (1-share)*100)
	}
	if drift >= speed.ChangedClock {
		s += fmt.Sprintf("warning: the processor's clock changed by up to %.0f %% while a length was measured\n", drift*100)
	}
	return s
}

func driverLabel(d ucrypt.Driver, op speed.Op) string { return d.DriverName + " " + opShort(op) }

func opShort(op speed.Op) string {
	switch op {
	case speed.Encrypt:
		return "enc"
	case speed.Decrypt:
		return "dec"
	}
	return ""
}

// speedRow is a line of right-aligned cells, each of which ends in a mark or a
// space.
func speedRow(label string, width int, cells []string) string {
	s := fmt.Sprintf("%-*s", width, label)
	for _, c := range cells {
		s += fmt.Sprintf("%9s", c)
	}
	return strings.TrimRight(s, " ") + "\n"
}

func lengthHeader(columns []speed.Cell) []string {
	var h []string
	for _, c := range columns {
		h = append(h, fmt.Sprint(c.Asked)+mark(c.Asked != c.Bytes, "*"))
	}
	return h
}

func footnotes(columns []speed.Cell, unreliable bool) string {
	s := ""
	for _, c := range columns {
		if c.Asked != c.Bytes {
			s += fmt.Sprintf(footRounded, c.Bytes)
		}
	}
	if unreliable {
		s += fmt.Sprintf(footUnreliable, speed.UnreliableSpread*100)
	}
	return s
}

func mark(b bool, m string) string {
	if b {
		return m
	}
	return " "
}

// figureUnit is the unit of tables: under an emulator that counts instructions
// that is them.
func figureUnit() string {
	if speed.CountsInstructions() {
		return "instructions a byte"
	}
	return "MB/s (10^6 bytes a second)"
}

func figureOf(r speed.Result) string {
	if r.Instructions > 0 {
		return fmt.Sprintf("%.2f", r.Instructions/float64(r.Bytes))
	}
	return megabytesText(r.MBPerSecond())
}

func megabytesText(x float64) string {
	switch {
	case x >= 10000:
		return fmt.Sprintf("%.0f", x)
	case x >= 1000:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func ratioText(x float64) string {
	switch {
	case x <= 0:
		return "-"
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// foundingTable is the figures of one founding piece. Its rows are written as
// they are measured.
type foundingTable struct {
	speed.PiecePlan
	results speed.Index
}

func (t *foundingTable) head() string {
	return fmt.Sprintf("%d. %s, %s\n", t.Number, t.Title, figureUnit()) +
		speedRow("", t.width(), lengthHeader(t.columns()))
}

// columns is a cell for each length, one that rounds it if there is one.
func (t *foundingTable) columns() []speed.Cell {
	columns := slices.Clone(t.Groups[0].Cells)
	for _, g := range t.Groups {
		for i, c := range g.Cells {
			if c.Bytes != c.Asked {
				columns[i] = c
			}
		}
	}
	return columns
}

// severalKeys reports whether rows must name their key size.
func (t *foundingTable) severalKeys() bool {
	return slices.ContainsFunc(t.Groups, func(g speed.Group) bool { return g.KeyBits != t.Groups[0].KeyBits })
}

func (t *foundingTable) label(driver string, g speed.Group) string {
	if t.severalKeys() {
		return fmt.Sprintf("%s %d %s", driver, g.KeyBits, opShort(g.Op))
	}
	return strings.TrimSpace(driver + " " + opShort(g.Op))
}

func (t *foundingTable) width() int {
	width := 0
	for _, g := range t.Groups {
		for _, d := range g.Cells[0].Drivers {
			width = max(width, len(t.label(d.DriverName, g)))
		}
	}
	return width
}

// rows are the drivers of one group.
func (t *foundingTable) rows(g speed.Group) string {
	s := ""
	for _, d := range g.Cells[0].Drivers {
		var figures []string
		for _, c := range g.Cells {
			r := t.results[speed.Key{Driver: d.DriverName, Op: g.Op, KeyBits: g.KeyBits, Asked: c.Asked}]
			figures = append(figures, figureOf(r)+mark(r.Unreliable, "?"))
		}
		s += speedRow(t.label(d.DriverName, g), t.width(), figures)
	}
	return s
}

// ratios are the gains of all groups, each beside the authors'.
func (t *foundingTable) ratios() string {
	first := t.Groups[0]
	last := len(t.Lengths) - 1
	var labels []string
	width := 0
	for _, g := range t.Groups {
		mode, _, _ := strings.Cut(g.Algorithm, "(")
		l := strings.TrimSpace(mode + " " + opShort(g.Op))
		if t.severalKeys() {
			l = fmt.Sprintf("%d %s", g.KeyBits, opShort(g.Op))
		}
		labels = append(labels, l)
		width = max(width, len(l))
	}
	line := func(label string, cells []string, best string) string {
		s := fmt.Sprintf("%-*s", width, label)
		for _, c := range cells {
			s += fmt.Sprintf("%12s", c)
		}
		return strings.TrimRight(s+fmt.Sprintf("%8s", best), " ") + "\n"
	}
	s := fmt.Sprintf("ratio %s : %s here (theirs: %s)\n", first.After, first.Before, t.Authors)
	var lengths []string
	for _, n := range t.Lengths {
		lengths = append(lengths, fmt.Sprint(n))
	}
	s += line("", lengths, "best ")
	for i, g := range t.Groups {
		var cells []string
		k := speed.Key{Driver: g.After, Op: g.Op, KeyBits: g.KeyBits}
		for j, n := range t.Lengths {
			k.Asked = n
			x, bad := t.results.Ratio(k, g.Before)
			cells = append(cells, fmt.Sprintf("%s%s(%s)", ratioText(x), mark(bad, "?"), ratioText(t.TheirRatio(g.PieceRow, j))))
		}
		k.Driver, k.Asked = g.Best, t.Lengths[last]
		x, bad := t.results.Ratio(k, g.Before)
		s += line(labels[i], cells, ratioText(x)+mark(bad, "?"))
	}
	s += fmt.Sprintf("best: as %s, at %d bytes\n", first.Best, t.Lengths[last])
	unreliable := false
	for _, r := range t.results {
		unreliable = unreliable || r.Unreliable
	}
	return s + footnotes(t.columns(), unreliable) + causes(t.results)
}
