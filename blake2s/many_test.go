package blake2s_test

import (
	"bytes"
	"fmt"
	"testing"

	"ucrypt/blake2s"
	"ucrypt/internal/kat"
)

// TestAppendSumMany: the digests are those of AppendSum, for all counts of
// messages and for mixed lengths.
func TestAppendSumMany(t *testing.T) {
	data := message(1000)
	for count := range 41 {
		for _, keyLen := range []int{0, 7, 32} {
			for _, size := range []int{1, 20, 32} {
				key := kat.Key(keyLen)
				messages := make([][]byte, count)
				want := []byte("before")
				for i := range messages {
					messages[i] = data[i:][:i*(count+size)%301]
					want, _ = blake2s.AppendSum(want, size, key, messages[i])
				}
				for _, room := range []int{0, count*size - 1, count * size, count*size + 5} {
					dst := append(make([]byte, 0, 6+max(room, 0)), "before"...)
					got, err := blake2s.AppendSumMany(dst, size, key, messages)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%d messages, key of %d bytes, digests of %d: %x, %v, want %x", count, keyLen, size, got, err, want)
					}
					if room >= count*size && &got[0] != &dst[0] {
						t.Errorf("%d messages: new memory, though there was room for %d bytes", count, room)
					}
				}
			}
		}
	}
}

// TestAppendSumManyMisuse: errors, and digests that would fall on a message.
func TestAppendSumManyMisuse(t *testing.T) {
	long := make([]byte, 33)
	for want, f := range map[string]func() ([]byte, error){
		"blake2s: invalid hash size": func() ([]byte, error) { return blake2s.AppendSumMany(nil, 0, nil, nil) },
		"blake2s: invalid key size":  func() ([]byte, error) { return blake2s.AppendSumMany(nil, 32, long, nil) },
	} {
		if sums, err := f(); sums != nil || err == nil || err.Error() != want {
			t.Errorf("%x, %v, want %s", sums, err, want)
		}
	}
	buf := make([]byte, 200)
	for _, c := range []struct {
		key      []byte
		messages [][]byte
		overlap  bool
	}{
		{nil, [][]byte{buf[:10], buf[74:]}, false}, // the digests are buf[10:74]
		{nil, [][]byte{buf[:11], buf[74:]}, true},
		{nil, [][]byte{nil, buf[73:]}, true},
		{nil, [][]byte{buf[20:20], nil}, false},
		{buf[70:80], [][]byte{nil, nil}, true},
	} {
		func() {
			defer func() {
				if r := recover(); c.overlap != (r == "blake2s: invalid buffer overlap") {
					t.Errorf("overlap %v, panic %v", c.overlap, r)
				}
			}()
			blake2s.AppendSumMany(buf[:10], 32, c.key, c.messages)
		}()
	}
}

func TestAppendSumManyAllocations(t *testing.T) {
	n := testing.AllocsPerRun(20, func() {
		var sums [20 * 32]byte
		var data [300]byte
		var messages [20][]byte
		for i := range messages {
			messages[i] = data[:10*i]
		}
		if _, err := blake2s.AppendSumMany(sums[:0], 32, data[:32], messages[:]); err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The root of a Merkle tree over the blocks of a file: the digests of the
// blocks, put together and filled up with zeros, are the blocks of the next
// level, until there is only one.
func ExampleAppendSumMany() {
	const blockSize = 4096
	level := bytes.Repeat([]byte("some data "), 100_000)
	for {
		level = append(level, make([]byte, -len(level)&(blockSize-1))...)
		var blocks [][]byte
		for i := 0; i < len(level); i += blockSize {
			blocks = append(blocks, level[i:][:blockSize])
		}
		sums, err := blake2s.AppendSumMany(nil, blake2s.Size, nil, blocks)
		if err != nil {
			panic(err)
		}
		level = sums
		if len(blocks) == 1 {
			break
		}
	}
	fmt.Printf("%x\n", level)
	// Output: 10d8d3d6f6e94bed151138b3bbab9338bc709795f01831fdf6cdbd02dfb55df9
}
