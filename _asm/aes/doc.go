package main

import "fmt"

// The texts above the routines, in the stubs and in the assembly: the function
// that the routine equals, what it accepts, what it needs, where it is from.

const (
	schedules = "rk has the round keys in slots of 16 bytes, the last one in slot 14, the first in slot 14-rounds."
	buffers   = "dst is src exactly or does not overlap it. No address needs to be aligned; nothing outside the buffers is read or written."
)

func source(t tier, text string) string {
	return fmt.Sprintf("Source: %s Constant-time. Features: %s.", text, t.features)
}

func keyDoc(t tier) []string {
	return []string{
		"ExpandKeyAESNI expands a key of 16, 24 or 32 bytes, which means 10, 12 or 14 rounds. enc gets",
		"the round keys of encryption, dec those of the equivalent inverse cipher, in slots of 16 bytes:",
		"the last one in slot 14, the first in slot 14-rounds. The slots before are left as they are.",
		source(t, "FIPS 197 sections 5.2 and 5.3.5."),
	}
}

func modeDoc(m mode, t tier) []string {
	name := m.name + t.suffix
	if m.chained {
		return []string{
			name + " equals cipher.NewCBCDecrypter(block, iv).CryptBlocks on 16*blocks bytes, at most 64 KiB, and",
			"replaces iv by the last ciphertext block. rk is the inverse cipher's.",
			schedules, buffers,
			source(t, "NIST SP 800-38A section 6.2."),
		}
	}
	method := "Encrypt"
	if m.decrypt {
		method = "Decrypt, with the inverse cipher's rk,"
	}
	return []string{
		name + " equals block." + method + " on each of a number of blocks, at most 64 KiB.",
		schedules, buffers,
		source(t, "FIPS 197, NIST SP 800-38A section 6.1."),
	}
}

func cbcEncDoc(t tier) []string {
	return []string{
		"CBCEncAESNI equals cipher.NewCBCEncrypter(block, iv).CryptBlocks on 16*blocks bytes, at most 16 KiB, and",
		"replaces iv by the last ciphertext block.",
		schedules, buffers,
		source(t, "NIST SP 800-38A section 6.2."),
	}
}

func ctsDoc(t tier, decrypt bool) []string {
	name, limit, keys := "CTSEnc", "16 KiB and a block", ""
	if decrypt {
		name, limit, keys = "CTSDec", "64 KiB and a block", " rk is the inverse cipher's."
	}
	return []string{
		name + t.suffix + " equals CBC with ciphertext stealing, the last two blocks swapped (CS3), as package mode",
		"builds it, on n bytes: 17 to " + limit + ". iv is left as it is." + keys,
		schedules, buffers,
		source(t, "NIST SP 800-38A addendum, RFC 3962 section 5."),
	}
}

func xtsDoc(t tier, decrypt bool) []string {
	return []string{
		xtsName(decrypt) + t.suffix + " equals XTS, as package mode builds it, on a data unit of n bytes: 16 to 64 KiB and a block.",
		"iv is encrypted with the round keys tweak and left as it is. If tweak is nil, iv is encrypted already, and if n is",
		"a multiple of 16, it is replaced by the tweak of the block behind, so that a further call goes on with the data unit." + inverse(decrypt),
		schedules, buffers,
		source(t, "IEEE Std 1619-2018 section 5."),
	}
}

func unitsDoc(t tier, decrypt bool) []string {
	return []string{
		xtsName(decrypt) + "Units" + t.suffix + " equals XTS on a number of data units of size bytes each, at least 16, and 64 KiB in all. The tweak of a",
		"data unit is its number, from first on, in little-endian order, encrypted with the round keys tweak." + inverse(decrypt),
		schedules, buffers,
		source(t, "IEEE Std 1619-2018 section 5."),
	}
}

func inverse(decrypt bool) string {
	if decrypt {
		return " rk is the inverse cipher's."
	}
	return ""
}
