// Package arm holds the BLAKE2s compression function for 32-bit Arm.
package arm
