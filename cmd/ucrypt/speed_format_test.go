package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"ucrypt"
	"ucrypt/internal/speed"
)

// speedOutput runs the command over a fake registry.
func speedOutput(t *testing.T, src speed.Source, args ...string) string {
	t.Helper()
	c := speedCommandOf(src)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	var out bytes.Buffer
	c.SetOut(&out)
	if err := c.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

func TestCryptsetup(t *testing.T) {
	same(t, cryptsetupHead+cryptsetupRow("cbc(aes)", 128, 1008.1*1.048576, 3203.1*1.048576)+cryptsetupRow("cbc(serpent)", 128, 0, 0)+
		cryptsetupRow("xts(sm4)", 256, 12.34*1.048576, 21314.55*1.048576),
		`# Tests are approximate using memory only (no storage IO).
#     Algorithm |       Key |      Encryption |      Decryption
        aes-cbc        128b      1008.1 MiB/s      3203.1 MiB/s
    serpent-cbc        128b               N/A               N/A
        sm4-xts        256b        12.3 MiB/s     21314.6 MiB/s
`)
	src := fakeSpeeds("xts(aes)", "xts-aes-aesni", "cbc(sm4)", "cbc(sm4-generic)", "cbc(sm4)", "cbc-sm4-aesni-avx")
	row := `(?m)^ +%s +%s( +[0-9.]+ MiB/s){2}$`
	all := speedOutput(t, src, "--format", "cryptsetup", "--time", "1us")
	for _, want := range []string{"aes-xts", "sm4-cbc"} {
		if !regexp.MustCompile(strings.NewReplacer("%s +%s", want+" +[0-9]+b").Replace(row)).MatchString(all) {
			t.Errorf("no row of %s in\n%s", want, all)
		}
	}
	if n := strings.Count(all, "N/A"); n != 2*(len(cryptsetupRows)-3) {
		t.Errorf("%d of N/A in\n%s", n, all)
	}
	one := speedOutput(t, src, "--format", "cryptsetup", "--time", "1us", "cbc(sm4)")
	if n := strings.Count(one, "sm4-cbc"); n != 1 || !strings.HasPrefix(one, cryptsetupHead) {
		t.Errorf("one algorithm, its best driver:\n%s", one)
	}
}

func TestCSVAndBenchstat(t *testing.T) {
	src := fakeSpeeds("essiv(cbc(aes),sha256)", "essiv(cbc(aes-generic),sha256)", "ctr(sm4)", "ctr-sm4-ce")
	args := []string{"--time", "1us", "--bytes", "16,64", "--keybits", "128", "all", "--format"}
	rows, err := csv.NewReader(strings.NewReader(speedOutput(t, src, append(args, "csv")...))).ReadAll()
	if err != nil || len(rows) != 9 || rows[1][0] != "essiv(cbc(aes),sha256)" || rows[8][4] != "64" || len(rows[0]) != len(rows[8]) {
		t.Errorf("%q, %v", rows, err)
	}
	text := speedOutput(t, src, append(args, "benchstat")...)
	lines, units := 0, 0
	figures := map[string]bool{}
	in := benchfmt.NewReader(strings.NewReader(text), "speed")
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			lines++
			if _, ok := r.Value("B/s"); ok {
				units++
			}
			name := string(r.Name.Full())
			figures[name] = true
			if !strings.Contains(name, "/driver=") {
				t.Errorf("name %s", name)
			}
			if r.GetConfig("cpu") == "" {
				t.Error("no processor")
			}
		}
	}
	// There are ten lines for a figure, but fewer if something else took the processor
	// for as long as the time that a figure may take.
	if len(figures) != 8 || units != lines || lines > 8*10 {
		t.Errorf("%d lines, %d with MB/s, for %d figures, want up to 10 for each of 8:\n%s", lines, units, len(figures), text)
	}
}

// TestCompare compares a run with figures that were faster, the same, and of
// something else.
func TestCompare(t *testing.T) {
	figure := func(bytes int, ns ...float64) speed.Result {
		r := speed.Result{Name: "ctr(sm4)", Driver: "ctr-sm4-ce", KeyBits: 128, Bytes: bytes, Asked: bytes, Stats: speed.Stats{Samples: 10}}
		for _, x := range ns {
			r.Groups = append(r.Groups, x*1e-9)
		}
		r.Seconds = r.Groups[5]
		return r
	}
	file := filepath.Join(t.TempDir(), "before")
	var text bytes.Buffer
	for _, r := range []speed.Result{
		figure(16, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99),
		figure(64, 201, 203, 205, 207, 209, 211, 213, 215, 217, 219),
		figure(1024, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
	} {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(b, '\n'))
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	earlier, err := speed.ReadEarlier(in)
	if err != nil || len(earlier) != 3 {
		t.Fatal(len(earlier), err)
	}
	table := speedTable{algorithm: speed.Algorithm{Name: "ctr(sm4)", Drivers: []ucrypt.Driver{{DriverName: "ctr-sm4-ce"}}}, results: speed.Index{}}
	for _, r := range []speed.Result{
		figure(16, 180, 182, 184, 186, 188, 190, 192, 194, 196, 198),
		figure(64, 202, 204, 206, 208, 210, 212, 214, 216, 218, 220),
		figure(256, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300),
	} {
		table.cells = append(table.cells, speed.Cell{Name: r.Name, KeyBits: 128, Bytes: r.Bytes, Asked: r.Asked})
		table.results.Add(r)
	}
	same(t, table.changes(earlier), `changes; ~ may be chance
ctr-sm4-ce enc                                 16    168.42 ->     84.21  -50.00% (p=0.000 n=10)
ctr-sm4-ce enc                                 64    303.32 ->    301.89        ~ (p=0.739 n=10)
`)
	same(t, table.changes(speed.Earlier{}), "nothing of this is in the earlier figures\n")

	src := fakeSpeeds("ctr(sm4)", "ctr-sm4-ce")
	if out := speedOutput(t, src, "--compare", file, "--time", "1us", "--bytes", "16", "ctr(sm4)"); !strings.Contains(out, "\nctr-sm4-ce enc ") {
		t.Errorf("no change in\n%s", out)
	}
	for _, bad := range []string{"no JSON", `{"op":"encrypt"}`, `{"op":"what","ns":3,"samples_ns":[3]}`, `{"op":"encrypt","ops_per_s":3}`} {
		if _, err := speed.ReadEarlier(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestPlot(t *testing.T) {
	src := fakeSpeeds("ctr(sm4)", "ctr(sm4-generic)", "ctr(sm4)", "ctr-sm4-ce", "cbc(sm4)", "cbc-sm4-ce")
	dir := t.TempDir()
	for _, name := range []string{"picture.svg", "picture.PNG"} {
		file := filepath.Join(dir, name)
		speedOutput(t, src, "--plot", file, "--time", "1us", "--bytes", "16,256", "all")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "PNG") {
			if config, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || config.Width < 1000 || config.Height < 600 {
				t.Errorf("%+v, %v", config, err)
			}
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(b))
		words := map[string]int{}
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if text, ok := token.(xml.CharData); ok {
				words[string(text)]++
			}
		}
		// A diagram for each algorithm and direction, a line for each driver.
		for word, n := range map[string]int{"ctr-sm4-ce": 2, "ctr(sm4-generic)": 2, "cbc-sm4-ce": 2, "ctr(sm4), 128-bit key, encryption": 1,
			"cbc(sm4), 128-bit key, decryption": 1, "16": 4, "256": 4, "bytes a message": 4} {
			if words[word] != n {
				t.Errorf("%q is there %d times, want %d", word, words[word], n)
			}
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files are left", len(files))
	}
}

func TestTicks(t *testing.T) {
	labels := ""
	for _, tick := range lengthTicks([]int{16, 64, 128, 256, 1024, 1424, 4096, 5000}) {
		labels += tick.Label + " "
	}
	same(t, labels, "16 64 128 256 1024   5000 ")
	labels = ""
	for _, tick := range speedTicks(0.07, 13) {
		labels += tick.Label + " "
	}
	same(t, labels, "0.1 0.2 0.5 1 2 5 10 ")
}

// TestCauses names what can be seen to spoil figures.
func TestCauses(t *testing.T) {
	x := speed.Index{}
	x.Add(speed.Result{Driver: "a", Stats: speed.Stats{Seconds: 1, Share: 0.95, Drift: 0.01}}, speed.Result{Driver: "b", Stats: speed.Stats{Seconds: 1}})
	same(t, causes(x), "")
	x.Add(speed.Result{Driver: "c", Stats: speed.Stats{Seconds: 1, Share: 0.6, Drift: -0.25}})
	same(t, causes(x), "warning: other programs took up to 40 % of the processor\nwarning: the processor's clock changed by up to 25 % while a length was measured\n")
}

// TestAsync has the command send messages through the queues of the source.
func TestAsync(t *testing.T) {
	src := fakeSpeeds("ctr(sm4)", "ctr-sm4-ce")
	var got speed.Queued
	released := 0
	src.OpenQueued = func(_ ucrypt.Driver, _ speed.Op, _, _, _ int, q speed.Queued) (speed.Work, func(), error) {
		got = q
		return func(int) error { time.Sleep(time.Microsecond); return nil }, func() { released++ }, nil
	}
	out := speedOutput(t, src, "--async", "--workers", "3", "--bytes", "16", "--time", "1us", "ctr(sm4)")
	if got != (speed.Queued{InFlight: 12, Workers: 3}) || released != 2 || !strings.Contains(out, "a queue of 3 workers, 12 in flight\n") {
		t.Errorf("%+v, %d of 2 released, %s", got, released, out)
	}
}
