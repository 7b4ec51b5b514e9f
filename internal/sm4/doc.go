// Package sm4 holds the SM4 block cipher (GB/T 32907-2016, ISO/IEC 18033-3):
// the generic reference in Go, the table of tiers, and the switch that leads
// from a tier to its routines.
//
// A tier is a set of routines named after what it needs of the processor. A
// tier is used only if the processor has its features, UCRYPT_DISABLE does not
// name it, and its known answers came out right on this machine.
package sm4
