package mode

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

// sizesAnswers are what the definitions make of the messages of TestAEADEverySize, made
// once for all tiers of a cipher.
type sizesAnswers struct {
	gcm map[int][][]byte    // by the size of the nonce and the length; with whole tags
	ccm map[[2]int][][]byte // by the sizes of nonce and tag, and the length
}

// TestAEADEverySize: all sizes of tags with all sizes of nonces around those that matter
// with all lengths up to 600. A message is sealed apart and opened in place, and sealed
// in place and opened apart.
func TestAEADEverySize(t *testing.T) {
	gcmTags, ccmTags := []int{4, 8, 12, 13, 14, 15, 16}, []int{4, 6, 8, 10, 12, 14, 16}
	gcmNonces, ccmNonces := []int{1, 8, 11, 12, 13, 15, 16, 17, 32, 60}, []int{7, 8, 9, 10, 11, 12, 13}
	step := 1
	if testing.Short() {
		step = 37
	}
	const last = 600
	data := random(109, last)
	additionalData := func(n int) []byte { return data[:n*5%40] }
	var mu sync.Mutex
	all := map[[16]byte]*sizesAnswers{}
	answersOf := func(s subject) *sizesAnswers {
		mu.Lock()
		defer mu.Unlock()
		var block [16]byte
		s.reference.Encrypt(block[:], block[:])
		if all[block] != nil {
			return all[block]
		}
		a := &sizesAnswers{map[int][][]byte{}, map[[2]int][][]byte{}}
		all[block] = a
		for n := 0; n <= last; n += step {
			for _, nonce := range gcmNonces {
				a.gcm[nonce] = append(a.gcm[nonce], naiveGCM(t, s.reference, data[:nonce], data[:n], additionalData(n)))
			}
			for _, nonce := range ccmNonces {
				for _, tag := range ccmTags {
					sizes := [2]int{nonce, tag}
					a.ccm[sizes] = append(a.ccm[sizes], naiveCCM(s.reference, data[:nonce], data[:n], additionalData(n), tag))
				}
			}
		}
		return a
	}
	for _, s := range aeadSubjects(t, 79) {
		if s.c.composed || s.c.foreign != nil {
			continue // TestAEAD has every length of these, with the sizes in turn
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			answers := answersOf(s)
			buf, apart := make([]byte, last+16), make([]byte, last+16)
			check := func(a aead, nonce []byte, n int, want []byte) {
				plain, extra := data[:n], additionalData(n)
				sealed := a.Seal(buf[:0], nonce, plain, extra)
				right := bytes.Equal(sealed, want)
				opened, err := a.Open(sealed[:0], nonce, sealed, extra)
				right = right && err == nil && bytes.Equal(opened, plain)
				sealed = a.Seal(buf[:0], nonce, opened, extra)
				right = right && bytes.Equal(sealed, want)
				opened, err = a.Open(apart[:0], nonce, sealed, extra)
				if !right || err != nil || !bytes.Equal(opened, plain) {
					t.Fatalf("%s: %d bytes: wrong", a.what, n)
				}
			}
			for _, nonce := range gcmNonces {
				for _, tag := range gcmTags {
					g, err := NewGCM("test", s.c, nonce, tag)
					if err != nil {
						t.Fatal(err)
					}
					a := aead{AEAD: g, what: fmt.Sprintf("gcm, nonces of %d, tags of %d", nonce, tag)}
					for i, want := range answers.gcm[nonce] {
						check(a, data[:nonce], i*step, want[:i*step+tag])
					}
				}
			}
			for _, nonce := range ccmNonces {
				for _, tag := range ccmTags {
					m, err := NewCCM("test", s.c, nonce, tag)
					if err != nil {
						t.Fatal(err)
					}
					a := aead{AEAD: m, what: fmt.Sprintf("ccm, nonces of %d, tags of %d", nonce, tag)}
					for i, want := range answers.ccm[[2]int{nonce, tag}] {
						check(a, data[:nonce], i*step, want)
					}
				}
			}
		})
	}
}
