package modes_test

import (
	"crypto/cipher"
	"crypto/sha256"
	"strings"
	"testing"

	"ucrypt/aes"
	"ucrypt/modes"
)

// TestNil: nil arguments panic with a text of the package's own.
func TestNil(t *testing.T) {
	none := func([]byte) (cipher.Block, error) { return nil, nil }
	key, iv := make([]byte, 32), make([]byte, 16)
	for what, f := range map[string]func(){
		"NewGCM":                func() { modes.NewGCM(nil, 12, 16) },
		"NewGCMWithRandomNonce": func() { modes.NewGCMWithRandomNonce(nil) },
		"NewCCM":                func() { modes.NewCCM(nil, 12, 16) },
		"NewCMAC":               func() { modes.NewCMAC(nil) },
		"NewCBCMAC":             func() { modes.NewCBCMAC(nil) },
		"NewXCBC":               func() { modes.NewXCBC(nil, key) },
		"NewXCBC, no cipher":    func() { modes.NewXCBC(none, key) },
		"NewECBEncrypter":       func() { modes.NewECBEncrypter(nil) },
		"NewECBDecrypter":       func() { modes.NewECBDecrypter(nil) },
		"NewCFBEncrypter":       func() { modes.NewCFBEncrypter(nil, iv) },
		"NewCFBDecrypter":       func() { modes.NewCFBDecrypter(nil, iv) },
		"NewCTS":                func() { modes.NewCTS(nil) },
		"NewXTS":                func() { modes.NewXTS(nil, key) },
		"NewXTS, no cipher":     func() { modes.NewXTS(none, key) },
		"NewESSIV":              func() { modes.NewESSIV(nil, sha256.New, key) },
		"NewESSIV, no cipher":   func() { modes.NewESSIV(none, sha256.New, key) },
		"NewESSIV, no hash":     func() { modes.NewESSIV(aes.NewCipher, nil, key) },
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.HasPrefix(v, "modes: ") {
					t.Errorf("%s: panic %q", what, v)
				}
			}()
			f()
		}()
	}
}
