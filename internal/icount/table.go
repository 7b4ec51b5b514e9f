package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// table counts what a whole call takes of each driver whose name matches a
// regular expression, and writes Markdown.
func table(w io.Writer, c *counter, drivers string) error {
	cells, err := c.cells("^BenchmarkDriver$/(" + drivers + ")")
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "Instructions of a whole call, and by the byte.")
	writeTables(w, cells)
	return nil
}

// writeTables writes a table for each set of lengths that drivers are measured
// at.
func writeTables(w io.Writer, cells []cell) {
	for len(cells) > 0 {
		var rows [][]cell
		var rest []cell
		for len(cells) > 0 {
			n := 1
			for n < len(cells) && cells[n].row() == cells[0].row() {
				n++
			}
			row := cells[:n]
			cells = cells[n:]
			if len(rows) == 0 || slices.EqualFunc(row, rows[0], func(a, b cell) bool { return column(a.bytes) == column(b.bytes) }) {
				rows = append(rows, row)
			} else {
				rest = append(rest, row...)
			}
		}
		writeTable(w, rows)
		cells = rest
	}
}

// column is the length that a length stands under: a mode of whole blocks has
// 1424 where others have 1420.
func column(n int) string {
	if n == 1420 || n == 1424 {
		return "1420/1424"
	}
	return strconv.Itoa(n)
}

func writeTable(w io.Writer, rows [][]cell) {
	fmt.Fprint(w, "\n| driver | key | |")
	for _, c := range rows[0] {
		fmt.Fprintf(w, " %s |", column(c.bytes))
	}
	fmt.Fprintf(w, "\n|---|---|---|%s\n", strings.Repeat("---|", len(rows[0])))
	for _, row := range rows {
		fmt.Fprintf(w, "| %s |", row[0].row())
		for _, c := range row {
			fmt.Fprintf(w, " %.0f (%.2f) |", c.instructions, c.instructions/float64(c.bytes))
		}
		fmt.Fprintln(w)
	}
}

// cell is one driver at one length.
type cell struct {
	driver, key, operation string
	bytes                  int
	instructions           float64
}

// row is the beginning of the cell's line in the table.
func (c *cell) row() string { return fmt.Sprintf("`%s` | %s | %s", c.driver, c.key, c.operation) }

// repeats is how often all is measured. The least count is taken: others hold
// the scheduler too.
const repeats = 3

// cells runs a benchmark whose parts are named DRIVER/KEYBITS/OPERATION/BYTES
// and that calls ucrypt.benchBegins and ucrypt.benchEnds around its loop.
func (c *counter) cells(benchmark string) ([]cell, error) {
	begins, err := address(c.symbols, "ucrypt.benchBegins")
	if err != nil {
		return nil, err
	}
	ends, err := address(c.symbols, "ucrypt.benchEnds")
	if err != nil {
		return nil, err
	}
	const n = 9
	var all []cell
	for range repeats {
		args := append(slices.Clone(c.emulator[1:]), "-plugin", fmt.Sprintf("%s,on=%#x,off=%#x,out=%s,totals=1", c.plugin, begins, ends, c.output()),
			c.binary(), "-test.run=^$", "-test.bench="+benchmark, fmt.Sprintf("-test.benchtime=%dx", n), "-test.cpu=1")
		cmd := exec.Command(c.emulator[0], args...)
		cmd.Env = append(os.Environ(), quiet...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", benchmark, err, out)
		}
		totals, err := os.ReadFile(c.output())
		if err != nil {
			return nil, err
		}
		cells, err := parseCells(string(out), string(totals), n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", benchmark, err)
		}
		for i := range all {
			cells[i].instructions = min(cells[i].instructions, all[i].instructions)
		}
		all = cells
	}
	return all, nil
}

// parseCells reads the output of the benchmarks and what was counted for them.
// Each runs twice, once and n times.
func parseCells(out, totals string, n int) ([]cell, error) {
	var counts []float64
	for line := range strings.Lines(totals) {
		count, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			return nil, err
		}
		counts = append(counts, count)
	}
	lines := cellLine.FindAllStringSubmatch(out, -1)
	if len(lines) == 0 || 2*len(lines) != len(counts) {
		return nil, fmt.Errorf("%d benchmarks, %d counts", len(lines), len(counts))
	}
	var cells []cell
	for i, m := range lines {
		bytes, err := strconv.Atoi(m[4])
		if err != nil {
			return nil, err
		}
		key := m[2]
		if key == "0" {
			key = ""
		}
		cells = append(cells, cell{m[1], key, m[3], bytes, (counts[2*i+1] - counts[2*i]) / float64(n-1)})
	}
	return cells, nil
}

var cellLine = regexp.MustCompile(`(?m)^Benchmark\w+/(\S+)/(\d+)/(\w+)/(\d+)\s+\d+\s.* ns/op`)
