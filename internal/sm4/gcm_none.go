//go:build !amd64 || purego

package sm4

// No tier has the routine of gcm.go.

func hasEncryptAndHash(Tier, int) bool { return false }

func encryptAndHash(Tier, *Schedule, *[BlockSize]byte, *[1024]byte, *[BlockSize]byte, []byte, int, *[BlockSize]byte) {
}
