// Package amd64 holds the x86-64 assembly of SM4 and its Go stubs. Everything
// but the tests is written by the generator in _asm/sm4, where the mathematics
// and the layouts are explained; _asm/generate.sh runs it.
//
// The routines are for package sm4 only: they check nothing, neither lengths nor
// the features of the processor.
package amd64

//go:generate ../../../_asm/generate.sh
