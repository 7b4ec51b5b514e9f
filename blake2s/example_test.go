package blake2s_test

import (
	"crypto/subtle"
	"fmt"
	"io"
	"strings"

	"ucrypt/blake2s"
)

func ExampleSum256() {
	fmt.Printf("%x\n", blake2s.Sum256([]byte("abc")))
	// Output: 508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982
}

func ExampleNew256() {
	h, err := blake2s.New256(nil)
	if err != nil {
		panic(err)
	}
	io.Copy(h, strings.NewReader("abc"))
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982
}

func ExampleMAC128() {
	key := []byte("a key of 32 bytes, kept a secret")
	mac := blake2s.MAC128(key, []byte("message"))
	received := mac[:]

	want := blake2s.MAC128(key, []byte("message"))
	fmt.Println(subtle.ConstantTimeCompare(received, want[:]) == 1)
	// Output: true
}

func ExampleAppendSum() {
	var buf [64]byte
	digest, err := blake2s.AppendSum(buf[:0], blake2s.Size160, nil, []byte("abc"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", digest)
	// Output: 5ae3b99be29b01834c3b508521ede60438f8de17
}

func ExampleNewXOF() {
	x, err := blake2s.NewXOF(blake2s.OutputLengthUnknown, nil)
	if err != nil {
		panic(err)
	}
	io.WriteString(x, "abc")
	output := make([]byte, 40)
	io.ReadFull(x, output)
	fmt.Printf("%x\n", output)
	// Output: bf5c4f309fde8a62195bc8364ceea81e84eb9330579270c5737b9300085b61495576fef12a5cfa71
}
