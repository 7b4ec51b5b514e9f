// Package blake2s holds the BLAKE2s hash (RFC 7693): the generic reference in
// Go, the table of tiers, the switch that leads from a tier to its routine, and
// the Digest that package blake2s and the registry hand out.
//
// A tier is one routine, the compression function, named after what it needs of
// the processor. A tier is used only if the processor has its features,
// UCRYPT_DISABLE does not name it, and its known answers came out right on this
// machine.
//
// BLAKE2s adds, XORs and rotates words and looks nothing up, so every tier, the
// generic one included, takes the same time for all messages and keys of a
// length.
package blake2s
