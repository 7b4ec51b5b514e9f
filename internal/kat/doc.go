// Package kat holds the known answers that a driver must give on this machine
// before it is used, and the check that runs them on plain functions.
//
// The answers are small on purpose, since they run when a process first uses a
// driver: the lengths lead through every width of the assembly and its tails,
// and a long ciphertext is compared by the first 16 bytes of its SHA-256. They
// were computed with OpenSSL 3.0, which shares no code with this project (xts and
// cts, which it lacks, from its ecb and cbc by the standards' definitions); the
// far larger set in testdata is for the tests.
package kat
