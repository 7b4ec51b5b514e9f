package blake2s_test

// reference is BLAKE2s as RFC 7693 writes it down, with nothing made fast: what
// every tier, the generic one included, is compared with. The counter of the
// bytes before the message can be set.
type reference struct {
	h [8]uint32
	t uint64
}

var referenceIV = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// referenceSigma is the table SIGMA of RFC 7693, section 2.7, in hexadecimal.
var referenceSigma = [10]string{
	"0 1 2 3 4 5 6 7 8 9 a b c d e f",
	"e a 4 8 9 f d 6 1 c 0 2 b 7 5 3",
	"b 8 c 0 5 2 f d a e 3 6 7 1 9 4",
	"7 9 3 1 d c b e 2 6 5 a 4 0 f 8",
	"9 0 5 7 2 4 a f e 1 b c 6 8 3 d",
	"2 c 6 a 0 b 8 3 4 d 7 5 f e 1 9",
	"c 5 1 f e d 4 a 0 7 6 3 9 2 8 b",
	"d b 7 e c 1 3 9 5 0 f 4 8 6 2 a",
	"6 f e 9 b 3 0 8 c 2 d 7 1 4 a 5",
	"a 2 8 4 7 6 1 5 f b 9 e 3 c d 0",
}

func word(s string, i int) int {
	c := s[2*i]
	if c >= 'a' {
		return int(c-'a') + 10
	}
	return int(c - '0')
}

func (r *reference) block(b []byte, length int, last bool) {
	var m [16]uint32
	for i, c := range b {
		m[i/4] |= uint32(c) << (i % 4 * 8)
	}
	r.t += uint64(length)
	v := [16]uint32{}
	copy(v[:8], r.h[:])
	copy(v[8:], referenceIV[:])
	v[12] ^= uint32(r.t)
	v[13] ^= uint32(r.t >> 32)
	if last {
		v[14] = ^v[14]
	}
	for _, s := range referenceSigma {
		for i, at := range [8][4]int{
			{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15},
			{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14},
		} {
			a, b, c, d := &v[at[0]], &v[at[1]], &v[at[2]], &v[at[3]]
			*a += *b + m[word(s, 2*i)]
			*d = ror(*d^*a, 16)
			*c += *d
			*b = ror(*b^*c, 12)
			*a += *b + m[word(s, 2*i+1)]
			*d = ror(*d^*a, 8)
			*c += *d
			*b = ror(*b^*c, 7)
		}
	}
	for i := range r.h {
		r.h[i] ^= v[i] ^ v[i+8]
	}
}

func ror(x uint32, n int) uint32 { return x>>n | x<<(32-n) }

// referenceSums returns the digest of every message that begins data, from the
// empty one to data itself. All but the last block of each are shared.
func referenceSums(size int, key, data []byte, counter uint64) [][]byte {
	r := reference{h: referenceIV, t: counter}
	r.h[0] ^= 0x01010000 ^ uint32(len(key))<<8 ^ uint32(size)
	if len(key) > 0 {
		data = append(append(append([]byte{}, key...), make([]byte, 64-len(key))...), data...)
	}
	var sums [][]byte
	for n := range len(data) + 1 {
		if n > 0 && n%64 == 1 && n > 1 {
			r.block(data[n-65:n-1], 64, false)
		}
		if len(key) > 0 && n < 64 {
			continue
		}
		start := max(n-1, 0) / 64 * 64
		end := r
		end.block(data[start:n], n-start, true)
		sum := make([]byte, size)
		for i := range sum {
			sum[i] = byte(end.h[i/4] >> (i % 4 * 8))
		}
		sums = append(sums, sum)
	}
	return sums
}
