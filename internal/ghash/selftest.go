package ghash

import "ucrypt/internal/kat"

// selfTest runs the known answers on the routines of tier t: each as one
// message, and cut in two. A partial last block is filled up with zeros.
func selfTest(t Tier) error {
	for _, cut := range []int{0, 1, 3} {
		err := kat.CheckHash("ghash", func(key, message []byte) []byte {
			k := NewTier(t, (*[BlockSize]byte)(key))
			var acc [BlockSize]byte
			message = append(message, make([]byte, -len(message)&(BlockSize-1))...)
			n := min(cut*BlockSize, len(message))
			k.Update(&acc, message[:n])
			k.Update(&acc, message[n:])
			return acc[:]
		})
		if err != nil {
			return err
		}
	}
	return nil
}
