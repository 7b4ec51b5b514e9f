package ucrypt_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"crypto/fips140"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ucrypt"
	"ucrypt/aes"
	"ucrypt/modes"
	"ucrypt/sm4"
)

// usableVariable tells the test's second process which drivers the first can use.
const usableVariable = "UCRYPT_TEST_USABLE"

// TestFIPS140Only runs itself again with GODEBUG=fips140=only, which makes
// crypto/cipher refuse other ciphers than AES and other hashes than SHA-2 and
// SHA-3. Every driver must be there as it is without, and give the same answers,
// except that one which only wraps the standard library may be unavailable.
func TestFIPS140Only(t *testing.T) {
	if list := os.Getenv(usableVariable); list != "" {
		testFIPS140Only(t, strings.Split(list, "\n"))
		return
	}
	var usable []string
	for _, d := range ucrypt.Drivers() {
		if _, err := ucrypt.Lookup(d.DriverName); err == nil {
			usable = append(usable, d.DriverName)
		}
	}
	again := func(args ...string) ([]byte, error) {
		c := exec.Command(os.Args[0], args...)
		c.Env = append(os.Environ(), "GODEBUG=fips140=only", usableVariable+"="+strings.Join(usable, "\n"))
		return c.CombinedOutput()
	}
	if out, err := again("-test.run=^$"); err != nil {
		t.Skipf("this build has no FIPS 140-3 mode: %v\n%s", err, out)
	}
	out, err := again("-test.run=^(TestFIPS140Only|TestKernelVectors|TestKerberos)$", "-test.v")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("--- PASS: TestFIPS140Only")) || !bytes.Contains(out, []byte("--- PASS: TestKernelVectors")) {
		t.Fatalf("the second process did not run its tests:\n%s", out)
	}
}

func testFIPS140Only(t *testing.T, usable []string) {
	if !fips140.Enforced() {
		t.Fatal("GODEBUG=fips140=only is not in force")
	}
	for _, d := range ucrypt.Drivers() {
		_, err := ucrypt.Lookup(d.DriverName)
		was := slices.Contains(usable, d.DriverName)
		wraps := strings.Contains(d.DriverName, "-go")
		switch {
		case err == nil && !was:
			t.Errorf("%s is usable here only", d.DriverName)
		case err != nil && was && !wraps:
			t.Errorf("%s: %v", d.DriverName, err)
		case err != nil && was:
			t.Logf("%s: %v", d.DriverName, err)
		}
	}
	for name, newCipher := range map[string]func([]byte) (cipher.Block, error){"sm4": sm4.NewCipher, "aes": aes.NewCipher} {
		testFIPS140Block(t, name, newCipher)
	}
}

// testFIPS140Block: what the packages of the ciphers say about crypto/cipher, and that
// package modes does without it.
func testFIPS140Block(t *testing.T, name string, newCipher func([]byte) (cipher.Block, error)) {
	key, iv, buf := make([]byte, 32), make([]byte, 16), make([]byte, 64)
	b, err := newCipher(key[:16])
	if err != nil {
		t.Fatal(err)
	}
	refuses := func(what string, f func()) {
		defer func() {
			if recover() == nil && reflect.TypeOf(b) != stdBlockType {
				t.Errorf("%s over %s is not refused", what, name)
			}
		}()
		f()
	}
	refuses("cipher.NewCTR", func() { cipher.NewCTR(b, iv) })
	refuses("cipher.NewCBCEncrypter", func() { cipher.NewCBCEncrypter(b, iv) })
	refuses("cipher.NewCBCDecrypter", func() { cipher.NewCBCDecrypter(b, iv) })
	if _, err := cipher.NewGCM(b); err == nil {
		t.Errorf("cipher.NewGCM over %s is not refused", name)
	}
	for _, tagSize := range []int{12, 16} {
		for what, newAEAD := range map[string]func(cipher.Block, int, int) (cipher.AEAD, error){"GCM": modes.NewGCM, "CCM": modes.NewCCM} {
			a, err := newAEAD(b, 12, tagSize)
			if err != nil {
				t.Errorf("%s over %s: %v", what, name, err)
				continue
			}
			if _, err := a.Open(nil, iv[:12], a.Seal(nil, iv[:12], buf, iv), iv); err != nil {
				t.Errorf("%s over %s: %v", what, name, err)
			}
		}
	}
	if _, err := modes.NewGCMWithRandomNonce(b); err != nil {
		t.Errorf("GCM with random nonces over %s: %v", name, err)
	}
	modes.NewECBEncrypter(b).CryptBlocks(buf, buf)
	modes.NewCFBEncrypter(b, iv).XORKeyStream(buf, buf)
	modes.NewCTS(b).Encrypt(buf, buf, iv)
	modes.NewCMAC(b).Write(buf)
	x, err := modes.NewXTS(newCipher, key)
	if err != nil {
		t.Fatal(err)
	}
	x.Encrypt(buf, buf, 0)
	if _, err := modes.NewXCBC(newCipher, key[:16]); err != nil {
		t.Error(err)
	}
}

// stdBlockType is that of crypto/aes's block, which aes.NewCipher returns where it has
// nothing faster.
var stdBlockType = func() reflect.Type {
	b, err := stdaes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	return reflect.TypeOf(b)
}()
