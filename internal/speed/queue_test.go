package speed

import (
	"testing"

	"ucrypt"
)

// TestRegistryWorks opens every usable driver in each way, so that all of them can
// be measured.
func TestRegistryWorks(t *testing.T) {
	for _, d := range Registry.Drivers() {
		d, err := Registry.Lookup(d.DriverName)
		if err != nil {
			continue
		}
		bits := keySizes(d)
		for _, op := range ops(d) {
			open := func(how string, w Work, release func(), err error) {
				if err == nil {
					defer release()
					err = w(3)
				}
				if err == nil {
					err = w(2)
				}
				if err != nil {
					t.Errorf("%s %s, %s: %v", d.DriverName, op, how, err)
				}
			}
			n := length(d, 100)
			w, err := Registry.Open(d, op, bits[0], n)
			open("directly", w, func() {}, err)
			if d.Type == ucrypt.TypeCipher {
				continue
			}
			w, err = Registry.OpenMany(d, op, bits[0], n, 3)
			open("many", w, func() {}, err)
			for _, q := range []Queued{{1, 1}, {3, 2}} {
				w, release, err := Registry.OpenQueued(d, op, bits[0], n, 0, q)
				open("queued", w, release, err)
			}
			if d.Type == ucrypt.TypeShash && bits[0] == 0 {
				w, err := Registry.OpenUpdates(d, 1024, 16)
				open("in updates", w, func() {}, err)
				w, release, err := Registry.OpenQueued(d, op, 0, 1024, 16, Queued{2, 2})
				open("queued in updates", w, release, err)
			}
		}
	}
	if _, _, err := Registry.OpenQueued(ucrypt.Driver{Type: ucrypt.TypeCipher}, Encrypt, 128, 16, 0, Queued{1, 1}); err == nil {
		t.Error("one block went through a queue")
	}
	d, err := Registry.Lookup("ctr(sm4)")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Registry.OpenQueued(d, Encrypt, 8, 16, 0, Queued{1, 1}); err == nil {
		t.Error("a key of one byte was taken")
	}
}

// TestIPsec measures rfc4309 over the driver of ccm.
func TestIPsec(t *testing.T) {
	d, ok, err := Registry.driverOf("rfc4309(ccm(sm4))", "best")
	if err != nil || !ok {
		t.Skip("there is no ccm(sm4):", err)
	}
	for _, op := range []Op{Encrypt, Decrypt} {
		w, err := Registry.Open(d, op, 152, 100)
		if err == nil {
			err = w(2)
		}
		if err != nil {
			t.Error(op, err)
		}
	}
}

// TestMany makes sure that an operation of many messages works on each of them.
func TestMany(t *testing.T) {
	worked := make([]int, 3)
	var works []Work
	for i := range worked {
		works = append(works, func(n int) error { worked[i] += n; return nil })
	}
	if err := inTurns(works)(5); err != nil || worked[0] != 5 || worked[1] != 5 || worked[2] != 5 {
		t.Errorf("%v, %v", worked, err)
	}
	opened, asked := 0, 0
	src := Source{
		Open: func(ucrypt.Driver, Op, int, int) (Work, error) {
			return func(n int) error { opened += n; return nil }, nil
		},
		OpenMany: func(_ ucrypt.Driver, _ Op, _, _, messages int) (Work, error) {
			return func(n int) error { asked += n * messages; return nil }, nil
		},
	}
	trial := Trial{Mode: &Mode{Multi: true}}
	for range 2 {
		w, _, err := src.step(ucrypt.Driver{}, trial, 4, Queued{})
		if err == nil {
			err = w(2)
		}
		if err != nil {
			t.Fatal(err)
		}
		src.OpenMany = nil // the second time
	}
	if opened != 8 || asked != 8 {
		t.Errorf("%d messages one by one, %d by the call for many, want 8 of each", opened, asked)
	}
}
