//go:build !(amd64 || arm64) || purego

package ghash

// Without assembly only the generic tier is built.

const assembly = ""

func initialize(Tier, *[powersSize]byte, *[BlockSize]byte) bool { return false }

func update(Tier, *[powersSize]byte, *[BlockSize]byte, []byte) {}
