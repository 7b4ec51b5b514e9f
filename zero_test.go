package ucrypt_test

import (
	"testing"

	"ucrypt"
)

// TestZeroSkcipher: a value without a key must not pass for one that encrypts.
func TestZeroSkcipher(t *testing.T) {
	var s ucrypt.Skcipher
	message := []byte("sixteen bytes...")
	if s.Encrypt(message, message, nil) == nil || s.Decrypt(message, message, nil) == nil || s.EncryptUnits(message, message, 16, 0) == nil || s.Encrypt(nil, nil, nil) == nil {
		t.Error("a zero Skcipher reports success")
	}
}
