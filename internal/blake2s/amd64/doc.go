// Package amd64 holds the BLAKE2s compression function for x86-64, for one
// message and for many, a file for each tier. All but this file is written by
// the generator in _asm/blake2s.
package amd64
