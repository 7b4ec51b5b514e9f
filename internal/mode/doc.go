// Package mode holds the modes of operation: their loops, tails, carries and
// chaining, each written once, over any block cipher.
//
// A mode first offers the work to the cipher's own routine for it and builds
// the mode from whole-block encryption where there is none. It tells ciphers
// apart by their concrete types, never by calling an interface with the
// caller's buffers, which would move those to the heap: a foreign cipher.Block
// works on a copy instead.
//
// The functions trust their callers (packages sm4, modes and ucrypt) with the
// checks: iv has the size of a block, dst is at least as long as src, and is
// src exactly or does not overlap it.
package mode
