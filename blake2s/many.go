package blake2s

import (
	"slices"

	"ucrypt/internal/alias"
	"ucrypt/internal/blake2s"
)

// AppendSumMany appends the digests of all messages to dst, in their order and
// with nothing between: each has size bytes, from 1 to 32, and is what AppendSum
// gives with the same key. The messages may have any lengths, different ones
// too, and may overlap each other. With AVX2 eight messages are hashed at once,
// with AVX-512 sixteen, and where a message ends the next one takes its place;
// without either they are hashed one after the other. It does not allocate if
// dst has room.
//
// This is how Merkle trees are hashed, as dm-verity and fs-verity have them: the
// messages are the blocks of a file, and what is appended, cut into blocks again,
// are the messages of the next level. A salt, where there is one, is a part of
// each message.
//
// It panics if the room in dst that the digests are written to overlaps a
// message or the key.
func AppendSumMany(dst []byte, size int, key []byte, messages [][]byte) ([]byte, error) {
	if size < 1 || size > Size {
		return nil, errHashSize
	}
	if len(key) > KeySize {
		return nil, errKeySize
	}
	n := len(messages) * size
	dst = slices.Grow(dst, n)
	sums := dst[len(dst) : len(dst)+n]
	overlap := alias.AnyOverlap(sums, key)
	for _, m := range messages {
		overlap = overlap || alias.AnyOverlap(sums, m)
	}
	if overlap {
		panic("blake2s: invalid buffer overlap")
	}
	blake2s.SumMany(blake2s.BestMany(), sums, size, key, messages)
	return dst[:len(dst)+n], nil
}
