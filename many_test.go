package ucrypt_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"ucrypt"
)

// TestEncryptMany compares messages in one call with one call each, for every
// skcipher driver, and with another number and other lengths each time.
func TestEncryptMany(t *testing.T) {
	for _, d := range ucrypt.Drivers() {
		if d.Type != ucrypt.TypeSkcipher {
			continue
		}
		t.Run(d.DriverName, func(t *testing.T) {
			key := make([]byte, d.MinKeySize)
			for i := range key {
				key[i] = byte(i)
			}
			s, err := ucrypt.NewSkcipher(d.DriverName, key)
			if err != nil {
				t.Skip(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			for _, count := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 130} {
				messages := make([]ucrypt.Message, count)
				var want, next [][]byte
				for i := range messages {
					src := make([]byte, 16*(1+random.IntN(40)))
					iv := make([]byte, d.IVSize)
					for j := range src {
						src[j] = byte(random.Uint32())
					}
					if d.IVSize > 0 {
						iv[0] = byte(i)
					}
					out, chain := make([]byte, len(src)), bytes.Clone(iv)
					if err := s.Encrypt(out, src, chain); err != nil {
						t.Fatal(err)
					}
					want, next = append(want, out), append(next, chain)
					messages[i] = ucrypt.Message{Dst: make([]byte, len(src)), Src: src, IV: iv}
					if i%2 == 0 {
						messages[i].Dst = src
					}
				}
				if err := s.EncryptMany(messages); err != nil {
					t.Fatal(err)
				}
				for i, m := range messages {
					if !bytes.Equal(m.Dst, want[i]) || !bytes.Equal(m.IV, next[i]) {
						t.Fatalf("message %d of %d (%d bytes) differs from one call", i, count, len(m.Src))
					}
				}
			}
		})
	}
}

// TestEncryptManyRefusesAll: one bad message, and nothing of any is written.
func TestEncryptManyRefusesAll(t *testing.T) {
	s, err := ucrypt.NewSkcipher("cbc(sm4)", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	good := ucrypt.Message{Dst: make([]byte, 32), Src: make([]byte, 32), IV: make([]byte, 16)}
	bad := ucrypt.Message{Dst: make([]byte, 17), Src: make([]byte, 17), IV: make([]byte, 16)}
	var length *ucrypt.LengthError
	if err := s.EncryptMany([]ucrypt.Message{good, bad}); !errors.As(err, &length) {
		t.Errorf("got %v, want a LengthError", err)
	}
	if !bytes.Equal(good.Dst, make([]byte, 32)) || !bytes.Equal(good.IV, make([]byte, 16)) {
		t.Error("the good message was written")
	}
}

// TestEncryptManyAllocations: the messages stay where they are.
func TestEncryptManyAllocations(t *testing.T) {
	s, err := ucrypt.NewSkcipher("cbc(sm4)", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(20, func() {
		var buf, iv [40][16]byte
		var messages [40]ucrypt.Message
		for i := range messages {
			messages[i] = ucrypt.Message{Dst: buf[i][:], Src: buf[i][:], IV: iv[i][:]}
		}
		if err := s.EncryptMany(messages[:]); err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
