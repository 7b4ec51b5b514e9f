package arm64

// refMultiply is the product of two blocks, bit by bit: NIST SP 800-38D section
// 6.3, algorithm 1.
func refMultiply(x, y [16]byte) (z [16]byte) {
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 != 0 {
			for j := range z {
				z[j] ^= y[j]
			}
		}
		carry := byte(0)
		for j := range y {
			y[j], carry = y[j]>>1|carry<<7, y[j]&1
		}
		y[0] ^= 0xe1 * carry
	}
	return z
}

// refUpdate is what the Update routines do: algorithm 2, from acc on.
func refUpdate(h, acc [16]byte, p []byte) [16]byte {
	for ; len(p) > 0; p = p[16:] {
		for i, b := range p[:16] {
			acc[i] ^= b
		}
		acc = refMultiply(acc, h)
	}
	return acc
}
