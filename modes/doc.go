// Package modes implements modes of operation, authenticated encryption and MACs
// over any cipher.Block. They are fast when the block comes from ucrypt/sm4 or
// ucrypt/aes, and correct with any other. XTS, ESSIV and XCBC, which are given the
// key, are as fast with crypto/aes, and so is GCM with whole tags.
//
// As in crypto/cipher, misuse panics: an iv of the wrong size, a destination
// shorter than the source, a length that the mode cannot work on, or buffers
// that overlap without being the same. A cipher.Stream or cipher.BlockMode keeps
// the state of one message and must not be used from two goroutines at once, nor
// must a hash.Hash; an XTS, CTS, ESSIV or cipher.AEAD keeps none and may be.
//
// Constant-time status is the block's own. GHASH, of which GCM is made besides, is
// constant-time everywhere.
package modes
