// Package arm64 holds the routines of GHASH in assembly for 64-bit Arm and their
// declarations: tier pmull, made of FEAT_PMULL's instructions. It is empty on other
// processors and with the tag purego. No routine has a branch or an address that
// depends on a key or on data.
package arm64
