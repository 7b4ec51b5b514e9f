package speed

import (
	"strings"

	"ucrypt"
	"ucrypt/blake2s"
)

// openMany is open for many messages with one key: ciphers encrypt them with
// EncryptMany, and the best driver of a BLAKE2s hashes them with AppendSumMany,
// which chooses its own code. All else goes message by message.
func openMany(d ucrypt.Driver, op Op, keyBits, bytes, messages int) (Work, error) {
	switch {
	case d.Type == ucrypt.TypeSkcipher:
		return encryptMany(d, op, keyBits, bytes, messages)
	case d.Type == ucrypt.TypeShash && keyBits == 0 && strings.HasPrefix(d.Name, "blake2s-"):
		if best, err := ucrypt.Lookup(d.Name); err == nil && best.DriverName == d.DriverName {
			return sumMany(d, bytes, messages), nil
		}
	}
	var works []Work
	for range messages {
		w, err := open(d, op, keyBits, bytes)
		if err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return inTurns(works), nil
}

func encryptMany(d ucrypt.Driver, op Op, keyBits, bytes, messages int) (Work, error) {
	s, err := ucrypt.NewSkcipher(d.DriverName, pattern(keyBits/8))
	if err != nil {
		return nil, err
	}
	all := make([]ucrypt.Message, messages)
	for i := range all {
		buf := pattern(bytes)
		all[i] = ucrypt.Message{Dst: buf, Src: buf, IV: pattern(d.IVSize)}
	}
	if op == Decrypt {
		return func(n int) error {
			for range n {
				for _, m := range all {
					if err := s.Decrypt(m.Dst, m.Src, m.IV); err != nil {
						return err
					}
				}
			}
			return nil
		}, nil
	}
	return func(n int) error {
		for range n {
			if err := s.EncryptMany(all); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func sumMany(d ucrypt.Driver, bytes, messages int) Work {
	texts, sums := make([][]byte, messages), make([]byte, 0, messages*d.DigestSize)
	for i := range texts {
		texts[i] = pattern(bytes)
	}
	return func(n int) (err error) {
		for range n {
			if sums, err = blake2s.AppendSumMany(sums[:0], d.DigestSize, nil, texts); err != nil {
				return err
			}
		}
		return nil
	}
}
