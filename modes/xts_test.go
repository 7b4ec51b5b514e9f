package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ucrypt/internal/vectors"
	"ucrypt/modes"
	"ucrypt/sm4"
)

func newXTS(t testing.TB, newCipher func([]byte) (cipher.Block, error), key []byte, options ...modes.XTSOption) *modes.XTS {
	t.Helper()
	x, err := modes.NewXTS(newCipher, key, options...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestXTSVectors(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		newCipher func([]byte) (cipher.Block, error)
		options   []modes.XTSOption
	}{
		{"xts(sm4)", sm4.NewCipher, nil},
		{"xts(sm4)", newHiddenSM4, nil},
		{"xts-gb(sm4)", sm4.NewCipher, []modes.XTSOption{modes.XTSGB}},
		{"xts-gb(sm4)", newHiddenSM4, []modes.XTSOption{modes.XTSGB}},
		{"xts(aes)", aes.NewCipher, nil},
	} {
		eachVector(t, c.algorithm, func(v *vectors.Test) {
			x, err := modes.NewXTS(c.newCipher, v.Key, c.options...)
			switch {
			case !v.Valid() && err != nil:
			case err != nil:
				t.Errorf("%s: %v", v.ID, err)
			case !v.Valid():
				dst := make([]byte, len(v.Plaintext))
				text := fmt.Sprintf("modes: XTS data unit of %d bytes, want at least 16", len(v.Plaintext))
				wantPanic(t, text, dst, func() { x.EncryptTweak(dst, v.Plaintext, (*[16]byte)(v.IV)) })
				wantPanic(t, text, dst, func() { x.DecryptTweak(dst, v.Plaintext, (*[16]byte)(v.IV)) })
			default:
				tweak := [16]byte(v.IV)
				same(t, v.ID, v.Ciphertext, v.Plaintext, func(dst, src []byte) { x.EncryptTweak(dst, src, &tweak) })
				same(t, v.ID, v.Plaintext, v.Ciphertext, func(dst, src []byte) { x.DecryptTweak(dst, src, &tweak) })
				if !bytes.Equal(tweak[:], v.IV) {
					t.Errorf("%s: tweak changed", v.ID)
				}
			}
		})
	}
}

func TestXTSKernel(t *testing.T) {
	for algorithm, newCipher := range map[string]func([]byte) (cipher.Block, error){"xts(sm4)": sm4.NewCipher, "xts(aes)": aes.NewCipher} {
		eachKernelCall(t, algorithm, func(c vectors.Call) {
			x := newXTS(t, newCipher, c.Key)
			crypt := x.DecryptTweak
			if c.Encrypt {
				crypt = x.EncryptTweak
			}
			same(t, algorithm, c.Out, c.In, func(dst, src []byte) { crypt(dst, src, (*[16]byte)(c.IV)) })
		})
	}
}

// IEEE Std 1619-2018 annex B: vectors 1 and 2, and 15 to 18, whose last block
// is partial. Mbed TLS once had those wrong in place.
func TestIEEE1619(t *testing.T) {
	const key = "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"
	for i, c := range []struct {
		key, plaintext, ciphertext string
		unit                       uint64
	}{
		{"0000000000000000000000000000000000000000000000000000000000000000",
			"0000000000000000000000000000000000000000000000000000000000000000",
			"917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e", 0},
		{"1111111111111111111111111111111122222222222222222222222222222222",
			"4444444444444444444444444444444444444444444444444444444444444444",
			"c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0", 0x3333333333},
		{key, "000102030405060708090a0b0c0d0e0f10", "6c1625db4671522d3d7599601de7ca09ed", 0x123456789a},
		{key, "000102030405060708090a0b0c0d0e0f1011", "d069444b7a7e0cab09e24447d24deb1fedbf", 0x123456789a},
		{key, "000102030405060708090a0b0c0d0e0f101112", "e5df1351c0544ba1350b3363cd8ef4beedbf9d", 0x123456789a},
		{key, "000102030405060708090a0b0c0d0e0f10111213", "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac", 0x123456789a},
	} {
		x := newXTS(t, aes.NewCipher, unhex(t, c.key))
		plaintext, ciphertext := unhex(t, c.plaintext), unhex(t, c.ciphertext)
		what := fmt.Sprintf("vector %d of the list", i)
		same(t, what, ciphertext, plaintext, func(dst, src []byte) { x.Encrypt(dst, src, c.unit) })
		same(t, what, plaintext, ciphertext, func(dst, src []byte) { x.Decrypt(dst, src, c.unit) })
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// One call for many units gives what a call for each gives.
func TestXTSUnitsAreSectors(t *testing.T) {
	for _, options := range [][]modes.XTSOption{nil, {modes.XTSGB}} {
		x := newXTS(t, sm4.NewCipher, random(1, 32), options...)
		for _, unitSize := range []int{16, 33, 512, 520, 4096} {
			src := random(2, 21*unitSize+20)
			want := make([]byte, len(src))
			for i, n := 0, uint64(7); i < len(src); i, n = i+unitSize, n+1 {
				end := min(len(src), i+unitSize)
				if unitSize == 16 && end-i < 16 {
					src, want = src[:i], want[:i]
					break
				}
				x.Encrypt(want[i:end], src[i:end], n)
				back := make([]byte, end-i)
				x.Decrypt(back, want[i:end], n)
				if !bytes.Equal(back, src[i:end]) {
					t.Fatalf("unit %d of %d bytes: wrong plaintext", n, unitSize)
				}
			}
			what := fmt.Sprintf("units of %d", unitSize)
			same(t, what, want, src, func(dst, src []byte) { x.EncryptUnits(dst, src, unitSize, 7) })
			same(t, what, src, want, func(dst, src []byte) { x.DecryptUnits(dst, src, unitSize, 7) })
		}
	}
	// 64 bytes as one unit are not two units of 32.
	x := newXTS(t, sm4.NewCipher, random(1, 32))
	one, two, src := make([]byte, 64), make([]byte, 64), random(3, 64)
	x.Encrypt(one, src, 0)
	x.EncryptUnits(two, src, 32, 0)
	if bytes.Equal(one, two) || !bytes.Equal(one[:32], two[:32]) {
		t.Error("one unit and two units of half its size")
	}
	x.EncryptUnits(nil, nil, 512, 0)
}

func TestNewXTSErrors(t *testing.T) {
	for _, n := range []int{0, 15, 16, 31, 33, 48, 64} {
		x, err := modes.NewXTS(sm4.NewCipher, make([]byte, n))
		if x != nil || err == nil {
			t.Errorf("SM4 key of %d bytes accepted", n)
			continue
		}
		var size sm4.KeySizeError
		if odd := n%2 != 0; errors.As(err, &size) == odd || !odd && int(size) != n/2 {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{32, 48, 64} {
		newXTS(t, aes.NewCipher, make([]byte, n))
	}
	_, err := modes.NewXTS(des.NewCipher, make([]byte, 16))
	if err == nil || err.Error() != "modes: XTS of a cipher with blocks of 8 bytes, want 16" {
		t.Errorf("DES: %v", err)
	}

	equal := bytes.Repeat(random(1, 16), 2)
	newXTS(t, sm4.NewCipher, equal)
	if x, err := modes.NewXTS(sm4.NewCipher, equal, modes.XTSDistinctKeys); x != nil || err == nil ||
		err.Error() != "modes: the halves of the XTS key are equal" {
		t.Errorf("equal halves: %v", err)
	}
	equal[31] ^= 1
	newXTS(t, sm4.NewCipher, equal, modes.XTSDistinctKeys, modes.XTSGB)
	wantPanic(t, "modes: unknown XTS option 77", nil, func() { modes.NewXTS(sm4.NewCipher, equal, 77) })
}

func TestXTSPanics(t *testing.T) {
	x := newXTS(t, sm4.NewCipher, random(1, 32))
	dst, src, tweak := random(2, 64), random(3, 64), new([16]byte)
	for _, f := range []func(dst, src []byte){
		func(dst, src []byte) { x.Encrypt(dst, src, 1) },
		func(dst, src []byte) { x.Decrypt(dst, src, 1) },
		func(dst, src []byte) { x.EncryptTweak(dst, src, tweak) },
		func(dst, src []byte) { x.DecryptTweak(dst, src, tweak) },
		func(dst, src []byte) { x.EncryptUnits(dst, src, 32, 1) },
		func(dst, src []byte) { x.DecryptUnits(dst, src, 32, 1) },
	} {
		wantPanic(t, "modes: output smaller than input", dst, func() { f(dst[:63], src) })
		wantOverlapPanics(t, 48, f)
	}
	for _, n := range []int{0, 1, 15} {
		text := fmt.Sprintf("modes: XTS data unit of %d bytes, want at least 16", n)
		wantPanic(t, text, dst, func() { x.Encrypt(dst, src[:n], 1) })
		wantPanic(t, text, dst, func() { x.Decrypt(dst, src[:n], 1) })
	}
	for _, n := range []int{-16, 0, 15} {
		text := fmt.Sprintf("modes: XTS data units of %d bytes, want at least 16", n)
		wantPanic(t, text, dst, func() { x.EncryptUnits(dst, src, n, 1) })
		wantPanic(t, text, dst, func() { x.DecryptUnits(dst, src, n, 1) })
	}
	wantPanic(t, "modes: last XTS data unit of 15 bytes, want at least 16", dst, func() { x.EncryptUnits(dst, src[:47], 32, 1) })
	wantPanic(t, "modes: last XTS data unit of 1 bytes, want at least 16", dst, func() { x.DecryptUnits(dst, src[:33], 32, 1) })
	wantPanic(t, "modes: invalid buffer overlap", dst, func() { x.EncryptTweak(dst, src, (*[16]byte)(dst[40:])) })
	wantPanic(t, "modes: invalid buffer overlap", dst, func() { x.DecryptTweak(dst, src, (*[16]byte)(dst)) })
	// The tweak may be part of src: it is only read.
	x.EncryptTweak(dst, src, (*[16]byte)(src))
}

func TestXTSAllocations(t *testing.T) {
	x := newXTS(t, sm4.NewCipher, random(1, 32))
	if n := testing.AllocsPerRun(50, func() {
		var dst, src [600]byte
		var tweak [16]byte
		x.Encrypt(dst[:], src[:], 1)
		x.Decrypt(dst[:], src[:], 1)
		x.EncryptTweak(dst[:], src[:], &tweak)
		x.DecryptTweak(dst[:], src[:], &tweak)
		x.EncryptUnits(dst[:], src[:], 256, 1)
		x.DecryptUnits(dst[:], src[:], 256, 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestXTSConcurrently(t *testing.T) {
	x := newXTS(t, newHiddenSM4, random(1, 32))
	src := random(2, 1000)
	want := make([]byte, len(src))
	x.EncryptUnits(want, src, 100, 5)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			dst := make([]byte, len(src))
			for range 20 {
				x.EncryptUnits(dst, src, 100, 5)
				if !bytes.Equal(dst, want) {
					t.Error("wrong ciphertext")
					return
				}
			}
		})
	}
	wg.Wait()
}

func ExampleNewXTS() {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210" + "00112233445566778899aabbccddeeff")
	x, err := modes.NewXTS(sm4.NewCipher, key, modes.XTSDistinctKeys)
	if err != nil {
		panic(err)
	}
	disk := make([]byte, 2*512)
	x.EncryptUnits(disk, disk, 512, 40) // sectors 40 and 41
	sector := disk[512:]
	x.Decrypt(sector, sector, 41)
	fmt.Println(bytes.Equal(sector, make([]byte, 512)))
	// Output: true
}

func BenchmarkXTS(b *testing.B) {
	for _, name := range []string{"ieee", "gb"} {
		var options []modes.XTSOption
		if name == "gb" {
			options = append(options, modes.XTSGB)
		}
		x := newXTS(b, sm4.NewCipher, random(1, 32), options...)
		for _, size := range []int{16, 64, 512, 4096, 65536} {
			buf := make([]byte, size)
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					x.Encrypt(buf, buf, 1)
				}
			})
		}
	}
}
