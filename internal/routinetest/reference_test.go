package routinetest

import (
	"encoding/hex"
	"testing"
)

// TestSM4 checks the reference with the example of GB/T 32907-2016
// appendix A.1.
func TestSM4(t *testing.T) {
	key, _ := hex.DecodeString("0123456789abcdeffedcba9876543210")
	rk := SM4Expand((*[16]byte)(key))
	c := SM4Block(&rk, key)
	if got := hex.EncodeToString(c[:]); got != "681edf34d206965e86b3e94f536e4246" {
		t.Errorf("ciphertext %s", got)
	}
	rk = SM4Reverse(rk)
	if p := SM4Block(&rk, c[:]); [16]byte(key) != p {
		t.Errorf("plaintext %x", p)
	}
}
