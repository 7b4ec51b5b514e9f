// Package bench holds side-by-side benchmarks against peers. It is a module of
// its own, so that ucrypt depends on none of them.
//
//	go run ./compare              SM4: ucrypt's tiers and gmsm's two builds, in turns
//	go run ./aes                  AES: ucrypt's drivers and their peers, in turns
//	go run ./sm4                  the best SM4 drivers and gmsm's assembly, in turns
//	go run ./aead                 AEADs and CMAC of SM4: gmsm, and the templates, in turns
//	go run ./blake2s              BLAKE2s: one message and many, and golang.org/x/crypto
//	go run ./wireguard            handshakes of wireguard-go with either BLAKE2s
//	go run ./report               all peers in one process: writes BENCHMARKS.md
//	go run -tags clibs ./report   the same with Debian's openssl and libgcrypt
//	go test -bench . | benchstat -col /impl -
//
// The tag purego, which switches gmsm's assembly off, would switch ucrypt's off
// as well: the comparison therefore builds a program of each and lets them work
// in turns. The benchmarks of this package are one program: with the tag, all
// of them are pure Go.
package bench
