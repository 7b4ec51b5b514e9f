package sm4

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ucrypt/internal/cpu"
	"ucrypt/internal/guard"
	"ucrypt/internal/selection"
	"ucrypt/internal/vectors"
)

// usable returns the tiers that can run here.
func usable(t testing.TB) []Tier {
	var tiers []Tier
	for _, tier := range Tiers() {
		if err := tier.Available(); err == nil || tier == Generic {
			tiers = append(tiers, tier)
		} else {
			t.Logf("not run: tier %s: %v", tier, err)
		}
	}
	return tiers
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// The S-box by its construction: S(x) = A(1/(A(x))), with A an affine map, in
// GF(2^8) with the polynomial x^8+x^7+x^6+x^5+x^4+x^2+1.
func TestSBox(t *testing.T) {
	multiply := func(a, b int) int {
		p := 0
		for ; b > 0; b >>= 1 {
			if b&1 == 1 {
				p ^= a
			}
			if a <<= 1; a > 0xff {
				a ^= 0x1f5
			}
		}
		return p
	}
	affine := func(x int) int {
		y := 0
		for i := range 8 {
			bit := 0xd3 >> i & 1
			for j := range 8 {
				// The rows of A are rotations of 0xa7.
				bit ^= (0xa7 >> ((8 + j - i) % 8) & 1) & (x >> j & 1)
			}
			y |= bit << i
		}
		return y
	}
	for x := range 256 {
		in := affine(x)
		inverse := 0
		for y := range 256 {
			if multiply(in, y) == 1 {
				inverse = y
			}
		}
		if want := byte(affine(inverse)); sbox[x] != want {
			t.Fatalf("S(%#02x) is %#02x, want %#02x", x, sbox[x], want)
		}
	}
}

// gbt returns the vector of GB/T 32907-2016 with its round keys.
func gbt(t *testing.T) *vectors.Test {
	t.Helper()
	file, err := vectors.For("ecb(sm4)")
	if err != nil || file == nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(file.Tests, func(v vectors.Test) bool { return v.Iterations > 1 })
	if i < 0 {
		t.Fatal("the vector of 1,000,000 encryptions is missing")
	}
	return &file.Tests[i]
}

func TestRoundKeys(t *testing.T) {
	v := gbt(t)
	var enc, dec Schedule
	expandGeneric((*[KeySize]byte)(v.Key), &enc, &dec)
	if len(v.RoundKeys) != 4*rounds {
		t.Fatalf("%d bytes of round keys", len(v.RoundKeys))
	}
	for i := range rounds {
		want := binary.BigEndian.Uint32(v.RoundKeys[4*i:])
		if enc[i] != want || dec[rounds-1-i] != want {
			t.Errorf("round %d: %#08x and %#08x, want %#08x", i, enc[i], dec[rounds-1-i], want)
		}
	}
}

// A block encrypted 1,000,000 times, once a tier.
func TestMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million blocks")
	}
	v := gbt(t)
	for _, tier := range usable(t) {
		c := NewTier(tier, (*[KeySize]byte)(v.Key))
		block := bytes.Clone(v.Plaintext)
		for range v.Iterations {
			c.EncryptBlocks(block, block)
		}
		if !bytes.Equal(block, v.Ciphertext) {
			t.Errorf("%s: %x", tier, block)
		}
	}
}

// Every tier's routines equal the generic ones at every number of blocks, with
// an inaccessible page on either side, in place and not, and at odd addresses.
func TestTiers(t *testing.T) {
	key := [KeySize]byte(random(1, KeySize))
	generic := NewTier(Generic, &key)
	const maxBlocks = 70
	var pages [2]*guard.Buffer
	for i := range pages {
		var err error
		if pages[i], err = guard.New(maxBlocks*BlockSize + 64); err != nil {
			t.Fatal(err)
		}
		defer pages[i].Close()
	}
	type routine struct {
		name string
		f    func(c *Cipher, dst, src []byte, iv *[BlockSize]byte) bool
		// naive computes the mode from generic blocks.
		naive func(dst, src []byte, iv *[BlockSize]byte)
	}
	block := func(crypt func(dst, src []byte), x [BlockSize]byte) [BlockSize]byte {
		crypt(x[:], x[:])
		return x
	}
	add := func(a [BlockSize]byte, b []byte) [BlockSize]byte {
		for i := range a {
			a[i] ^= b[i]
		}
		return a
	}
	each := func(step func(x [BlockSize]byte, iv *[BlockSize]byte) [BlockSize]byte) func(dst, src []byte, iv *[BlockSize]byte) {
		return func(dst, src []byte, iv *[BlockSize]byte) {
			for i := 0; i < len(src); i += BlockSize {
				y := step([BlockSize]byte(src[i:]), iv)
				copy(dst[i:], y[:])
			}
		}
	}
	type pair = [BlockSize]byte
	routines := []routine{
		{"ECB encryption", func(c *Cipher, dst, src []byte, _ *pair) bool { c.EncryptBlocks(dst, src); return true },
			each(func(x pair, _ *pair) pair { return block(generic.EncryptBlocks, x) })},
		{"ECB decryption", func(c *Cipher, dst, src []byte, _ *pair) bool { c.DecryptBlocks(dst, src); return true },
			each(func(x pair, _ *pair) pair { return block(generic.DecryptBlocks, x) })},
		{"CBC encryption", (*Cipher).CBCEncrypt, each(func(x pair, iv *pair) pair {
			*iv = block(generic.EncryptBlocks, add(x, iv[:]))
			return *iv
		})},
		{"CBC decryption", (*Cipher).CBCDecrypt, each(func(x pair, iv *pair) pair {
			y := add(block(generic.DecryptBlocks, x), iv[:])
			*iv = x
			return y
		})},
		{"CFB encryption", (*Cipher).CFBEncrypt, each(func(x pair, iv *pair) pair {
			*iv = add(block(generic.EncryptBlocks, *iv), x[:])
			return *iv
		})},
		{"CFB decryption", (*Cipher).CFBDecrypt, each(func(x pair, iv *pair) pair {
			y := add(block(generic.EncryptBlocks, *iv), x[:])
			*iv = x
			return y
		})},
		{"CTR", (*Cipher).CTR, each(func(x pair, iv *pair) pair {
			y := add(block(generic.EncryptBlocks, *iv), x[:])
			binary.BigEndian.PutUint32(iv[12:], binary.BigEndian.Uint32(iv[12:])+1)
			return y
		})},
	}
	for _, tier := range usable(t) {
		c := NewTier(tier, &key)
		if c.Tier() != tier {
			t.Errorf("%s: its key says %s", tier, c.Tier())
		}
		for _, r := range routines {
			for n := range maxBlocks + 1 {
				size := n * BlockSize
				src, start := random(byte(n), size), [BlockSize]byte(random(byte(n+1), BlockSize))
				if n%3 == 0 { // the low 32 bits wrap behind the last block
					binary.BigEndian.PutUint32(start[12:], uint32(-n))
				}
				want, next := make([]byte, size), start
				r.naive(want, src, &next)
				for _, c2 := range []struct {
					name    string
					dst, in []byte
				}{
					{"between pages", pages[0].Right(size), pages[1].Left(size)},
					{"between pages, the other way", pages[0].Left(size), pages[1].Right(size)},
					{"in place", pages[0].Right(size), pages[0].Right(size)},
					{"at odd addresses", pages[0].Left(size + 1)[1:], pages[1].Left(size + n%16)[n%16:]},
				} {
					copy(c2.in, src)
					iv := start
					if !r.f(c, c2.dst, c2.in, &iv) {
						if tier == Generic || n == 0 {
							continue
						}
						t.Logf("%s has no %s", tier, r.name)
						continue
					}
					if !bytes.Equal(c2.dst, want) {
						t.Fatalf("%s, %s, %d blocks %s: wrong output", tier, r.name, n, c2.name)
					}
					if iv != next {
						t.Fatalf("%s, %s, %d blocks %s: iv %x, want %x", tier, r.name, n, c2.name, iv, next)
					}
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, tier := range usable(t) {
		c := NewTier(tier, &[KeySize]byte{})
		if n := testing.AllocsPerRun(50, func() {
			var dst, src [640]byte
			var iv [BlockSize]byte
			c.EncryptBlocks(dst[:], src[:])
			c.DecryptBlocks(dst[:], src[:])
			c.CBCEncrypt(dst[:], src[:], &iv)
			c.CBCDecrypt(dst[:], src[:], &iv)
			c.CFBEncrypt(dst[:], src[:], &iv)
			c.CFBDecrypt(dst[:], src[:], &iv)
			c.CTR(dst[:], src[:], &iv)
		}); n != 0 {
			t.Errorf("%s: %v allocations", tier, n)
		}
	}
}

// What the registry prints of a tier agrees with what the processor package
// knows.
func TestTierFacts(t *testing.T) {
	tiers := Tiers()
	if tiers[0] != Generic || len(tiers) != int(numTiers) {
		t.Fatalf("tiers %v", tiers)
	}
	for _, tier := range tiers {
		if tier.String() == "" || !slices.Contains(cpu.Words(), tier.String()) {
			t.Errorf("UCRYPT_DISABLE does not know tier %q", tier)
		}
		if tier.ConstantTime() != (tier != Generic) {
			t.Errorf("%s: constant-time %v", tier, tier.ConstantTime())
		}
		if len(tier.Features()) == 0 != (tier == Generic) {
			t.Errorf("%s: features %v", tier, tier.Features())
		}
		for _, feature := range tier.Features() {
			if !slices.Contains(cpu.Words(), feature) {
				t.Errorf("%s needs %q, which UCRYPT_DISABLE does not know", tier, feature)
			}
		}
		err := tier.Available()
		if archs := facts[tier].Archs; len(archs) > 0 && !slices.Contains(archs, assembly) && !cpu.Disabled(tier.String()) &&
			(err == nil || err.Error() != "this build has no "+archs[0]+" assembly") {
			t.Errorf("%s is not built in: %v", tier, err)
		}
		if got := tier.Check(); err != nil && (got == nil || got.Error() != err.Error()) {
			t.Errorf("%s: Check gives %v, Available %v", tier, got, err)
		} else if err == nil && got != nil {
			t.Errorf("%s fails its self-test: %v", tier, got)
		}
	}
}

// Best is the fastest tier that may be used, and New uses it.
func TestBest(t *testing.T) {
	tiers := usable(t)
	if got, want := Best(), tiers[len(tiers)-1]; got != want {
		t.Errorf("best is %s, want %s", got, want)
	}
	if c := New(&[KeySize]byte{}); c.Tier() != Best() {
		t.Errorf("New uses %s", c.Tier())
	}
}

// A damaged tier fails its self-test, is never chosen, and is good again when
// the damage is undone.
func TestFault(t *testing.T) {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	right := func() error {
		block := bytes.Clone(key)
		New((*[KeySize]byte)(key)).EncryptBlocks(block, block)
		if got := hex.EncodeToString(block); got != "681edf34d206965e86b3e94f536e4246" {
			return fmt.Errorf("%s gives %s", Best(), got)
		}
		return nil
	}
	tiers := usable(t)
	for i, tier := range tiers {
		func() {
			undo := SetFault(tier)
			defer undo()
			err := tier.SelfTest()
			if !errors.Is(err, selection.ErrSelfTest) {
				t.Errorf("%s is damaged: its self-test gives %v", tier, err)
			}
			if again := tier.SelfTest(); again != err {
				t.Errorf("%s: the verdict changed from %v to %v", tier, err, again)
			}
			if tier.Available() == nil && !errors.Is(tier.Check(), selection.ErrSelfTest) {
				t.Errorf("%s is damaged: Check gives %v", tier, tier.Check())
			}
			for _, other := range tiers {
				if other != tier && other.Available() == nil && other.Check() != nil {
					t.Errorf("%s is damaged, and %s fails: %v", tier, other, other.Check())
				}
			}
			if tier == Generic {
				return // the floor: it serves if nothing else does
			}
			want := tiers[len(tiers)-1]
			if tier == want {
				want = tiers[i-1]
			}
			if Best() != want {
				t.Errorf("%s is damaged: best is %s, want %s", tier, Best(), want)
			}
			if err := right(); err != nil {
				t.Errorf("%s is damaged: %v", tier, err)
			}
		}()
		if err := tier.SelfTest(); err != nil {
			t.Errorf("%s is repaired: %v", tier, err)
		}
		if err := right(); err != nil {
			t.Errorf("%s is repaired: %v", tier, err)
		}
	}
}

func BenchmarkECB(b *testing.B) {
	for _, tier := range usable(b) {
		c := NewTier(tier, &[KeySize]byte{})
		for _, size := range []int{16, 4096} {
			buf := make([]byte, size)
			b.Run(fmt.Sprintf("%s/%d", tier, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					c.EncryptBlocks(buf, buf)
				}
			})
		}
	}
}
