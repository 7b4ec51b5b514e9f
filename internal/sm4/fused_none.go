//go:build !(amd64 || arm64) || purego

package sm4

// No tier has the routines of fused.go.

func hasFused(Tier) bool { return false }

func ctsEncrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte)            {}
func ctsDecrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte)            {}
func xts(Tier, *Schedule, *Schedule, []byte, []byte, int, []byte, bool, bool) {}
