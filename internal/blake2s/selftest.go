package blake2s

import "ucrypt/internal/kat"

// selfTest runs the known answers on the routine of tier t, at once and in two
// pieces, before any driver is built on it.
func selfTest(t Tier) error {
	for _, a := range []struct {
		algorithm string
		size      int
	}{{"blake2s-128", 16}, {"blake2s-160", 20}, {"blake2s-224", 28}, {"blake2s-256", 32}} {
		err := kat.CheckHash(a.algorithm, func(key, message []byte) []byte {
			var out [Size]byte
			Sum(t, &out, a.size, key, message)
			return out[:a.size]
		})
		if err != nil {
			return err
		}
		err = kat.CheckHash(a.algorithm, func(key, message []byte) []byte {
			d := NewTier(t, a.size, key)
			d.Write(message[:len(message)/3])
			d.Write(message[len(message)/3:])
			return d.Sum(nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
