//go:build !linux

package speed

func openInstructions() func() uint64 { return nil }
