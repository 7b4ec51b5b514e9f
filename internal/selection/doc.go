// Package selection holds what the tables of the ciphers and hashes have in common. A
// tier is a set of routines named after what it needs of the processor. It is
// used only if the processor has its features, UCRYPT_DISABLE does not name it,
// and its known answers came out right on this machine.
package selection
