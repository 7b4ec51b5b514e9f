package main

import "strings"

// This file holds the headers of the routines: the documentation of the Go
// stubs, repeated in the assembly.

const algorithm = "Algorithm: SM4, GB/T 32907-2016; draft-ribose-cfrg-sm4-10; RFC 8998."

var modeDocs = map[string]string{
	"ECB": "encrypts each block of src by itself, or decrypts it if rk is the decryption schedule.",
	"CBCDec": "decrypts src in CBC mode. rk is the decryption schedule; iv is replaced by the last " +
		"ciphertext block.",
	"CFBDec": "decrypts src in CFB mode with whole blocks. rk is the encryption schedule; iv is " +
		"replaced by the last ciphertext block.",
	"CTR": "adds the key stream of the counters iv, iv+1, ... to src. rk is the encryption schedule. " +
		"The low 32 bits of the big-endian counter must not wrap before the last block: " +
		"low+blocks <= 1<<32. iv is replaced by the next counter; if its low 32 bits have become 0, " +
		"the caller carries.",
	"CBCEnc": "encrypts src in CBC mode. rk is the encryption schedule; iv is replaced by the last " +
		"ciphertext block.",
	"CFBEnc": "encrypts src in CFB mode with whole blocks. rk is the encryption schedule; iv is " +
		"replaced by the last ciphertext block.",
}

// routineDoc is the header of a mode's routine.
func routineDoc(mode string, t tier, iv, serial bool) []string {
	others := "rk overlaps neither."
	if iv {
		others = "rk and iv overlap neither."
	}
	bound := "The caller bounds the work of a call, to 4096 blocks."
	if serial {
		bound = "The caller bounds the work of a call, to 1024 blocks, which are done one after the other."
	}
	return wrap(
		mode+t.suffix+" "+modeDocs[mode],
		"blocks is the number of 16-byte blocks; with 0 nothing is read or written. dst is src "+
			"exactly or does not overlap it; "+others+" Any alignment will do, and no byte outside "+
			"of the blocks is read or written. "+bound,
		"It equals ref"+mode+" of this package's tests. Constant time. Needs "+t.features+".",
		algorithm)
}

func blockDoc(t tier) []string {
	return wrap(
		"Block"+t.suffix+" encrypts the 16 bytes of src into dst, or decrypts them if rk is the decryption schedule.",
		"dst is src exactly or does not overlap it; rk overlaps neither. Any alignment will do, and no other byte is "+
			"read or written.",
		"It equals refECB of this package's tests. Constant time. Needs "+t.features+".",
		algorithm)
}

func keyDoc(t tier) []string {
	return wrap(
		"ExpandKey"+t.key+" expands key into the schedules that the routines of this package read: enc "+
			"for encryption, dec, the same in reverse order, for decryption.",
		"A round key is kept as it is added to the state: each byte x of it as A*x ^ 3e, where A is "+
			"the change into the basis of the AES field (4c287db91a22505d as a GF2P8AFFINEQB "+
			"matrix), the most significant byte first in memory.",
		"The schedules do not overlap. Any alignment will do.",
		"It equals refExpand of this package's tests, in that form. Constant time. Needs "+t.features+".",
		algorithm)
}

// wrap breaks paragraphs into lines and puts an empty one between them.
func wrap(paragraphs ...string) (lines []string) {
	const columns = 80
	for i, p := range paragraphs {
		if i > 0 {
			lines = append(lines, "")
		}
		line := ""
		for _, word := range strings.Fields(p) {
			if line != "" && len(line)+1+len(word) > columns {
				lines = append(lines, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		lines = append(lines, line)
	}
	return lines
}
