package arm64_test

import (
	"os"
	"strconv"
	"testing"

	"ucrypt/internal/mode"
	"ucrypt/internal/sm4"
)

func TestZCall(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("KLEN"))
	calls, _ := strconv.Atoi(os.Getenv("KCALLS"))
	op := os.Getenv("KOP")
	src := make([]byte, n)
	tiers := map[string]sm4.Tier{}
	for _, tier := range sm4.Tiers() {
		tiers[tier.String()] = tier
	}
	c := sm4.NewTier(tiers[os.Getenv("KTIER")], new([16]byte))
	if c.Tier().String() != os.Getenv("KTIER") {
		t.Fatal("tier")
	}
	m := mode.SM4(c)
	iv := make([]byte, 16)
	arr := new([16]byte)
	x := mode.NewXTS(m, m, false)
	for range calls {
		switch op {
		case "ctr":
			mode.CTR(&m, src, src, iv)
		case "ecb":
			mode.EncryptECB(&m, src, src)
		case "cbcenc":
			mode.EncryptCBC(&m, src, src, iv)
		case "cfbenc":
			mode.EncryptCFB(&m, src, src, iv)
		case "xts":
			mode.EncryptXTS(&x, src, src, iv)
		case "cts":
			mode.EncryptCTS(&m, mode.CS3, src, src, iv)
		case "ctsdec":
			mode.DecryptCTS(&m, mode.CS3, src, src, iv)
		case "fxts":
			c.XTSEncrypt(c, src, src, arr, false)
		case "fcts":
			c.CTSEncrypt(src, src, arr)
		case "fctsdec":
			c.CTSDecrypt(src, src, arr)
		}
	}
}
