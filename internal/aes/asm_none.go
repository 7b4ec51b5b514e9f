//go:build !(amd64 || 386 || arm64) || purego

package aes

// Without assembly only the tier Go is built; the functions of this file are
// never reached, or report that there is no routine.

const (
	assembly = ""
	hasCTS   = false
	hasXTS   = false
)

func expand(Tier, []byte, int, *Schedule, *Schedule) bool { return false }
func ecbEncrypt(*Cipher, []byte, []byte) bool             { return false }
func ecbDecrypt(*Cipher, []byte, []byte) bool             { return false }

func cbcEncrypt(*Cipher, []byte, []byte, *[BlockSize]byte) bool { return false }
func cbcDecrypt(*Cipher, []byte, []byte, *[BlockSize]byte) bool { return false }
func ctsEncrypt(*Cipher, []byte, []byte, *[BlockSize]byte)      {}
func ctsDecrypt(*Cipher, []byte, []byte, *[BlockSize]byte)      {}

func xts(*Cipher, *Schedule, []byte, []byte, *[BlockSize]byte, bool)      {}
func xtsUnits(*Cipher, *Schedule, []byte, []byte, int, int, uint64, bool) {}
