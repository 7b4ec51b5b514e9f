//go:build !(darwin || freebsd || netbsd || openbsd || dragonfly)

package speed

func systemName() string { return "" }
