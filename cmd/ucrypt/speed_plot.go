package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"ucrypt/internal/speed"
)

// plotColours tell up to eight lines apart, also for people who do not see all
// colours (Okabe and Ito); further lines are dashed.
var plotColours = []color.RGBA{
	{0, 0, 0, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255},
	{204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {140, 86, 75, 255},
}

const (
	panelWidth  = 14 * vg.Centimeter
	panelHeight = 9 * vg.Centimeter
)

func plotFormat(file string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
}

// plotPanel is one diagram: an algorithm, key size and direction.
type plotPanel struct {
	name    string
	keyBits int
	op      speed.Op
	lines   map[string][]speed.Result // by driver
	drivers []string                  // in order
}

// panelsOf sorts results into diagrams, in the order in which they came.
func panelsOf(results []speed.Result) []*plotPanel {
	var panels []*plotPanel
	for _, r := range results {
		i := slices.IndexFunc(panels, func(p *plotPanel) bool { return p.name == r.Name && p.keyBits == r.KeyBits && p.op == r.Op })
		if i < 0 {
			i = len(panels)
			panels = append(panels, &plotPanel{r.Name, r.KeyBits, r.Op, map[string][]speed.Result{}, nil})
		}
		p := panels[i]
		if p.lines[r.Driver] == nil {
			p.drivers = append(p.drivers, r.Driver)
		}
		p.lines[r.Driver] = append(p.lines[r.Driver], r)
	}
	return panels
}

// writePlot draws the speed of drivers over the length of messages, a diagram for
// each algorithm, key size and direction, side by side for the two directions.
func writePlot(file string, machine string, results []speed.Result) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	panels := panelsOf(results)
	columns := 1
	if slices.ContainsFunc(panels, func(p *plotPanel) bool { return p.op == speed.Decrypt }) {
		columns = 2
	}
	rows := (len(panels) + columns - 1) / columns
	width, height := vg.Length(columns)*panelWidth, vg.Length(rows)*panelHeight+vg.Centimeter

	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	if plotFormat(file) == "png" {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))}
	} else {
		canvas = vgsvg.New(width, height)
	}
	whole := draw.New(canvas)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())

	low, high := math.Inf(1), 0.0
	for _, r := range results {
		low, high = min(low, r.MBPerSecond()), max(high, r.MBPerSecond())
	}
	body := draw.Crop(whole, 0, 0, vg.Centimeter, 0)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 4 * vg.Millimeter, PadY: 4 * vg.Millimeter,
		PadTop: 2 * vg.Millimeter, PadBottom: vg.Millimeter, PadLeft: 2 * vg.Millimeter, PadRight: 4 * vg.Millimeter}
	for i, p := range panels {
		d, err := p.plot(low, high)
		if err != nil {
			return err
		}
		d.Draw(tiles.At(body, i%columns, i/columns))
	}
	foot := plot.New().Title.TextStyle
	foot.Font.Size = 9
	foot.XAlign, foot.YAlign = draw.XCenter, draw.YBottom
	whole.FillText(foot, vg.Point{X: width / 2, Y: 3 * vg.Millimeter}, machine)

	out, err := openOutput(file)
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	_, err = canvas.WriteTo(&picture)
	if err == nil {
		// What has no Liberation Sans must not take a font that is much wider.
		_, err = out.Write(bytes.ReplaceAll(picture.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,sans-serif;")))
	}
	if err != nil {
		out.abort()
		return err
	}
	return out.commit()
}

// plot draws one diagram; all of a picture have the same scale of speeds.
func (p *plotPanel) plot(low, high float64) (*plot.Plot, error) {
	d := plot.New()
	d.Title.Text = p.name
	if p.keyBits > 0 {
		d.Title.Text += fmt.Sprintf(", %d-bit key", p.keyBits)
	}
	if p.op != speed.Digest {
		d.Title.Text += ", " + p.op.String()[:2] + "cryption"
	}
	d.Title.TextStyle.Font.Size = 12
	d.X.Label.TextStyle.Font.Size, d.Y.Label.TextStyle.Font.Size = 10, 10
	d.X.Label.Text, d.Y.Label.Text = "bytes a message", "MB/s (10⁶ bytes a second)"
	d.X.Scale, d.Y.Scale = plot.LogScale{}, plot.LogScale{}
	d.Y.Tick.Marker = plot.TickerFunc(speedTicks)
	d.Y.Min, d.Y.Max = low/1.2, high*1.2
	var lengths []int
	for _, results := range p.lines {
		for _, r := range results {
			lengths = append(lengths, r.Bytes)
		}
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	d.X.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick { return lengthTicks(lengths) })
	d.X.Min, d.X.Max = float64(lengths[0])/1.1, float64(lengths[len(lengths)-1])*1.1

	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	d.Add(grid)
	d.Legend.Top, d.Legend.Left = true, true
	d.Legend.XOffs, d.Legend.YOffs = 2*vg.Millimeter, -vg.Millimeter
	d.Legend.TextStyle.Font.Size = 9
	d.Legend.Padding = vg.Millimeter
	d.Legend.ThumbnailWidth = 8 * vg.Millimeter
	for i := range p.drivers {
		driver := p.drivers[len(p.drivers)-1-i] // the fastest at the top, as its line is
		n := len(p.drivers) - 1 - i
		var points plotter.XYs
		for _, r := range p.lines[driver] {
			points = append(points, plotter.XY{X: float64(r.Bytes), Y: r.MBPerSecond()})
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Width = 1.6
		line.Color = plotColours[n%len(plotColours)]
		if n >= len(plotColours) {
			line.Dashes = []vg.Length{4, 3}
		}
		dots.Shape, dots.Radius, dots.Color = draw.CircleGlyph{}, 2.2, line.Color
		d.Add(line, dots)
		d.Legend.Add(driver, line, dots)
	}
	return d, nil
}

// lengthTicks names lengths, but none that another one is too near to.
func lengthTicks(lengths []int) (ticks []plot.Tick) {
	last := 0.0
	for i, n := range lengths {
		label := strconv.Itoa(n)
		final := float64(lengths[len(lengths)-1])
		if x := float64(n); i > 0 && (x < 1.6*last || i < len(lengths)-1 && final < 1.6*x) {
			label = ""
		} else {
			last = x
		}
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: label})
	}
	return ticks
}

// speedTicks are 1, 2 and 5 times the powers of ten.
func speedTicks(low, high float64) (ticks []plot.Tick) {
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
			}
		}
	}
	return ticks
}
