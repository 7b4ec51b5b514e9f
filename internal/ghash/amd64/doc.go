// Package amd64 holds the routines of GHASH for x86-64 processors with carry-less
// multiplication, a file for each tier. All but this file is written by the
// generator in _asm/ghash. No routine has a branch or an address that depends on a
// key or on data.
package amd64
