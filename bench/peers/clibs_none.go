//go:build !clibs

package peers

func cLibraries() []Library { return nil }
