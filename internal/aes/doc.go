// Package aes holds the AES block cipher (FIPS 197) with keys of 128, 192 and
// 256 bits: the table of tiers, and the switch that leads from a tier to its
// routines. Its floor is Go's own crypto/aes.
//
// A tier is a set of routines named after what it needs of the processor. A
// tier is used only if the processor has its features, UCRYPT_DISABLE does not
// name it, and its known answers came out right on this machine.
package aes
