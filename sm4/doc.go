// Package sm4 implements the SM4 block cipher: GB/T 32907-2016, ISO/IEC
// 18033-3:2010/Amd 1:2021, with blocks and keys of 16 bytes.
//
// On x86-64 with AES-NI and AVX the cipher, its key expansion included, runs
// in assembly that is constant-time: no branch and no memory address depends
// on a key or on data. Elsewhere, with the build tag purego, and with
// UCRYPT_DISABLE=aes, it runs in Go with look-up tables, which is not
// constant-time.
//
// A cipher.Block encrypts one block at a time. The fast code works on many, so
// it is reached through a mode: cipher.NewCTR, cipher.NewCBCEncrypter,
// cipher.NewCBCDecrypter, and cipher.NewGCM with its variants for other sizes of
// nonces and tags, over this package's block use it, and so do ECB, CFB, CCM, the
// MACs and the further modes of package ucrypt/modes.
//
// This module is not validated under FIPS 140-3. Under GODEBUG=fips140=only the
// constructors of crypto/cipher refuse this package's block: those that return no
// error panic. Its own methods, package ucrypt/modes and the registry in package
// ucrypt work there as elsewhere.
package sm4
