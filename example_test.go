package ucrypt_test

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"log"

	"ucrypt"
	"ucrypt/blake2s"
	"ucrypt/modes"
	"ucrypt/sm4"
)

// The algorithm by the kernel's name; the best driver of this machine serves.
func Example() {
	key := []byte("0123456789abcdef")
	iv := []byte("fedcba9876543210")

	ctr, err := ucrypt.NewSkcipher("ctr(sm4)", key)
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("to be, or not to be")
	if err := ctr.Encrypt(message, message, iv); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", message)
	// Output: e01c6776f2c723c281fe44d25a2ac5f11ee353
}

// A driver by its own name, and what is known of it.
func ExampleLookup() {
	d, err := ucrypt.Lookup("cbc(sm4-generic)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Name, d.DriverName, d.Priority, d.Status)
	// Output: cbc(sm4) cbc(sm4-generic) 100 passed
}

// From github.com/emmansun/gmsm: sm4.NewCipher is the same call.
func Example_fromGmsm() {
	block, err := sm4.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		log.Fatal(err)
	}
	out := make([]byte, sm4.BlockSize)
	block.Encrypt(out, []byte("exactly 16 bytes"))
	fmt.Printf("%x\n", out)
	// Output: c7c25fd8bedd93393961d04e48326b7e
}

// From gmsm's cipher.NewECBEncrypter(block): modes.NewECBEncrypter(block).
func Example_fromGmsmECB() {
	block, err := sm4.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("twice 16 bytes, twice 16 bytes, ")
	modes.NewECBEncrypter(block).CryptBlocks(message, message)
	fmt.Printf("%x\n", message)
	// Output: 4882b040ee81ab02666089e0f7f37d2b4882b040ee81ab02666089e0f7f37d2b
}

// crypto/cipher over another package's SM4 block: the same calls over this
// one's, which then run in assembly.
func Example_fromCryptoCipher() {
	block, err := sm4.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		log.Fatal(err)
	}
	message := []byte("twice 16 bytes, twice 16 bytes, ")
	cipher.NewCBCEncrypter(block, []byte("fedcba9876543210")).CryptBlocks(message, message)
	fmt.Printf("%x\n", message)
	// Output: 1ff2908af217e9a99899fbc316d1a982ef84438f8d0476afcaf6f50bc77c5087
}

// From github.com/tjfoc/gmsm: sm4.Sm4Ecb(key, in, true) pads and allocates in
// one call; here padding is the caller's, as in crypto/cipher.
func Example_fromTjfoc() {
	block, err := sm4.NewCipher([]byte("0123456789abcdef"))
	if err != nil {
		log.Fatal(err)
	}
	in := []byte("any length")
	pad := sm4.BlockSize - len(in)%sm4.BlockSize
	for range pad {
		in = append(in, byte(pad))
	}
	modes.NewECBEncrypter(block).CryptBlocks(in, in)
	fmt.Printf("%x\n", in)
	// Output: 23984205b4ef6b6c49c1b0c6dd5a6fe2
}

// From golang.org/x/crypto/xts: the same call, any length from 16 bytes on, and
// crypto/aes's own constructor is as fast as ucrypt/aes's.
func Example_fromXTS() {
	disk, err := modes.NewXTS(aes.NewCipher, []byte("two different keys of 16 bytes.."))
	if err != nil {
		log.Fatal(err)
	}
	sector := []byte("seventeen bytes..")
	disk.Encrypt(sector, sector, 7)
	fmt.Printf("%x\n", sector)
	// Output: 55d49afb452cef02f860174d4eba572333
}

// From golang.org/x/crypto/blake2s: the import alone changes.
func Example_fromBlake2s() {
	fmt.Printf("%x\n", blake2s.Sum256([]byte("abc")))
	// Output: 508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982
}
