// Package arm64 holds the BLAKE2s compression function for arm64.
package arm64
