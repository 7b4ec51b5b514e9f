package sm4

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCBCEncryptMany has messages of all sorts of numbers and lengths, in place
// and not, against one message after the other.
func TestCBCEncryptMany(t *testing.T) {
	for _, tier := range usable(t) {
		c := NewTier(tier, (*[KeySize]byte)(random(1, KeySize)))
		if !c.CBCEncryptMany(nil) {
			if hasMany(tier) {
				t.Errorf("%s: no routine", tier)
			}
			continue
		}
		t.Run(tier.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			for number := 1; number <= 100; number += 1 + number/8 {
				for _, most := range []int{0, 1, 3, 40, 200} {
					for _, inPlace := range []bool{false, true} {
						var messages []Message
						var want [][]byte
						var next [][BlockSize]byte
						for i := range number {
							blocks := most
							if i%3 > 0 {
								blocks = r.IntN(most + 1)
							}
							if number < 4 && most == 200 {
								blocks += 2000
							}
							src := random(byte(i), blocks*BlockSize)
							iv := [BlockSize]byte(random(byte(i+1), BlockSize))
							m := Message{Dst: make([]byte, len(src)), Src: bytes.Clone(src), IV: new([BlockSize]byte)}
							*m.IV = iv
							if inPlace {
								m.Dst = m.Src
							}
							w := make([]byte, len(src))
							for j := 0; j < len(src); j += serialCall {
								n := min(serialCall, len(src)-j)
								c.CBCEncrypt(w[j:j+n], src[j:j+n], &iv)
							}
							messages, want, next = append(messages, m), append(want, w), append(next, iv)
						}
						c.CBCEncryptMany(messages)
						for i, m := range messages {
							name := fmt.Sprintf("message %d of %d, %d blocks, in place %v", i, number, len(m.Src)/BlockSize, inPlace)
							if !bytes.Equal(m.Dst, want[i]) {
								t.Fatalf("%s: wrong", name)
							}
							if *m.IV != next[i] {
								t.Fatalf("%s: iv is %x, want %x", name, *m.IV, next[i])
							}
						}
					}
				}
			}
		})
	}
}

func TestCBCEncryptManyAllocs(t *testing.T) {
	for _, tier := range usable(t) {
		c := NewTier(tier, new([KeySize]byte))
		n := testing.AllocsPerRun(100, func() {
			var buf [8][5 * BlockSize]byte
			var ivs [8][BlockSize]byte
			var messages [8]Message
			for i := range messages {
				messages[i] = Message{buf[i][:], buf[i][:], &ivs[i]}
			}
			c.CBCEncryptMany(messages[:])
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", tier, n)
		}
	}
}
