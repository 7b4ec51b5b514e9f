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
