package blake2s

import "ucrypt/internal/kat"

// selfTest runs the known answers on the routine of tier t, at once and in two
// pieces, before any driver is built on it.
func selfTest(t Tier) error {
	err := checkAnswers(func(size int, key, message []byte) []byte {
		var out [Size]byte
		Sum(t, &out, size, key, message)
		return out[:size]
	})
	if err != nil {
		return err
	}
	return checkAnswers(func(size int, key, message []byte) []byte {
		d := NewTier(t, size, key)
		d.Write(message[:len(message)/3])
		d.Write(message[len(message)/3:])
		return d.Sum(nil)
	})
}

// checkAnswers runs the known answers of all algorithms on sum.
func checkAnswers(sum func(size int, key, message []byte) []byte) error {
	for _, a := range []struct {
		algorithm string
		size      int
	}{{"blake2s-128", 16}, {"blake2s-160", 20}, {"blake2s-224", 28}, {"blake2s-256", 32}} {
		err := kat.CheckHash(a.algorithm, func(key, message []byte) []byte { return sum(a.size, key, message) })
		if err != nil {
			return err
		}
	}
	return nil
}
