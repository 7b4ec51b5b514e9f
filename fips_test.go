package ucrypt_test

import (
	"bytes"
	"crypto/fips140"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ucrypt"
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
}
