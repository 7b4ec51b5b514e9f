package mode

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"ucrypt/internal/guard"
)

// parted is an AEAD that works on a message in parts too.
type parted interface {
	MaxLength() int64
	Begin(nonce, additionalData []byte, length int64) Message
}

// checkMessage works on a message in parts of whole blocks, cut at random, and
// compares with Seal and Open.
func checkMessage(t *testing.T, a aead, r *rand.Rand, nonce, plaintext, additionalData []byte) {
	t.Helper()
	n := len(plaintext)
	want := a.Seal(nil, nonce, plaintext, additionalData)
	begin := a.AEAD.(parted).Begin
	what := fmt.Sprintf("%s: %d bytes, associated data of %d", a.what, n, len(additionalData))
	for _, inPlace := range []bool{false, true} {
		out := make([]byte, n)
		work := func(part func(dst, src []byte), in []byte) {
			if inPlace {
				copy(out, in)
				in = out
			}
			for at := 0; ; {
				k := n - at
				if most := k / 16; most > 0 && r.IntN(4) > 0 {
					k = 16 * r.IntN(1+min(most, 1+r.IntN(700)))
				}
				part(out[at:at+k], in[at:at+k:at+k])
				if at += k; at == n {
					return
				}
			}
		}
		m := begin(nonce, additionalData, int64(n))
		work(m.Encrypt, plaintext)
		if tag := m.Tag(); !bytes.Equal(out, want[:n]) || !bytes.Equal(tag, want[n:]) {
			t.Fatalf("%s, in place %v: Encrypt is wrong", what, inPlace)
		}
		m = begin(nonce, additionalData, int64(n))
		work(m.Decrypt, want[:n])
		if err := m.Check(want[n:]); err != nil || !bytes.Equal(out, plaintext) {
			t.Fatalf("%s, in place %v: Decrypt is wrong, error %v", what, inPlace, err)
		}
		wrong := bytes.Clone(want)
		wrong[r.IntN(len(wrong))] ^= 1 << r.IntN(8)
		m = begin(nonce, additionalData, int64(n))
		work(m.Decrypt, wrong[:n])
		if err := m.Check(wrong[n:]); !errors.Is(err, ErrAuthentication) {
			t.Fatalf("%s, in place %v: a wrong bit: error %v", what, inPlace, err)
		}
	}
}

// TestMessage: all lengths, and those around what is worked on at once.
func TestMessage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := random(105, 70000)
	last, long := 600, []int{4096, 8191, 8192, 8193, 16 << 10, 65535, 65536, 70000}
	if testing.Short() {
		last, long = 70, []int{8193}
	}
	gcmTags, ccmTags := []int{16, 4, 8, 12, 13, 14, 15}, []int{16, 4, 6, 8, 10, 12, 14}
	for _, s := range aeadSubjects(t, 71) {
		for n := 0; n <= last; n++ {
			for _, a := range gcms(t, s, 1+n%17, gcmTags[n%7]) {
				checkMessage(t, a, r, data[n:n+1+n%17], data[:n], data[100:100+n*5%67])
			}
			for _, a := range ccms(t, s, 7+n%7, ccmTags[n/7%7]) {
				checkMessage(t, a, r, data[n:n+7+n%7], data[:n], data[100:100+n*5%67])
			}
		}
		for _, n := range long {
			for _, a := range append(gcms(t, s, 12, 16), ccms(t, s, 12, 16)...) {
				checkMessage(t, a, r, data[n-12:n], data[:n], data[:n/3])
			}
		}
	}
}

// TestMessageCounterWraps: the low 32 bits of the first counter block are all ones,
// and so are the others.
func TestMessageCounterWraps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data := random(107, 9000)
	for _, s := range aeadSubjects(t, 73) {
		nonce := nonceFor(t, s, [16]byte(bytes.Repeat([]byte{0xff}, 16)))
		for _, a := range gcms(t, s, 16, 16) {
			for _, n := range []int{0, 1, 16, 17, 256, 1024, 9000} {
				checkMessage(t, a, r, nonce[:], data[:n], data[:13])
			}
		}
	}
}

// TestMessageGuardPages: every buffer ends at an inaccessible page.
func TestMessageGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("this system has no inaccessible pages")
	}
	var b [4]*guard.Buffer
	for i := range b {
		var err error
		if b[i], err = guard.New(1000); err != nil {
			t.Fatal(err)
		}
		defer b[i].Close()
	}
	for _, s := range aeadSubjects(t, 75) {
		for _, a := range append(gcms(t, s, 12, 16), ccms(t, s, 12, 16)...) {
			for n := 0; n < 700; n += 1 + n/20 {
				nonce, in, ad, out := b[0].Right(12), b[1].Right(n), b[2].Right(n%50), b[3].Right(n)
				want := a.Seal(nil, nonce, in, ad)
				m := a.AEAD.(parted).Begin(nonce, ad, int64(n))
				m.Encrypt(out, in)
				if !bytes.Equal(out, want[:n]) || !bytes.Equal(m.Tag(), want[n:]) {
					t.Fatalf("%s: %d bytes: wrong", a.what, n)
				}
				m = a.AEAD.(parted).Begin(nonce, ad, int64(n))
				m.Decrypt(out, out)
				if err := m.Check(want[n:]); err != nil || !bytes.Equal(out, in) {
					t.Fatalf("%s: %d bytes in place: %v", a.what, n, err)
				}
			}
		}
	}
}

// TestMessageLimits: what is longer than the mode allows, or than was said, is refused
// before it is worked on.
func TestMessageLimits(t *testing.T) {
	s := subjects(t, 77)[0]
	g, err := NewGCM("test", s.c, 12, 16)
	if err != nil {
		t.Fatal(err)
	}
	nonce, buf := make([]byte, 13), make([]byte, 64)
	if got := g.MaxLength(); got != 16*(1<<32-2) {
		t.Errorf("GCM: messages of up to %d bytes", got)
	}
	refused := func(want string, f func()) {
		t.Helper()
		if got := recovered(f); got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
		if !bytes.Equal(buf, make([]byte, 64)) {
			t.Fatal("a refused part was worked on")
		}
	}
	m := g.Begin(nonce[:12], nil, -1)
	m.(*gcmMessage).length = uint64(g.MaxLength()) - 16
	refused("test: the parts of a message are longer than it can be", func() { m.Encrypt(buf[:17], buf[:17]) })
	m.Encrypt(buf[:16], buf[:16])
	clear(buf)
	refused("test: the parts of a message are longer than it can be", func() { m.Encrypt(buf[:1], buf[:1]) })
	m = g.Begin(nonce[:12], nil, -1)
	m.Decrypt(make([]byte, 17), buf[:17])
	refused("test: a part of a message behind one that was not of whole blocks", func() { m.Decrypt(buf[:1], buf[:1]) })
	refused("test: message too large for GCM", func() { g.Begin(nonce[:12], nil, g.MaxLength()+1) })
	refused("test: nonce of 13 bytes, want 12", func() { g.Begin(nonce, nil, 0) })
	refused("test: output smaller than input", func() { m.Decrypt(buf[:1], buf[1:3]) })
	refused("test: invalid buffer overlap", func() { m.Decrypt(buf[1:3], buf[:2]) })

	for nonceSize, want := range map[int]int64{7: 1<<63 - 1, 8: 1<<56 - 1, 11: 1<<32 - 1, 12: 1<<24 - 1, 13: 1<<16 - 1} {
		c, err := NewCCM("test", s.c, nonceSize, 16)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.MaxLength(); got != want {
			t.Errorf("CCM, nonces of %d bytes: messages of up to %d bytes, want %d", nonceSize, got, want)
		}
		refused("test: message too large for CCM", func() { c.Begin(nonce[:nonceSize], nil, -1) })
		if want < 1<<63-1 {
			refused("test: message too large for CCM", func() { c.Begin(nonce[:nonceSize], nil, want+1) })
		}
		// The first block has the whole length, however long.
		longest := c.Begin(nonce[:nonceSize], nil, want).(*ccmMessage)
		for i, b := range longest.mac.buf[1+nonceSize : 16] {
			if b != 0xff && !(nonceSize == 7 && i == 0 && b == 0x7f) {
				t.Errorf("CCM, nonces of %d bytes: first block %x", nonceSize, longest.mac.buf[:16])
			}
		}
		m := c.Begin(nonce[:nonceSize], nil, 20)
		refused("test: the parts of a message are longer than it can be", func() { m.Encrypt(buf[:21], buf[:21]) })
		refused("test: the parts of a message are shorter than was said", func() { m.Tag() })
	}
}
