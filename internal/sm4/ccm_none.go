//go:build !amd64 || purego

package sm4

// No tier has the routine of ccm.go.

func hasMACAndCTR(Tier) bool { return false }

func macAndCTR(Tier, *Schedule, *[BlockSize]byte, []byte, []byte, []byte, int, *[BlockSize]byte) {}
