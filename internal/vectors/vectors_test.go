package vectors

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestFiles(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Algorithm == "" || len(f.Sources) == 0 || len(f.Tests) == 0 {
			t.Errorf("%s: algorithm %q, %d sources, %d tests", f.Name, f.Algorithm, len(f.Sources), len(f.Tests))
		}
		seen := map[string]bool{}
		for i := range f.Tests {
			c := &f.Tests[i]
			if seen[c.ID] {
				t.Errorf("%s: %s is there twice", f.Name, c.ID)
			}
			seen[c.ID] = true
			if !c.Verified {
				t.Errorf("%s: %s was not verified", f.Name, c.ID)
			}
			if c.Valid() && c.Plaintext == nil {
				t.Errorf("%s: %s lacks a field", f.Name, c.ID)
			}
		}
	}
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, f := range files {
		if described[f.Name] {
			continue // made from the file
		}
		described[f.Name] = true
		refusals := 0
		for i := range f.Tests {
			if !f.Tests[i].Valid() {
				refusals++
			}
		}
		row := fmt.Sprintf("| %s | `%s` | %d | %d |", f.Name, f.Algorithm, len(f.Tests), refusals)
		if !bytes.Contains(readme, []byte(row)) {
			t.Errorf("testdata/README.md has no row that begins %s", row)
		}
	}
	f, err := For("ecb(sm4)")
	if err != nil || f == nil {
		t.Fatalf("ecb(sm4): %v, %v", f, err)
	}
	if f, err := For("nosuch(sm4)"); f != nil || err != nil {
		t.Errorf("nosuch(sm4): %v, %v", f, err)
	}
}

// The numbers are those of the file's description: a file that was cut must not pass.
func TestKernel(t *testing.T) {
	k, err := ReadKernel()
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Vectors) != 1805 || len(k.Streams) != 312 || len(k.Refusals) != 1195 {
		t.Errorf("%d vectors, %d streams, %d refusals", len(k.Vectors), len(k.Streams), len(k.Refusals))
	}

	calls, sockets, refused := 0, 0, 0
	for i := range k.Streams {
		s := &k.Streams[i]
		got := s.Calls()
		if s.Via != "request-chain" {
			sockets += len(got)
		} else {
			calls += len(got)
		}
		for _, c := range got {
			if c.Refused {
				refused++
			} else if len(c.In) != len(c.Out) {
				t.Errorf("stream %d, %s: %d bytes became %d", i, s.Alg, len(c.In), len(c.Out))
			}
			if len(c.IV) != 16 && s.Alg != "ecb(sm4)" {
				t.Errorf("stream %d, %s: iv of %d bytes", i, s.Alg, len(c.IV))
			}
		}
	}
	if calls != 538 || sockets != 94 || refused != 40 {
		t.Errorf("%d chunks, %d socket streams, %d refused", calls, sockets, refused)
	}

	messages, keys, compared := 0, 0, 0
	for i := range k.Refusals {
		r := &k.Refusals[i]
		if !r.Compared() {
			continue
		}
		compared++
		if _, _, ok := r.Message(); ok {
			messages++
		}
		if _, _, ok := r.KeyLength(); ok {
			keys++
		}
	}
	if messages != 304 || keys != 465 {
		t.Errorf("of %d rows to compare %d are about messages and %d about keys", compared, messages, keys)
	}
}

func TestStealing(t *testing.T) {
	bytes := func(from, to byte) (b Hex) {
		for ; from < to; from++ {
			b = append(b, from)
		}
		return b
	}
	f := &File{Tests: []Test{{Ciphertext: bytes(0, 16)}, {Ciphertext: bytes(0, 40)}, {Ciphertext: bytes(0, 48)}}}
	for variant, want := range [][]string{
		1: {bytes(0, 16).String(), (bytes(0, 16).String() + bytes(32, 40).String() + bytes(16, 32).String()), bytes(0, 16).String() + bytes(32, 48).String() + bytes(16, 32).String()},
		2: {bytes(0, 16).String(), bytes(0, 40).String(), bytes(0, 16).String() + bytes(32, 48).String() + bytes(16, 32).String()},
	} {
		for i, w := range want {
			if got := f.stealing("", variant).Tests[i].Ciphertext.String(); got != w {
				t.Errorf("CS%d, %d bytes: %s, want %s", variant, len(w)/2, got, w)
			}
		}
	}
}

func TestRules(t *testing.T) {
	s := Stream{Alg: "cbc(sm4)", Via: "request-chain", Op: "decrypt", IV: Hex{1}, Chunks: []Chunk{
		{Result: "OK", In: Hex{2}, Out: Hex{3}, IVOut: Hex{4}},
		{Result: "EINVAL", In: Hex{5}, IVOut: Hex{6}},
	}}
	c := s.Calls()
	if len(c) != 2 || !bytes.Equal(c[0].IV, []byte{1}) || !bytes.Equal(c[1].IV, []byte{4}) ||
		c[0].Refused || !c[1].Refused || !bytes.Equal(c[0].NextIV, []byte{4}) || c[0].Encrypt {
		t.Errorf("chain: %+v", c)
	}
	s.Alg = "xts(sm4)"
	if s.Calls()[0].NextIV != nil {
		t.Error("the next iv of xts is compared")
	}
	s.Via = "af_alg-msg_more"
	if s.Calls() != nil {
		t.Error("a socket's stream that does not equal one call is compared")
	}

	for _, c := range []struct {
		r        Refusal
		compared bool
		length   int
		equal    bool
	}{
		{Refusal{Via: "kernel", Case: "encrypt len=17"}, true, -1, false},
		{Refusal{Via: "af_alg", Case: "encrypt len=17"}, false, -1, false},
		{Refusal{Via: "af_alg", Case: "setkey len=17"}, true, 17, false},
		{Refusal{Via: "af_alg", Case: "setkey 32 bytes, equal halves"}, true, 32, true},
		{Refusal{Via: "kernel", Case: "setkey 32 bytes, equal halves, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS"}, true, -1, false},
	} {
		n, equal, ok := c.r.KeyLength()
		if !ok {
			n = -1
		}
		if c.r.Compared() != c.compared || n != c.length || equal != c.equal {
			t.Errorf("%+v: compared %v, key of %d bytes, equal halves %v", c.r, c.r.Compared(), n, equal)
		}
	}
}
