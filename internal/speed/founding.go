package speed

import (
	"errors"
	"slices"
	"time"

	"ucrypt"
)

// Piece is one of the four pieces of kernel work that ucrypt started from, with
// the figures that its authors measured. They are facts to hold our own tables
// against: what counts is the ratio, not the absolute speed.
type Piece struct {
	Number  int
	Title   string
	Authors string // what they measured on, and with
	Unit    string // of their figures: megabytes a second, or cycles a byte
	Lengths []int
	Rows    []PieceRow
}

// PieceRow compares two drivers at one operation.
type PieceRow struct {
	Algorithm     string
	Op            Op
	KeyBits       int
	Before, After string    // drivers
	TheirBefore   []float64 // figures by length
	TheirAfter    []float64
}

const (
	megabytes = "MB/s"
	cycles    = "cycles/byte"
)

// absent is the reason of what ucrypt does not have.
const absent = "not part of this version"

// TheirRatio is the authors' gain at the i-th length.
func (p Piece) TheirRatio(row PieceRow, i int) float64 {
	if p.Unit == cycles {
		return row.TheirBefore[i] / row.TheirAfter[i]
	}
	return row.TheirAfter[i] / row.TheirBefore[i]
}

// Pieces returns the founding pieces.
func Pieces() []Piece {
	f := func(figures ...float64) []float64 { return figures }
	sm4 := func(mode string, op Op, before, after []float64) PieceRow {
		return PieceRow{mode + "(sm4)", op, 128, mode + "(sm4-generic)", mode + "-sm4-aesni-avx", before, after}
	}
	xts := func(op Op, before, after []float64) PieceRow {
		return PieceRow{"xts(sm4)", op, 256, "xts(ecb-sm4-ce)", "xts-sm4-ce", before, after}
	}
	cts := func(op Op, bits int, before, after []float64) PieceRow {
		return PieceRow{"cts(cbc(aes))", op, bits, "cts(cbc-aes-aesni)", "cts-cbc-aes-aesni", before, after}
	}
	return []Piece{{
		Number: 1, Title: "SM4 on x86-64 with AES-NI and AVX", Authors: "Intel Cascade Lake, tcrypt 218 and 518",
		Unit: megabytes, Lengths: []int{16, 64, 128, 256, 1024, 1420, 4096},
		Rows: []PieceRow{
			sm4("ecb", Encrypt, f(40.99, 46.50, 48.05, 48.41, 49.20, 49.25, 49.28), f(33.75, 134.47, 221.64, 243.43, 264.05, 251.58, 258.13)),
			sm4("ecb", Decrypt, f(41.07, 46.99, 48.15, 48.67, 49.20, 49.25, 49.29), f(34.02, 134.92, 223.11, 245.14, 264.12, 251.04, 258.33)),
			sm4("cbc", Encrypt, f(37.71, 45.28, 46.77, 47.60, 48.32, 48.37, 48.40), f(38.85, 46.18, 47.67, 48.34, 49.00, 48.96, 49.14)),
			sm4("cbc", Decrypt, f(36.48, 44.82, 46.43, 47.45, 48.23, 48.30, 48.36), f(33.54, 131.29, 223.88, 245.27, 265.50, 252.41, 263.78)),
			sm4("cfb", Encrypt, f(37.94, 44.84, 46.12, 46.94, 47.57, 47.46, 47.68), f(38.70, 46.10, 47.58, 48.29, 49.01, 48.94, 49.19)),
			sm4("cfb", Decrypt, f(37.50, 42.84, 43.74, 44.37, 44.85, 44.80, 44.96), f(32.79, 128.40, 223.23, 244.87, 265.77, 253.31, 262.79)),
			sm4("ctr", Encrypt, f(39.20, 45.63, 46.75, 47.49, 48.09, 47.85, 48.08), f(32.58, 122.23, 220.29, 241.16, 259.57, 248.32, 256.69)),
			sm4("ctr", Decrypt, f(39.64, 45.70, 46.72, 47.47, 47.98, 47.88, 48.06), f(32.81, 122.47, 218.99, 241.54, 258.42, 248.58, 256.61)),
		},
	}, {
		Number: 2, Title: "SM4-XTS on arm64 with the crypto extensions", Authors: "T-Head Yitian-710, tcrypt 218",
		Unit: megabytes, Lengths: []int{16, 64, 128, 256, 1024, 1420, 4096},
		Rows: []PieceRow{
			xts(Encrypt, f(117.17, 430.56, 732.92, 1134.98, 2007.03, 2136.23, 2347.20), f(224.68, 798.91, 1248.08, 1714.60, 2413.73, 2467.84, 2612.62)),
			xts(Decrypt, f(116.89, 429.02, 733.40, 1132.96, 2006.13, 2130.50, 2347.92), f(229.85, 791.34, 1237.79, 1720.00, 2413.30, 2473.84, 2611.95)),
		},
	}, {
		Number: 3, Title: "BLAKE2s-256 on 32-bit Arm, scalar", Authors: "Cortex-A7",
		Unit: cycles, Lengths: []int{32, 100, 500, 4096},
		Rows: []PieceRow{{
			"blake2s-256", Digest, 0, "blake2s-256-generic", "blake2s-256-arm", f(66.2, 39.2, 27.9, 26.0), f(50.6, 29.7, 20.3, 18.8),
		}},
	}, {
		Number: 4, Title: "cts(cbc(aes)) on x86-64 with AES-NI", Authors: "Intel i7-8650U, tcrypt, asynchronous",
		Unit: megabytes, Lengths: []int{16, 64, 256, 1024, 1424, 4096},
		Rows: []PieceRow{
			cts(Encrypt, 128, f(176, 232, 623, 1070, 1147, 1241), f(187, 400, 866, 1216, 1266, 1319)),
			cts(Encrypt, 192, f(179, 226, 573, 939, 1001, 1028), f(189, 387, 782, 1027, 1077, 1064)),
			cts(Encrypt, 256, f(178, 219, 538, 840, 885, 976), f(173, 322, 685, 864, 955, 1006)),
			cts(Decrypt, 128, f(181, 204, 736, 2170, 2671, 3507), f(190, 401, 1335, 3237, 3667, 4452)),
			cts(Decrypt, 192, f(179, 202, 713, 2010, 2450, 2775), f(161, 387, 1273, 2915, 3335, 3757)),
			cts(Decrypt, 256, f(180, 199, 693, 1888, 2243, 2993), f(191, 400, 1223, 2679, 2869, 3686)),
		},
	}}
}

// PiecePlan is a piece with what of it can be measured here.
type PiecePlan struct {
	Piece
	Reason string  // why nothing can; Groups is then empty
	Groups []Group // one for each of the piece's rows that can run
}

// Group is one row of a piece, with its cells by length. Their drivers are, as
// far as they differ and are usable here: the generic one, the row's Before
// and After, and the best one.
type Group struct {
	PieceRow
	Best  string
	Cells []Cell
}

// Founding plans the founding pieces for this machine.
func (src Source) Founding() ([]PiecePlan, error) {
	all := src.Drivers()
	var plans []PiecePlan
	for _, p := range Pieces() {
		plan := PiecePlan{Piece: p}
		for _, row := range p.Rows {
			group, reason, err := src.group(p, row, all)
			if err != nil {
				return nil, err
			}
			switch {
			case reason == "":
				plan.Groups = append(plan.Groups, group)
			case plan.Reason == "" || plan.Reason == absent:
				plan.Reason = reason
			}
		}
		if len(plan.Groups) > 0 {
			plan.Reason = ""
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// group plans one row, or says why it cannot be measured.
func (src Source) group(p Piece, row PieceRow, all []ucrypt.Driver) (g Group, reason string, err error) {
	after, err := src.Lookup(row.After)
	var unknown *ucrypt.UnknownAlgorithmError
	var unavailable *ucrypt.UnavailableError
	switch {
	case errors.As(err, &unknown):
		return g, absent, nil
	case errors.As(err, &unavailable):
		return g, "cannot run here: " + unavailable.Reason, nil
	case err != nil:
		return g, "", err
	}
	g.PieceRow = row
	var drivers []ucrypt.Driver
	add := func(name string) string {
		d, err := src.Lookup(name)
		if err != nil {
			return ""
		}
		if !slices.ContainsFunc(drivers, func(o ucrypt.Driver) bool { return o.DriverName == d.DriverName }) {
			drivers = append(drivers, d)
		}
		return d.DriverName
	}
	for _, d := range all {
		if d.Name == row.Algorithm && isGeneric(d.DriverName) {
			add(d.DriverName)
			break
		}
	}
	add(row.Before)
	add(after.DriverName)
	g.Best = add(row.Algorithm)
	for _, asked := range p.Lengths {
		g.Cells = append(g.Cells, Cell{row.Algorithm, row.Op, row.KeyBits, length(after, asked), asked, drivers})
	}
	return g, "", nil
}

// FoundingTime is the time for a figure that brings the whole run to about
// total, and the first group to a small part of that.
func FoundingTime(plans []PiecePlan, total time.Duration) time.Duration {
	figures := 0
	for _, p := range plans {
		for _, g := range p.Groups {
			figures += Figures(g.Cells)
		}
	}
	return min(total/time.Duration(max(figures, 1)), 60*time.Millisecond)
}
