//go:build !amd64 || purego

package sm4

// No tier has the routines of many.go.

func hasMany(Tier) bool { return false }

func cbcEncryptMany(Tier, *Schedule, *[manyPointers * manyLanes]*byte, bool, int) {}
