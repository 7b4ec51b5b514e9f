// Package amd64 holds the routines of AES for x86-64 processors with AES-NI, a
// file for each tier. All but this file is written by the generator in _asm/aes.
package amd64
