package kat

import "fmt"

// CheckAES runs the answers of an algorithm over AES, in both directions. They
// were computed with OpenSSL 3.0: ecb, cbc and the three variants of cts by its
// own modes, xts too but for 192-bit keys, which it refuses and which its ecb
// gave by the standard's definition, and essiv from its cbc, ecb and SHA-256.
func CheckAES(algorithm string, crypt Crypt) error {
	answers := aesSkciphers[algorithm]
	if len(answers) == 0 {
		return fmt.Errorf("no known answers for %s", algorithm)
	}
	for _, a := range answers {
		if err := a.check(crypt); err != nil {
			return fmt.Errorf("%s, %d bytes: %w", algorithm, a.Len, err)
		}
	}
	return nil
}
