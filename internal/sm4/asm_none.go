//go:build !(amd64 || arm64) || purego

package sm4

// Without assembly only the generic tier is built; the functions of this file
// report that there is no routine.

const assembly = ""

func expand(Tier, *[KeySize]byte, *Schedule, *Schedule) bool { return false }
func ecb(Tier, *Schedule, []byte, []byte) bool               { return false }

func cbcEncrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cbcDecrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cfbEncrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func cfbDecrypt(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool { return false }
func ctr(Tier, *Schedule, []byte, []byte, *[BlockSize]byte) bool        { return false }
