// Package aes implements the AES block cipher (FIPS 197) with keys of 128, 192
// and 256 bits, as a replacement for crypto/aes in code that works on files,
// disks and protocols in CBC, CTS and XTS.
//
// On x86-64 with AES-NI, and there with VAES in registers of 256 and 512 bits,
// and on 32-bit x86 with AES-NI, the cipher, its key expansion included, runs in
// assembly that is constant-time: no branch and no memory address depends on a
// key or on data. Elsewhere, with the build tag purego, and with
// UCRYPT_DISABLE=aes, it is crypto/aes, which is constant-time where Go has
// assembly for it.
//
// A cipher.Block encrypts one block at a time. The fast code works on many, so
// it is reached through a mode: cipher.NewCBCEncrypter and
// cipher.NewCBCDecrypter over this package's block use it, and so do the modes
// of package ucrypt/modes. For GCM and CTR Go's own assembly is as fast as the
// processor allows: cipher.NewGCM and cipher.NewCTR over this package's block
// are those of crypto/aes. GCM with tags of less than 16 bytes is not, since
// crypto/cipher's writes behind its output.
//
// This module is not validated under FIPS 140-3. Under GODEBUG=fips140=only the
// constructors of crypto/cipher refuse this package's block, which is not crypto/aes's
// own: those that return no error panic. Its own methods, package ucrypt/modes and
// the registry in package ucrypt work there as elsewhere.
package aes
