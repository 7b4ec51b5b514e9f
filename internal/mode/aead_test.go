package mode

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ucrypt/internal/aes"
	"ucrypt/internal/ghash"
	"ucrypt/internal/guard"
)

// aeadSubjects are the ciphers with blocks of 16 bytes, also as templates use
// them, and AES on every tier.
func aeadSubjects(t testing.TB, seed byte) []subject {
	var all []subject
	for _, s := range subjects(t, seed) {
		if s.c.BlockSize() != 16 {
			continue
		}
		all = append(all, s)
		if s.c.sm4 != nil {
			all = append(all, subject{s.name + "-composed", s.c.Composed(), s.reference})
		}
	}
	key := [16]byte{seed, 7}
	reference := aesBlock{aes.NewTier(aes.Go, key[:])}
	for _, tier := range aes.Tiers() {
		if tier.Available() == nil {
			all = append(all, subject{"aes-" + tier.String(), AES(aes.NewTier(tier, key[:])), reference})
		}
	}
	return all
}

// aesBlock hides the methods of crypto/aes's block.
type aesBlock struct{ c *aes.Cipher }

func (b aesBlock) BlockSize() int          { return 16 }
func (b aesBlock) Encrypt(dst, src []byte) { b.c.EncryptBlocks(dst[:16], src[:16]) }
func (b aesBlock) Decrypt(dst, src []byte) { b.c.DecryptBlocks(dst[:16], src[:16]) }

// naiveGCM is crypto/cipher's, cut to shorter tags.
func naiveGCM(t testing.TB, b cipher.Block, nonce, plaintext, additionalData []byte) []byte {
	a, err := cipher.NewGCMWithNonceSize(b, len(nonce))
	if err != nil {
		t.Fatal(err)
	}
	return a.Seal(nil, nonce, plaintext, additionalData)
}

// naiveCCM is CCM by the definition (NIST SP 800-38C).
func naiveCCM(b cipher.Block, nonce, plaintext, additionalData []byte, tagSize int) []byte {
	q := 15 - len(nonce)
	first := make([]byte, 16)
	binary.BigEndian.PutUint64(first[8:], uint64(len(plaintext)))
	copy(first[1:], nonce)
	first[0] = byte(8*((tagSize-2)/2) + q - 1)
	pad := func(p []byte) []byte { return append(p, make([]byte, -len(p)&15)...) }
	text := bytes.Clone(first)
	if n := len(additionalData); n > 0 {
		text[0] += 64
		if n < 0xff00 {
			text = append(text, byte(n>>8), byte(n))
		} else {
			text = append(text, 0xff, 0xfe, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		}
		text = pad(append(text, additionalData...))
	}
	text = pad(append(text, plaintext...))
	zero := make([]byte, 16)
	chained, _ := naiveCBC(b, text, zero, false)
	counter := make([]byte, 16)
	counter[0] = byte(q - 1)
	copy(counter[1:], nonce)
	stream, _ := naiveCTR(b, append(make([]byte, 16), plaintext...), counter, false)
	return append(stream[16:], xor(chained[len(chained)-16:], stream[:16])[:tagSize]...)
}

// aead is one AEAD of a cipher and its naive twin.
type aead struct {
	cipher.AEAD
	what  string
	naive func(nonce, plaintext, additionalData []byte) []byte
}

// gcms and ccms return the AEADs of a cipher with the sizes.
func gcms(t testing.TB, s subject, nonceSize, tagSize int) (all []aead) {
	for _, tier := range ghash.Tiers() {
		if tier.Available() != nil {
			continue
		}
		g, err := NewGCMTier("test", s.c, tier, nonceSize, tagSize)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, aead{g, fmt.Sprintf("gcm of %s with ghash %s, nonces of %d, tags of %d", s.name, tier, nonceSize, tagSize), func(nonce, p, a []byte) []byte {
			return naiveGCM(t, s.reference, nonce, p, a)[:len(p)+tagSize]
		}})
		if testing.Short() {
			break
		}
	}
	return all
}

func ccms(t testing.TB, s subject, nonceSize, tagSize int) []aead {
	m, err := NewCCM("test", s.c, nonceSize, tagSize)
	if err != nil {
		t.Fatal(err)
	}
	return []aead{{m, fmt.Sprintf("ccm of %s, nonces of %d, tags of %d", s.name, nonceSize, tagSize), func(nonce, p, a []byte) []byte {
		return naiveCCM(s.reference, nonce, p, a, tagSize)
	}}}
}

// checkAEAD seals and opens one message, apart and in place, with watched bytes
// around, and then with one bit wrong.
func checkAEAD(t *testing.T, a aead, nonce, plaintext, additionalData []byte) {
	t.Helper()
	want := a.naive(nonce, plaintext, additionalData)
	n, overhead := len(plaintext), a.Overhead()
	const watched = 32
	what := fmt.Sprintf("%s: %d bytes, associated data of %d", a.what, n, len(additionalData))
	for _, inPlace := range []bool{false, true} {
		mem := bytes.Repeat([]byte{0xa5}, watched+n+overhead+watched)
		src := plaintext
		if inPlace {
			src = mem[watched : watched+n]
			copy(src, plaintext)
		}
		got := a.Seal(mem[:watched], nonce, src, additionalData)
		if !bytes.Equal(got[watched:], want) {
			t.Fatalf("%s, in place %v: Seal is wrong", what, inPlace)
		}
		intact := func(op string) {
			for _, x := range append(mem[:watched:watched], mem[watched+n+overhead:]...) {
				if x != 0xa5 {
					t.Fatalf("%s, in place %v: %s wrote outside its output", what, inPlace, op)
				}
			}
		}
		intact("Seal")
		src = want
		if inPlace {
			src = mem[watched : watched+n+overhead]
		}
		opened, err := a.Open(mem[:watched], nonce, src, additionalData)
		if err != nil || !bytes.Equal(opened[watched:], plaintext) {
			t.Fatalf("%s, in place %v: Open is wrong, error %v", what, inPlace, err)
		}
		intact("Open")
		if inPlace && !bytes.Equal(mem[watched+n:watched+n+overhead], want[n:]) {
			t.Fatalf("%s: Open changed the tag", what)
		}

		// One wrong bit: nothing is to be seen of the plaintext.
		wrong := bytes.Clone(want)
		wrong[(n*7+len(additionalData))%len(wrong)] ^= 1 << (n % 8)
		src = wrong
		for i := range mem[watched : watched+n] {
			mem[watched+i] = 0x5a
		}
		if inPlace {
			copy(mem[watched:], wrong)
			src = mem[watched : watched+n+overhead]
		}
		if opened, err := a.Open(mem[:watched], nonce, src, additionalData); !errors.Is(err, ErrAuthentication) || opened != nil {
			t.Fatalf("%s: a wrong bit gives %x, error %v", what, opened, err)
		}
		for _, x := range mem[watched : watched+n] {
			if x != 0 {
				t.Fatalf("%s, in place %v: the output is not cleared after a failure", what, inPlace)
			}
		}
		intact("a failing Open")
	}
	for _, short := range [][]byte{nil, want[:overhead-1], want[:len(want)-1]} {
		if _, err := a.Open(nil, nonce, short, additionalData); !errors.Is(err, ErrAuthentication) {
			t.Fatalf("%s: cut to %d bytes: error %v", what, len(short), err)
		}
	}
}

// TestAEAD: all lengths of text with lengths of associated data that lead through
// every residue, for all tag and nonce sizes in turn.
func TestAEAD(t *testing.T) {
	gcmTags, ccmTags := []int{16, 4, 8, 12, 13, 14, 15}, []int{16, 4, 6, 8, 10, 12, 14}
	gcmNonces, ccmNonces := []int{12, 1, 8, 11, 13, 15, 16, 17, 32, 48, 100}, []int{12, 7, 8, 9, 10, 11, 13}
	last := 600
	if testing.Short() {
		last = 280
	}
	data := random(91, last+9000)
	for _, s := range aeadSubjects(t, 51) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for n := 0; n <= last; n++ {
				tag, nonce := n%len(gcmTags), n/7%len(gcmNonces)
				for _, a := range gcms(t, s, gcmNonces[nonce], gcmTags[tag]) {
					checkAEAD(t, a, data[n:n+gcmNonces[nonce]], data[:n], data[100:100+n*5%67])
				}
				tag, nonce = n%len(ccmTags), n/7%len(ccmNonces)
				for _, a := range ccms(t, s, ccmNonces[nonce], ccmTags[tag]) {
					checkAEAD(t, a, data[n:n+ccmNonces[nonce]], data[:n], data[100:100+n*5%67])
				}
			}
			for _, n := range []int{1000, 1023, 4096, 4111, 8191, 8192, 8193, 8704, 8705} {
				for _, a := range append(gcms(t, s, 12, 16), ccms(t, s, 12, 16)...) {
					checkAEAD(t, a, data[n:n+12], data[:n], data[:n/3])
				}
			}
		})
	}
}

// TestAEADSizes: every pair of a nonce size and a tag size.
func TestAEADSizes(t *testing.T) {
	data := random(93, 4000)
	for _, s := range aeadSubjects(t, 53) {
		for nonce := range 40 {
			for tag := range 20 {
				gcm, err := NewGCM("test", s.c, nonce, tag)
				if right := nonce > 0 && (tag == 4 || tag == 8 || tag >= 12 && tag <= 16); right != (err == nil) {
					t.Errorf("GCM with nonces of %d and tags of %d: error %v", nonce, tag, err)
				} else if right {
					a := aead{gcm, "gcm of " + s.name, func(nonce, p, a []byte) []byte {
						return naiveGCM(t, s.reference, nonce, p, a)[:len(p)+tag]
					}}
					checkAEAD(t, a, data[:nonce], data[:50], data[:20])
				}
				ccm, err := NewCCM("test", s.c, nonce, tag)
				if right := nonce >= 7 && nonce <= 13 && tag >= 4 && tag <= 16 && tag%2 == 0; right != (err == nil) {
					t.Errorf("CCM with nonces of %d and tags of %d: error %v", nonce, tag, err)
				} else if right {
					a := aead{ccm, "ccm of " + s.name, func(nonce, p, a []byte) []byte {
						return naiveCCM(s.reference, nonce, p, a, tag)
					}}
					checkAEAD(t, a, data[:nonce], data[:50], data[:20])
				}
			}
		}
	}
}

// invert returns 1/h in GCM's field.
func invert(h [16]byte) [16]byte {
	one := [16]byte{0x80}
	multiply := func(a, b [16]byte) [16]byte {
		var acc [16]byte
		ghash.NewTier(ghash.Generic, &b).Update(&acc, a[:])
		return acc
	}
	power, result := h, one
	for range 127 { // the exponent 2^128 - 2 has the bits 1 to 127
		power = multiply(power, power)
		result = multiply(result, power)
	}
	return result
}

// nonceFor returns the nonce of 16 bytes that leads to the first counter block j0.
func nonceFor(t *testing.T, s subject, j0 [16]byte) (nonce [16]byte) {
	t.Helper()
	var h [16]byte
	s.reference.Encrypt(h[:], h[:])
	key, inverse := ghash.NewTier(ghash.Generic, &h), invert(h)
	back := ghash.NewTier(ghash.Generic, &inverse)
	// j0 = (nonce h + 128) h, where 128 is the length in bits.
	var x [16]byte
	back.Update(&x, j0[:])
	x[15] ^= 128
	back.Update(&nonce, x[:])
	var check [16]byte
	key.Update(&check, nonce[:])
	key.Update(&check, []byte{15: 128})
	if check != j0 {
		t.Fatalf("the nonce leads to %x, want %x", check, j0)
	}
	return nonce
}

// TestGCMCounterWraps: first counter blocks of which the low 32 bits wrap after
// some blocks, all other bits being ones. Only the low ones may change.
func TestGCMCounterWraps(t *testing.T) {
	data := random(95, 5000)
	for _, s := range aeadSubjects(t, 55) {
		for _, blocks := range []int{0, 1, 2, 3, 7, 15, 16, 17, 33, 64, 130, 260} {
			j0 := [16]byte(bytes.Repeat([]byte{0xff}, 16))
			binary.BigEndian.PutUint32(j0[12:], uint32(-1-blocks))
			nonce := nonceFor(t, s, j0)
			for _, a := range gcms(t, s, 16, 16) {
				for _, n := range []int{0, 1, 16, 17, 48, 240, 256, 272, 1024, 4200} {
					checkAEAD(t, a, nonce[:], data[:n], data[:13])
				}
			}
		}
	}
}

// TestCCMLimits: lengths at the edges of the codings.
func TestCCMLimits(t *testing.T) {
	data := random(97, 1<<17)
	for _, s := range aeadSubjects(t, 57) {
		for _, n := range []int{0, 13, 14, 15, 26, 27, 0xfefe, 0xfeff, 0xff00, 0xff01, 65535, 65536, 65537} {
			for _, a := range ccms(t, s, 13, 16) {
				checkAEAD(t, a, data[:13], data[:33], data[:n])
			}
		}
		for _, a := range ccms(t, s, 13, 8) {
			checkAEAD(t, a, data[:13], data[:65535], nil)
			out := make([]byte, 1, 70000)
			if got := recovered(func() { a.Seal(out, data[:13], data[:65536], nil) }); got != "test: message too large for CCM" {
				t.Errorf("%s: 65536 bytes: panic %v", a.what, got)
			}
			if !bytes.Equal(out[1:cap(out)], make([]byte, cap(out)-1)) {
				t.Errorf("%s: 65536 bytes: output before the refusal", a.what)
			}
			if _, err := a.Open(nil, data[:13], data[:65536+8], nil); !errors.Is(err, ErrAuthentication) {
				t.Errorf("%s: opening 65536 bytes: error %v", a.what, err)
			}
		}
		for _, a := range ccms(t, s, 12, 8) {
			checkAEAD(t, a, data[:12], data[:65536], nil)
		}
	}
	m := CCM{nonceSize: 7}
	if !m.fits(int(^uint(0) >> 1)) {
		t.Error("a nonce of 7 bytes leaves room for any length")
	}
}

// TestCCMAssociatedLength: the coding of lengths that no test can have in memory.
func TestCCMAssociatedLength(t *testing.T) {
	for n, want := range map[uint64]string{
		1: "0001", 0xfeff: "feff", 0xff00: "fffe0000ff00", 1<<32 - 1: "fffeffffffff", 1 << 32: "ffff0000000100000000", 1<<63 + 5: "ffff8000000000000005",
	} {
		var b [10]byte
		if got := fmt.Sprintf("%x", b[:associatedLength(&b, n)]); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// TestAEADBuffers: what overlaps is refused before anything is written, and what
// is too short is replaced.
func TestAEADBuffers(t *testing.T) {
	s := subjects(t, 59)[0]
	for _, a := range append(gcms(t, s, 12, 16), ccms(t, s, 12, 16)...) {
		buf := random(99, 400)
		nonce, ad := buf[:12], buf[380:390]
		for _, f := range []func(){
			func() { a.Seal(buf[100:100], nonce, buf[101:150], nil) },
			func() { a.Seal(buf[101:101], nonce, buf[100:150], nil) },
			func() { a.Seal(buf[150:150], nonce, buf[160:170], nil) },
			func() { a.Seal(buf[100:100], nonce, buf[100:120], buf[130:140]) },
			func() { a.Open(buf[100:100], nonce, buf[101:150], nil) },
			func() { a.Open(buf[101:101], nonce, buf[100:150], nil) },
			func() { a.Open(buf[340:340], nonce, buf[300:350], nil) },
			func() { a.Open(buf[100:100], nonce, buf[200:250], buf[120:121]) },
			func() { a.Seal(nil, buf[:11], nil, ad) },
			func() { a.Open(nil, buf[:13], buf[:50], ad) },
		} {
			if recovered(f) == nil {
				t.Errorf("%s: no panic", a.what)
			}
		}
		if !bytes.Equal(buf, random(99, 400)) {
			t.Errorf("%s: a refused call wrote", a.what)
		}
		// Only the bytes that are written count.
		a.Seal(buf[100:100:150], nonce, buf[100:134], buf[150:160])
		if got := a.Seal([]byte{1, 2, 3}, nonce, nil, nil); len(got) != 19 || got[2] != 3 {
			t.Errorf("%s: an empty message gives %x", a.what, got)
		} else if p, err := a.Open(nil, nonce, got[3:], nil); err != nil || len(p) != 0 {
			t.Errorf("%s: an empty message is opened as %x, error %v", a.what, p, err)
		}
	}
}

// TestAEADGuardPages: every buffer ends at an inaccessible page.
func TestAEADGuardPages(t *testing.T) {
	if !guard.Available {
		t.Skip("this system has no inaccessible pages")
	}
	var b [4]*guard.Buffer
	for i := range b {
		var err error
		if b[i], err = guard.New(9000); err != nil {
			t.Fatal(err)
		}
		defer b[i].Close()
	}
	for _, s := range aeadSubjects(t, 61) {
		for _, a := range append(gcms(t, s, 13, 12), ccms(t, s, 13, 12)...) {
			for n := 0; n < 700; n += 1 + n/20 {
				nonce, in, ad := b[0].Right(13), b[1].Right(n), b[2].Right(n%50)
				out := b[3].Right(n + 12)
				a.Seal(out[:0], nonce, in, ad)
				if want := a.naive(nonce, in, ad); !bytes.Equal(out, want) {
					t.Fatalf("%s: %d bytes: wrong", a.what, n)
				}
				if p, err := a.Open(in[:0], nonce, out, ad); err != nil || len(p) != n {
					t.Fatalf("%s: %d bytes: %v", a.what, n, err)
				}
				if p, err := a.Open(out[:0], nonce, out, ad); err != nil || !bytes.Equal(p, in) {
					t.Fatalf("%s: %d bytes in place: %v", a.what, n, err)
				}
			}
		}
	}
}

// TestAEADAllocations: no call allocates, also with buffers on the stack.
func TestAEADAllocations(t *testing.T) {
	for _, s := range aeadSubjects(t, 63) {
		if s.c.foreign != nil || s.c.aes != nil && s.c.aes.Tier() == aes.Go {
			continue // these work on a copy from a pool, which may be empty
		}
		g, err := NewGCM("test", s.c, 16, 12)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewCCM("test", s.c, 12, 12)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 16, 64, 300, 2000, 20000} {
			if n := testing.AllocsPerRun(10, func() {
				var nonce, ad [16]byte
				var buf [20016]byte
				g.Seal(buf[:0], nonce[:], buf[:n], ad[:])
				g.Open(buf[:0], nonce[:], buf[:n+12], ad[:])
				m.Seal(buf[:0], nonce[:12], buf[:n], ad[:])
				m.Open(buf[:0], nonce[:12], buf[:n+12], ad[:])
			}); n != 0 {
				t.Errorf("%s: %v allocations", s.name, n)
			}
		}
	}
}

// TestAEADGoroutines: one value serves many at once.
func TestAEADGoroutines(t *testing.T) {
	data := random(101, 2000)
	for _, s := range aeadSubjects(t, 65) {
		for _, a := range append(gcms(t, s, 12, 16), ccms(t, s, 12, 16)...) {
			var group sync.WaitGroup
			for i := range 64 {
				want := a.naive(data[i:i+12], data[:i*13], data[:i])
				group.Go(func() {
					for range 3 {
						got := a.Seal(nil, data[i:i+12], data[:i*13], data[:i])
						if !bytes.Equal(got, want) {
							t.Errorf("%s: wrong", a.what)
						}
						if p, err := a.Open(got[:0], data[i:i+12], got, data[:i]); err != nil || !bytes.Equal(p, data[:i*13]) {
							t.Errorf("%s: %v", a.what, err)
						}
					}
				})
			}
			group.Wait()
		}
	}
}

// naiveMAC is a MAC by its definition.
func naiveMAC(kind MACKind, b cipher.Block, k1, k2, p []byte) []byte {
	size := b.BlockSize()
	p = bytes.Clone(p)
	whole := len(p) > 0 && len(p)%size == 0
	if kind != CBCMAC && !whole {
		p = append(p, 0x80)
	}
	for len(p)%size != 0 {
		p = append(p, 0)
	}
	if kind != CBCMAC {
		last := p[len(p)-size:]
		if whole {
			copy(last, xor(last, k1))
		} else {
			copy(last, xor(last, k2))
		}
	}
	acc := make([]byte, size)
	for ; len(p) > 0; p = p[size:] {
		b.Encrypt(acc, xor(acc, p[:size]))
	}
	return acc
}

// naiveDouble shifts bit by bit.
func naiveDouble(b []byte) []byte {
	out := make([]byte, len(b))
	for i := range 8*len(b) - 1 {
		out[i/8] |= b[(i+1)/8] >> (7 - (i+1)%8) & 1 << (7 - i%8)
	}
	if b[0]&0x80 != 0 {
		out[len(b)-1] ^= map[int]byte{8: 0x1b, 16: 0x87}[len(b)]
	}
	return out
}

// TestMAC: every length, at once and in pieces, of which the second may go by the
// buffer; Sum at any time changes nothing, and Write nothing that it is given.
func TestMAC(t *testing.T) {
	data := random(103, 1400)
	original := bytes.Clone(data)
	all := append(subjects(t, 67), aeadSubjects(t, 67)...)
	for _, s := range all {
		size := s.c.BlockSize()
		for _, kind := range []MACKind{CBCMAC, CMAC, XCBC} {
			var m *MAC
			var k1, k2 []byte
			switch {
			case kind == XCBC && size == 16:
				keys := [3][16]byte{{1}, {2}, {3}}
				k1, k2 = keys[1][:], keys[2][:]
				m = NewXCBC(s.c, &keys)
			case kind == CMAC && (size == 8 || size == 16):
				l := make([]byte, size)
				s.reference.Encrypt(l, l)
				k1 = naiveDouble(l)
				k2 = naiveDouble(k1)
				m = NewMAC(kind, s.c)
			case kind == CBCMAC:
				m = NewMAC(kind, s.c)
			default:
				continue
			}
			if m.Size() != size || m.BlockSize() != size {
				t.Errorf("%s: sizes %d and %d", s.name, m.Size(), m.BlockSize())
			}
			for n := 0; n < len(data); n += 1 + n/70*5 {
				want := naiveMAC(kind, s.reference, k1, k2, data[:n])
				m.Reset()
				m.Write(data[:n])
				if got := m.Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("%s, kind %d, %d bytes: %x, want %x", s.name, kind, n, got, want)
				}
				m.Reset()
				for at := 0; at < n; {
					k := min(n-at, 1+at*7%97)
					m.Write(data[at : at+k])
					at += k
					m.Sum(nil)
				}
				if got := m.Sum([]byte{9}); !bytes.Equal(got[1:], want) || got[0] != 9 {
					t.Fatalf("%s, kind %d, %d bytes in pieces: %x, want %x", s.name, kind, n, got, want)
				}
				for _, cut := range []int{1, size - 1, size, size + 1, 3*size + 5, cbcMACBuffer - 1, cbcMACBuffer, cbcMACBuffer + 1} {
					if cut > n {
						break
					}
					m.Reset()
					m.Write(data[:cut])
					m.Write(data[cut:n])
					if got := m.Sum(nil); !bytes.Equal(got, want) {
						t.Fatalf("%s, kind %d, %d bytes cut at %d: %x, want %x", s.name, kind, n, cut, got, want)
					}
				}
			}
			if s.c.foreign == nil {
				sum := make([]byte, 0, 16)
				if n := testing.AllocsPerRun(10, func() {
					m.Reset()
					m.Write(data)
					m.Sum(sum)
				}); n != 0 && s.name != "aes-go" {
					t.Errorf("%s: %v allocations", s.name, n)
				}
			}
		}
	}
	if !bytes.Equal(data, original) {
		t.Error("a message was changed")
	}
	for _, size := range []int{1, 7, 128} {
		if recovered(func() { CheckMAC("test", CMAC, size) }) == nil {
			t.Errorf("CMAC with blocks of %d bytes is not refused", size)
		}
	}
}
