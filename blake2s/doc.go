// Package blake2s implements the hash BLAKE2s (RFC 7693) and the function
// BLAKE2Xs, whose output has any length. It takes the place of
// golang.org/x/crypto/blake2s: replace the import and nothing else.
//
// Beyond that package it has digests of 160 and 224 bits and of any size from 1
// to 32 bytes, hashes of 128 bits without a key, and functions that hash or
// authenticate a message at once without allocating. AppendSumMany hashes many
// messages side by side, several times as fast as one after the other.
//
// A key makes BLAKE2s a message authentication code; there is no need of HMAC.
// A digest of less than 256 bits is not the first part of a longer one.
//
// The work is done by assembly where there is some for the processor. It is
// used only after its known answers came out right on this machine, once a
// process; the environment variable UCRYPT_DISABLE takes it away. All code,
// the Go code for other processors included, runs in constant time: neither its
// branches nor its addresses depend on a key or on data.
package blake2s
