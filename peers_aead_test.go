package ucrypt_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"testing"

	"ucrypt"
	"ucrypt/aes"
	"ucrypt/modes"
)

// peerMessage is a random message and what a peer makes of it.
type peerMessage struct {
	key, nonce, text, data []byte
	tagSize                int
	answer                 []byte
}

func (m *peerMessage) String() string {
	return fmt.Sprintf("key of %d bytes, nonce of %d, text of %d, associated data of %d, tag of %d", len(m.key), len(m.nonce), len(m.text), len(m.data), m.tagSize)
}

// peerMessages draws messages, most of them short, and lets libgcrypt work on them.
func peerMessages(t *testing.T, query func(string) []byte, r *rand.Rand, cipher, mode string) (all []peerMessage) {
	t.Helper()
	count := 250
	if testing.Short() {
		count = 60
	}
	bytesOf := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for i := range count {
		m := peerMessage{key: bytesOf(16), tagSize: 16}
		if cipher == "aes" {
			m.key = bytesOf(16 + 8*r.IntN(3))
		}
		n := r.IntN(600)
		if i < 4 {
			n = []int{0, 8192, 65535, 65536 + r.IntN(40000)}[i]
		}
		m.text = bytesOf(n)
		switch mode {
		case "gcm":
			m.nonce = bytesOf([]int{12, 12, 12, 1, 8, 16, 17, 33, 60 + r.IntN(100)}[r.IntN(9)])
			m.tagSize = []int{16, 16, 16, 4, 8, 12, 13, 14, 15}[r.IntN(9)]
		case "ccm":
			m.nonce = bytesOf(7 + r.IntN(7))
			if n > 65535 {
				m.nonce = m.nonce[:7]
			}
			m.tagSize = 4 + 2*r.IntN(7)
		case "cmac":
			m.answer = query(fmt.Sprintf("%s cmac enc %x - %s", cipher, m.key, orDash(m.text)))
			all = append(all, m)
			continue
		}
		m.data = bytesOf(r.IntN(2) * r.IntN(300))
		if i == 4 {
			m.data = bytesOf(0xff00 + r.IntN(2000)) // another coding of the length in ccm
		}
		m.answer = query(fmt.Sprintf("%s %s enc %x %x %s %s %d", cipher, mode, m.key, m.nonce, orDash(m.text), orDash(m.data), m.tagSize))
		all = append(all, m)
	}
	return all
}

// TestLibgcryptAEAD: every driver of gcm, ccm and cmac, and the modes over AES, give what
// libgcrypt gives for random messages.
func TestLibgcryptAEAD(t *testing.T) {
	query := queryLibgcrypt(t)
	seed := rand.Uint64()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	r := rand.New(rand.NewPCG(seed, 0))
	newAEAD := map[string]func(cipher.Block, int, int) (cipher.AEAD, error){"gcm": modes.NewGCM, "ccm": modes.NewCCM}
	for _, mode := range []string{"gcm", "ccm"} {
		all := peerMessages(t, query, r, "sm4", mode)
		driversOf(t, mode+"(sm4)", func(t *testing.T, d ucrypt.Driver) {
			for i := range all {
				m := &all[i]
				a, err := ucrypt.NewAEAD(d.DriverName, m.key, len(m.nonce), m.tagSize)
				if err != nil {
					t.Fatal(err)
				}
				checkSealed(t, m.String(), a, m.nonce, m.text, m.data, m.answer)
			}
		})
		all = peerMessages(t, query, r, "aes", mode)
		for name, newCipher := range map[string]func([]byte) (cipher.Block, error){"aes": aes.NewCipher, "crypto-aes": stdaes.NewCipher} {
			t.Run("modes/"+mode+"/"+name, func(t *testing.T) {
				for i := range all {
					m := &all[i]
					b, err := newCipher(m.key)
					if err != nil {
						t.Fatal(err)
					}
					a, err := newAEAD[mode](b, len(m.nonce), m.tagSize)
					if err != nil {
						t.Fatal(err)
					}
					checkSealed(t, m.String(), a, m.nonce, m.text, m.data, m.answer)
				}
			})
		}
	}
	for _, c := range []string{"sm4", "aes"} {
		all := peerMessages(t, query, r, c, "cmac")
		driversOf(t, "cmac("+c+")", func(t *testing.T, d ucrypt.Driver) {
			for i := range all {
				m := &all[i]
				h, err := ucrypt.NewHash(d.DriverName, m.key)
				if err != nil {
					t.Fatal(err)
				}
				cut := len(m.text) / 3
				h.Write(m.text[:cut])
				h.Write(m.text[cut:])
				if got := h.Sum(nil); !bytes.Equal(got, m.answer) {
					t.Errorf("%s: %x, want %x", m, got, m.answer)
				}
			}
		})
	}
}
