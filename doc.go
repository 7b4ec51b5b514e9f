// Package ucrypt is a registry of symmetric ciphers in the manner of the Linux
// kernel's: algorithms such as "ctr(sm4)" with the kernel's names, and drivers
// such as "ctr-sm4-aesni-avx2" that implement them, with its priorities.
//
// The usable driver of the highest priority serves an algorithm. A driver is
// used only after its known answers came out right on this machine, which is
// tried once a process, when it is first asked for; one that fails is never
// chosen, and Drivers says why. A driver can also be asked for by its own name.
//
// The environment variable UCRYPT_DISABLE takes processor features and tiers
// of routines away, for tests and for finding faults: UCRYPT_DISABLE=avx2. An
// unknown word in it is an error of every function here that looks a name up.
//
// The packages below this one, such as ucrypt/sm4, can be used without it.
package ucrypt
