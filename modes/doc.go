// Package modes implements modes of operation over any cipher.Block. They are
// fast when the block comes from ucrypt/sm4 or ucrypt/aes, and correct with any
// other. XTS and ESSIV, which are given the key, are as fast with crypto/aes.
//
// As in crypto/cipher, misuse panics: an iv of the wrong size, a destination
// shorter than the source, a length that the mode cannot work on, or buffers
// that overlap without being the same. A cipher.Stream or cipher.BlockMode keeps
// the state of one message and must not be used from two goroutines at once; an
// XTS, CTS or ESSIV keeps none and may be.
//
// Constant-time status is the block's own.
package modes
