package speed

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ucrypt"
)

func skcipher(name, driver string, priority, block, minKey, maxKey int) ucrypt.Driver {
	return ucrypt.Driver{Name: name, DriverName: driver, Type: ucrypt.TypeSkcipher, Priority: priority,
		BlockSize: block, IVSize: 16, MinKeySize: minKey, MaxKeySize: maxKey}
}

var fakeDrivers = []ucrypt.Driver{
	{Name: "sm4", DriverName: "sm4-generic", Type: ucrypt.TypeCipher, Priority: 100, BlockSize: 16, MinKeySize: 16, MaxKeySize: 16},
	skcipher("ctr(sm4)", "ctr-sm4-wide", 800, 1, 16, 16),
	skcipher("ctr(sm4)", "ctr(sm4-generic)", 100, 1, 16, 16),
	skcipher("ctr(sm4)", "ctr-sm4-aesni-avx", 400, 1, 16, 16),
	skcipher("cbc(aes)", "cbc(aes-generic)", 100, 16, 16, 32),
	skcipher("cbc(aes)", "cbc-aes-aesni", 300, 16, 16, 32),
	skcipher("xts(aes)", "xts-aes-aesni", 300, 16, 32, 64),
	{Name: "blake2s-256", DriverName: "blake2s-256-generic", Type: ucrypt.TypeShash, Priority: 100, BlockSize: 64, MaxKeySize: 32},
}

var fakeTemplate = skcipher("ctr(sm4)", "ctr(sm4-other)", 200, 1, 16, 16)

// fakeSource has drivers that take a nanosecond a byte, the generic ones four.
// ctr-sm4-wide cannot run.
func fakeSource(c *fakeClock) Source {
	lookup := func(name string) (ucrypt.Driver, error) {
		if name == "ctr-sm4-wide" {
			return ucrypt.Driver{}, &ucrypt.UnavailableError{Driver: name, Status: ucrypt.Unavailable, Reason: "processor lacks wide"}
		}
		var best ucrypt.Driver
		for _, d := range append(slices.Clone(fakeDrivers), fakeTemplate) {
			if d.DriverName == name {
				return d, nil
			}
			if d.Name == name && d.DriverName != "ctr-sm4-wide" && d.Priority > best.Priority {
				best = d
			}
		}
		if best.Name == "" {
			return best, &ucrypt.UnknownAlgorithmError{Name: name}
		}
		return best, nil
	}
	return Source{
		Drivers: func() []ucrypt.Driver { return slices.Clone(fakeDrivers) },
		Lookup:  lookup,
		Open: func(d ucrypt.Driver, op Op, bits, bytes int) (Work, error) {
			if bits == 192 && d.Name == "cbc(aes)" {
				return nil, &ucrypt.KeySizeError{Name: d.Name, Got: bits / 8}
			}
			each := time.Duration(bytes)
			if isGeneric(d.DriverName) {
				each *= 4
			}
			return c.work(each, nil), nil
		},
	}
}

func driverNames(drivers []ucrypt.Driver) string {
	var names []string
	for _, d := range drivers {
		names = append(names, d.DriverName)
	}
	return strings.Join(names, " ")
}

func TestSelect(t *testing.T) {
	src := fakeSource(&fakeClock{})
	for _, test := range []struct{ names, want string }{
		{"ctr(sm4)", "ctr(sm4): ctr(sm4-generic) ctr-sm4-aesni-avx | ctr-sm4-wide over ctr(sm4-generic)"},
		{"ctr-sm4-aesni-avx", "ctr(sm4): ctr-sm4-aesni-avx | over"},
		{"ctr-sm4-aesni-avx ctr(sm4-generic)", "ctr(sm4): ctr(sm4-generic) ctr-sm4-aesni-avx | over ctr(sm4-generic)"},
		{"ctr(sm4-other)", "ctr(sm4): ctr(sm4-other) | over"},
		{"*(sm4) cbc*", "ctr(sm4): ctr(sm4-generic) ctr-sm4-aesni-avx | ctr-sm4-wide over ctr(sm4-generic); cbc(aes): cbc(aes-generic) cbc-aes-aesni | over cbc(aes-generic)"},
		{"*-wide", "ctr(sm4): | ctr-sm4-wide over"},
		{"sm?", "sm4: sm4-generic | over"},
		{"nothing", "ucrypt: unknown algorithm or driver \"nothing\""},
		{"none*", "ucrypt: unknown algorithm or driver \"none*\""},
		{"ctr-sm4-wide", "ucrypt: driver ctr-sm4-wide is unavailable: processor lacks wide"},
	} {
		got := ""
		algorithms, err := src.Select(strings.Fields(test.names))
		if err != nil {
			got = err.Error()
		}
		for i, a := range algorithms {
			if i > 0 {
				got += "; "
			}
			got += strings.Join(strings.Fields(a.Name+": "+driverNames(a.Drivers)+" | "+driverNames(a.Unusable)+" over "+a.Base), " ")
		}
		if got != test.want {
			t.Errorf("%s: %s\nwant %s", test.names, got, test.want)
		}
	}
	all, err := src.Select(nil)
	if err != nil || len(all) != 5 {
		t.Errorf("everything: %d algorithms, %v, want 5", len(all), err)
	}
	for _, a := range all {
		if a.Name == "ctr(sm4)" && a.Unusable[0].Reason != "processor lacks wide" {
			t.Errorf("%+v, want the reason", a.Unusable)
		}
	}
}

func TestGeneric(t *testing.T) {
	for driver, want := range map[string]bool{
		"sm4-generic": true, "ctr(sm4-generic)": true, "cts-cs1(cbc(sm4-generic))": true, "blake2s-256-generic": true,
		"gcm_base(ctr(sm4-generic),ghash-generic)": true, "essiv(cbc(aes-generic),sha256-go)": true, "xts(ecb(sm4-generic))": true,
		"ccm_base(ctr-sm4-ce,cbcmac(sm4-generic))": false, "gcm_base(ctr(sm4-generic),ghash-ce)": false, "ctr-sm4-ce": false,
		"essiv(cbc-aes-ce,sha256-go)": false, "ctr(aes-go)": false,
	} {
		if isGeneric(driver) != want {
			t.Errorf("%s: %v", driver, !want)
		}
	}
}

func TestRestrict(t *testing.T) {
	src := fakeSource(&fakeClock{})
	for _, test := range []struct{ words, want string }{
		{"all", "ctr(sm4-generic) ctr-sm4-aesni-avx, cbc(aes-generic) cbc-aes-aesni"},
		{"best", "ctr-sm4-aesni-avx, cbc-aes-aesni"},
		{"generic", "ctr(sm4-generic), cbc(aes-generic)"},
		{"generic best", "ctr(sm4-generic) ctr-sm4-aesni-avx, cbc(aes-generic) cbc-aes-aesni"},
		{"ctr-sm4-aesni-avx", "ctr-sm4-aesni-avx"},
		{"*-aesni*", "ctr-sm4-aesni-avx, cbc-aes-aesni"},
		{"ctr(sm4-other) generic", "ctr(sm4-generic) ctr(sm4-other), cbc(aes-generic)"},
		{"ctr-sm4-wide", ""},
		{"best other", "no driver of what is to be measured is called other"},
	} {
		algorithms, err := src.Select([]string{"ctr(sm4)", "cbc(aes)"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		algorithms, err = src.Restrict(algorithms, strings.Fields(test.words))
		if err != nil {
			got = append(got, err.Error())
		}
		for _, a := range algorithms {
			got = append(got, driverNames(a.Drivers))
			if test.words == "best" && a.Base != "" {
				t.Errorf("%s alone has ratios to %s", a.Name, a.Base)
			}
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %s\nwant %s", test.words, s, test.want)
		}
	}
}

func TestPlan(t *testing.T) {
	src := fakeSource(&fakeClock{})
	for _, test := range []struct {
		name    string
		keyBits []int
		sizes   []int
		bytes   []int // of one operation and key size
		figures int
	}{
		{"sm4", nil, []int{128}, []int{16}, 2},
		{"ctr(sm4)", nil, []int{128}, []int{16, 1420, 4096}, 2 * 3 * 2},
		{"cbc(aes)", nil, []int{128, 256}, []int{16, 1424, 4096}, 2 * 2 * 3 * 2},
		{"cbc(aes)", []int{256, 512}, []int{256}, []int{16, 1424, 4096}, 2 * 3 * 2},
		{"cbc(aes)", []int{512}, nil, nil, 0},
		{"xts(aes)", nil, []int{256, 512}, []int{16, 1424, 4096}, 2 * 2 * 3},
		{"blake2s-256", nil, []int{0}, []int{16, 1420, 4096}, 3},
	} {
		algorithms, err := src.Select([]string{test.name})
		if err != nil {
			t.Fatal(err)
		}
		cells, err := src.Plan(algorithms, []int{16, 1420, 4096}, test.keyBits)
		if err != nil {
			t.Fatal(err)
		}
		var sizes, bytes []int
		for _, c := range cells {
			if !slices.Contains(sizes, c.KeyBits) {
				sizes = append(sizes, c.KeyBits)
			}
			if c.Op == cells[0].Op && c.KeyBits == cells[0].KeyBits {
				bytes = append(bytes, c.Bytes)
			}
		}
		if !slices.Equal(sizes, test.sizes) || !slices.Equal(bytes, test.bytes) || Figures(cells) != test.figures {
			t.Errorf("%s: key sizes %v, lengths %v, %d figures, want %v, %v, %d", test.name, sizes, bytes, Figures(cells), test.sizes, test.bytes, test.figures)
		}
		if got, want := Duration(cells, Options{Time: time.Second}), time.Duration(test.figures)*time.Second; got != want {
			t.Errorf("%s: takes %v, want %v", test.name, got, want)
		}
	}
}

func TestMeasureCell(t *testing.T) {
	c := &fakeClock{}
	src := fakeSource(c)
	algorithms, err := src.Select([]string{"cbc(aes)"})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := src.Plan(algorithms, []int{1420}, []int{128})
	if err != nil {
		t.Fatal(err)
	}
	x := Index{}
	for _, cell := range cells {
		results, err := src.Measure(cell, Options{Clock: c.clock})
		if err != nil {
			t.Fatal(err)
		}
		x.Add(results...)
	}
	k := Key{"cbc-aes-aesni", Decrypt, 128, 1420}
	near(t, "MB/s", x[k].MBPerSecond(), 1000)
	near(t, "operations a second", x[k].OpsPerSecond(), 1e9/1424)
	r, _ := x.Ratio(k, "cbc(aes-generic)")
	near(t, "ratio", r, 4)
	if r, _ := x.Ratio(k, "absent"); r != 0 {
		t.Errorf("ratio to what was not measured = %v, want 0", r)
	}
}

// TestJSON holds the form that other programs read.
func TestJSON(t *testing.T) {
	b, err := json.Marshal(Result{Name: "cbc(sm4)", Driver: "cbc-sm4-aesni-avx2", Op: Decrypt, KeyBits: 128, Bytes: 1424, Asked: 1420, Stats: Stats{
		Seconds: 1.25e-6, Spread: 0.123456, Samples: 90, Unreliable: true, Low: 1.2e-6, High: 1.3e-6, Outliers: 3, Groups: []float64{1.25e-6, 1.251e-6}}})
	want := `{"name":"cbc(sm4)","driver":"cbc-sm4-aesni-avx2","op":"decrypt","keybits":128,"bytes":1424,"ops_per_s":800000,"mb_per_s":1139.2,` +
		`"spread":0.123,"samples":90,"unreliable":true,"asked_bytes":1420,"ns_95":[1200,1300],"outliers":3,"samples_ns":[1250,1251],"ns":1250}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
	b, err = json.Marshal(Result{Name: "ctr(sm4)", Driver: "ctr(sm4-generic)", Op: Encrypt, KeyBits: 128, Bytes: 16, Asked: 16, Stats: Stats{Seconds: 3e-7, Spread: 0.01, Samples: 90, Unreliable: false}})
	want = `{"name":"ctr(sm4)","driver":"ctr(sm4-generic)","op":"encrypt","keybits":128,"bytes":16,"ops_per_s":3333333,"mb_per_s":53.333,"spread":0.01,"samples":90,"ns":300}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
}

func TestPieces(t *testing.T) {
	pieces := Pieces()
	if len(pieces) != 4 {
		t.Fatalf("%d pieces, want 4", len(pieces))
	}
	for _, p := range pieces {
		for _, row := range p.Rows {
			if len(row.TheirBefore) != len(p.Lengths) || len(row.TheirAfter) != len(p.Lengths) {
				t.Errorf("piece %d, %s %s: %d and %d figures, want %d", p.Number, row.Algorithm, row.Op, len(row.TheirBefore), len(row.TheirAfter), len(p.Lengths))
			}
		}
	}
	// The ratios that the authors name.
	last := func(p Piece, row int) float64 { return p.TheirRatio(p.Rows[row], len(p.Lengths)-1) }
	near(t, "ecb at 4 KiB", last(pieces[0], 0), 5.24)
	near(t, "ctr at 4 KiB", last(pieces[0], 6), 5.34)
	near(t, "cbc decryption at 4 KiB", last(pieces[0], 3), 5.45)
	near(t, "cfb decryption at 4 KiB", last(pieces[0], 5), 5.84)
	near(t, "xts at 4 KiB", last(pieces[1], 0), 1.11)
	near(t, "xts at 16 bytes", pieces[1].TheirRatio(pieces[1].Rows[0], 0), 1.92)
	near(t, "blake2s at 4 KiB", last(pieces[2], 0), 26/18.8)
}

func TestFounding(t *testing.T) {
	src := fakeSource(&fakeClock{})
	plans, err := src.Founding()
	if err != nil {
		t.Fatal(err)
	}
	// Of the first piece the fake registry has ctr only.
	if g := plans[0].Groups; len(g) != 2 || plans[0].Reason != "" || g[0].Algorithm != "ctr(sm4)" ||
		driverNames(g[0].Cells[0].Drivers) != "ctr(sm4-generic) ctr-sm4-aesni-avx" || g[0].Best != "ctr-sm4-aesni-avx" || len(g[0].Cells) != 7 {
		t.Errorf("piece 1: %+v", plans[0])
	}
	for _, p := range plans[1:] {
		if p.Reason != "not part of this version" || len(p.Groups) != 0 {
			t.Errorf("piece %d: reason %q, %d groups, want none", p.Number, p.Reason, len(p.Groups))
		}
	}
	if got := FoundingTime(plans, time.Hour); got != 60*time.Millisecond {
		t.Errorf("%v a figure, want the most, 60ms", got)
	}
	if got := FoundingTime(plans, 28*time.Millisecond); got != time.Millisecond {
		t.Errorf("28 figures in 28 ms: %v each, want 1ms", got)
	}
	lookup := src.Lookup
	src.Lookup = func(name string) (ucrypt.Driver, error) {
		if name == "ctr-sm4-aesni-avx" {
			return lookup("ctr-sm4-wide")
		}
		return lookup(name)
	}
	if plans, err = src.Founding(); err != nil || plans[0].Reason != "cannot run here: processor lacks wide" {
		t.Errorf("reason %q, %v", plans[0].Reason, err)
	}
	wrong := errors.New("wrong word")
	src.Lookup = func(string) (ucrypt.Driver, error) { return ucrypt.Driver{}, wrong }
	if _, err := src.Founding(); !errors.Is(err, wrong) {
		t.Errorf("error %v, want the registry's", err)
	}
}

// TestRegistry measures every driver of the registry that can run here, for as
// short as can be.
func TestRegistry(t *testing.T) {
	algorithms, err := Registry.Select(nil)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := Registry.Plan(algorithms, []int{16, 1420}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		results, err := Registry.Measure(c, Options{Time: time.Microsecond})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(results) != len(c.Drivers) {
			t.Errorf("%s: %d results of %d drivers", c.Name, len(results), len(c.Drivers))
		}
		for _, r := range results {
			if r.Seconds <= 0 {
				t.Errorf("%+v: no time passed", r)
			}
		}
	}
	if _, err := Registry.Founding(); err != nil {
		t.Error(err)
	}
}

// TestMeasuringDoesNotAllocate makes sure that the figures are of the drivers. Those over the
// standard library may allocate.
func TestMeasuringDoesNotAllocate(t *testing.T) {
	for _, d := range Registry.Drivers() {
		if _, err := Registry.Lookup(d.DriverName); err != nil || d.Type == ucrypt.TypeAEAD || strings.Contains(d.DriverName, "aes-go") {
			continue
		}
		for _, op := range ops(d) {
			w, err := Registry.Open(d, op, keySizes(d)[0], length(d, 1420))
			if err != nil {
				t.Error(err)
				continue
			}
			if n := testing.AllocsPerRun(10, func() { err = errors.Join(err, w(3)) }); n != 0 || err != nil {
				t.Errorf("%s %s: %v allocations, %v", d.DriverName, op, n, err)
			}
		}
	}
}

func TestMachine(t *testing.T) {
	m := ThisMachine()
	if m.Processor == "" || !strings.Contains(m.System, "/") || m.Go == "" {
		t.Errorf("%+v, want all fields", m)
	}
	const intel = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n"
	if got := cpuinfoName(intel); got != "Intel(R) Xeon(R)" {
		t.Errorf("name %q", got)
	}
	if got := cpuinfoModel(intel); got != "family 6, model 85" {
		t.Errorf("model %q", got)
	}
	if got := cpuinfoModel("model name: ARMv7\n"); got != "" {
		t.Errorf("model %q of a processor without a family", got)
	}
	for _, test := range []struct{ arch, processor, info, comm, variable, want string }{
		{"amd64", "Intel(R) Xeon(R)", intel, "ucrypt\n", "", ""},
		{"386", "Intel(R) Xeon(R)", intel, "ucrypt\n", "0", ""},
		{"arm64", "unknown", "", "ucrypt\n", "", ""},
		{"arm64", "unknown", "", "ucrypt\n", "1", "UCRYPT_EMULATED is set"},
		{"arm", "unknown", "", "qemu-arm-static\n", "", "runs under qemu-user"},
		{"arm64", "unknown", intel, "ucrypt\n", "", "an arm64 program on an x86 processor"},
		{"amd64", "QEMU TCG CPU version 2.5+", "", "ucrypt\n", "", "the processor is qemu's"},
	} {
		if got := emulated(test.arch, test.processor, test.info, test.comm, test.variable); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestMatch(t *testing.T) {
	got := []bool{match("ctr(*", "ctr(sm4)"), match("[", "["), match("[", "a"), match("*", "cts(cbc(sm4))")}
	if want := []bool{true, true, false, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
