package mode

// ESSIV is a pair of ciphers keyed for CBC with encrypted ivs: the second has
// the hash of the first one's key, and their blocks have the same size. It is
// not changed by use.
type ESSIV struct {
	data, salt Cipher
}

// NewESSIV returns the ESSIV of two ciphers.
func NewESSIV(data, salt Cipher) ESSIV { return ESSIV{data, salt} }

// EncryptESSIV encrypts src, whole blocks, in cipher block chaining mode with
// the encryption of iv as its iv. iv is left as it was.
func EncryptESSIV(e *ESSIV, dst, src, iv []byte) {
	var chain [maxBlock]byte
	e.salt.encryptBlocks(chain[:len(iv)], iv)
	EncryptCBC(&e.data, dst, src, chain[:len(iv)])
}

// DecryptESSIV is the inverse of EncryptESSIV.
func DecryptESSIV(e *ESSIV, dst, src, iv []byte) {
	var chain [maxBlock]byte
	e.salt.encryptBlocks(chain[:len(iv)], iv)
	DecryptCBC(&e.data, dst, src, chain[:len(iv)])
}

// EncryptESSIVUnits encrypts src as data units of unitSize bytes, whole blocks;
// the last one may be shorter. The iv of a unit is its number, counted from
// first on, in little-endian order and filled up with zeros.
func EncryptESSIVUnits(e *ESSIV, dst, src []byte, unitSize int, first uint64) {
	e.units(dst, src, unitSize, first, false)
}

// DecryptESSIVUnits is the inverse of EncryptESSIVUnits.
func DecryptESSIVUnits(e *ESSIV, dst, src []byte, unitSize int, first uint64) {
	e.units(dst, src, unitSize, first, true)
}

func (e *ESSIV) units(dst, src []byte, unitSize int, first uint64, decrypt bool) {
	var ivs [unitBatch * xtsBlock]byte
	size := e.data.BlockSize()
	for len(src) > 0 {
		n := e.salt.unitIVs(ivs[:], size, unitsIn(len(src), unitSize), first)
		first += uint64(n)
		for i := range n {
			bytes := min(len(src), unitSize)
			iv := ivs[i*size : (i+1)*size]
			if decrypt {
				DecryptCBC(&e.data, dst[:bytes], src[:bytes], iv)
			} else {
				EncryptCBC(&e.data, dst[:bytes], src[:bytes], iv)
			}
			dst, src = dst[bytes:], src[bytes:]
		}
	}
}
