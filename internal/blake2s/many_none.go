//go:build !amd64 || purego

package blake2s

// manyAssembly says that there are routines for many messages.
const manyAssembly = false

func compressMany(ManyTier, int, *lanes, *[maxLanes]*byte, int) {}
