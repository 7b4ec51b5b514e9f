package ucrypt

import (
	"ucrypt/internal/mode"
	"ucrypt/internal/sm4"
)

// Message is one of the messages of EncryptMany, with the rules of Encrypt.
// Neither Dst nor IV may overlap anything of another message.
type Message struct {
	Dst, Src []byte
	IV       []byte // replaced by the next iv
}

// EncryptMany encrypts independent messages, any number and of any lengths, with
// the result of one Encrypt for each. In cbc, where the blocks of one message
// wait for each other, it works on up to 32 messages side by side where the
// driver has a routine for that, which is several times faster; elsewhere it
// works on them one after the other.
//
// The errors are those of Encrypt, for the first message that has one; then
// nothing of any message has been written.
func (s *Skcipher) EncryptMany(messages []Message) error {
	for _, m := range messages {
		if err := s.check(m.Dst, m.Src, m.IV); err != nil {
			return err
		}
	}
	if s.algorithm != cbc {
		for _, m := range messages {
			s.crypt(m.Dst, m.Src, m.IV, false)
		}
		return nil
	}
	var some [64]sm4.Message
	for len(messages) > 0 {
		n := min(len(messages), len(some))
		for i, m := range messages[:n] {
			some[i] = sm4.Message{Dst: m.Dst, Src: m.Src, IV: (*[blockSize]byte)(m.IV)}
		}
		mode.EncryptCBCMany(&s.cipher, some[:n])
		messages = messages[n:]
	}
	return nil
}
