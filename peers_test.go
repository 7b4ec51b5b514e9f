package ucrypt_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ucrypt"
	"ucrypt/internal/vectors"
)

// missing says what kept a test from running, which is a failure in CI.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	fmt.Println("not run:", t.Name()+":", what)
	t.Skip(what)
}

func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t *testing.T, d ucrypt.Driver, key []byte) *ucrypt.Skcipher {
	t.Helper()
	s, err := ucrypt.NewSkcipher(d.DriverName, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// RFC 3962 appendix B and RFC 8009 appendix A, "sample results for encryption":
// what Kerberos makes of a message, up to and with its HMAC.
func TestKerberos(t *testing.T) {
	const chicken = "636869636b656e207465726979616b69" // "chicken teriyaki"
	text := hex.EncodeToString([]byte("I would like the General Gau's Chicken, please, and wonton soup."))
	const ke128, ki128 = "9b197dd1e8c5609d6e67c3e37c62c72e", "9fda0e56ab2d85e1569a688696c26a6c"
	const ke256 = "56ab22bee63d82d7bc5227f6773f8ea7a5eb1c825160c38312980c442e5c7e49"
	const ki256 = "69b16514e3cd8e56b82010d5c73012b622c4d00ffc23ed1f"
	const message = "000102030405060708090a0b0c0d0e0f1011121314"
	answers := []struct {
		key, plaintext, ciphertext string // with the confounder
		ki, tag                    string // of RFC 8009
	}{
		{key: chicken, plaintext: text[:2*17], ciphertext: "c6353568f2bf8cb4d8a580362da7ff7f97"},
		{key: chicken, plaintext: text[:2*31], ciphertext: "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5"},
		{key: chicken, plaintext: text[:2*32], ciphertext: "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584"},
		{key: chicken, plaintext: text[:2*47], ciphertext: "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5"},
		{key: chicken, plaintext: text[:2*48], ciphertext: "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8"},
		{key: chicken, plaintext: text, ciphertext: "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8"},

		{ke128, "7e5895eaf2672435bad817f545a37148", "ef85fb890bb8472f4dab20394dca781d", ki128, "ad877eda39d50c870c0d5a0a8e48c718"},
		{ke128, "7bca285e2fd4130fb55b1a5c83bc5b24" + message[:2*6], "84d7f30754ed987bab0bf3506beb09cfb55402cef7e6", ki128, "877ce99e247e52d16ed4421dfdf8976c"},
		{ke128, "56ab21713ff62c0a1457200f6fa9948f" + message[:2*16], "3517d640f50ddc8ad3628722b3569d2ae07493fa8263254080ea65c1008e8fc2", ki128, "95fb4852e7d83e1e7c48c37eebe6b0d3"},
		{ke128, "a7a4e29a4728ce10664fb64e49ad3fac" + message, "720f73b18d9859cd6ccb4346115cd336c70f58edc0c4437c5573544c31c813bce1e6d072c1", ki128, "86b39a413c2f92ca9b8334a287ffcbfc"},

		{ke256, "f764e9fa15c276478b2c7d0c4e5f58e4", "41f53fa5bfe7026d91faf9be959195a0", ki256, "58707273a96a40f0a01960621ac612748b9bbfbe7eb4ce3c"},
		{ke256, "b80d3251c1f6471494256ffe712d0b9a" + message[:2*6], "4ed7b37c2bcac8f74f23c1cf07e62bc7b75fb3f637b9", ki256, "f559c7f664f69eab7b6092237526ea0d1f61cb20d69d10f2"},
		{ke256, "53bf8a0d105265d4e276428624ce5e63" + message[:2*16], "bc47ffec7998eb91e8115cf8d19dac4bbbe2e163e87dd37f49beca92027764f6", ki256, "8cf51f14d798c2273f35df574d1f932e40c4ff255b36a266"},
		{ke256, "763e65367e864f02f55153c7e3b58af1" + message, "40013e2df58e8751957d2878bcd2d6fe101ccfd556cb1eae79db3c3ee86429f2b2a602ac86", ki256, "fef6ecb647d6295fae077a1feb517508d2c16b4192e01f62"},
	}
	driversOf(t, "cts(cbc(aes))", func(t *testing.T, d ucrypt.Driver) {
		iv := make([]byte, 16)
		for i, a := range answers {
			s := open(t, d, unhex(t, a.key))
			plaintext, ciphertext := unhex(t, a.plaintext), unhex(t, a.ciphertext)
			what := fmt.Sprintf("answer %d, %d bytes", i, len(plaintext))
			check(t, what, s, true, plaintext, iv, ciphertext, iv)
			check(t, what, s, false, ciphertext, iv, plaintext, iv)
			if a.ki == "" {
				continue
			}
			out := make([]byte, len(plaintext))
			if err := s.Encrypt(out, plaintext, bytes.Clone(iv)); err != nil {
				t.Fatal(err)
			}
			newHash, size := sha256.New, 16
			if len(a.tag) == 2*24 {
				newHash, size = func() hash.Hash { return sha512.New384() }, 24
			}
			h := hmac.New(newHash, unhex(t, a.ki))
			h.Write(iv)
			h.Write(out)
			if got := hex.EncodeToString(h.Sum(nil)[:size]); got != a.tag {
				t.Errorf("%s: HMAC %s, want %s", what, got, a.tag)
			}
		}
	})
}

// fscryptName pads a file name as fscrypt does: with zeros to a multiple of
// padding, at least 16 bytes and at most the 255 that a name may have.
func fscryptName(name string, padding int) []byte {
	n := (max(len(name), 16) + padding - 1) / padding * padding
	return append([]byte(name), make([]byte, min(n, 255)-len(name))...)
}

// fscryptNames are names that fscrypt's AES-256-CBC-CTS encrypts with a zero iv,
// under the key 00 01 … 1f. The answers were made with libgcrypt 1.10.1 and are
// those of pyca/cryptography 48.0.0's CBC with the last two blocks swapped.
var fscryptNames = []struct {
	name    string
	padding int
	answer  string // or its SHA-256
}{
	{"a", 16, "e707eededc2aa45b8a0fe8dde043c4b5"},
	{"a", 32, "584891ba8d4d0325dd3371bf1a48b2f6e707eededc2aa45b8a0fe8dde043c4b5"},
	{"notes.txt", 16, "062dcf38c45126a34f13481c5047afb4"},
	{"sixteen-bytes.md", 16, "c9e650a91561f60d638b4f4ec99f8bf7"},
	{"seventeen-byte.md", 16, "85d9fe7362d95ad5a18b9a9867822837d0b79adc5c80a7edc7a44ef5e855b7fe"},
	{"seventeen-byte.md", 32, "85d9fe7362d95ad5a18b9a9867822837d0b79adc5c80a7edc7a44ef5e855b7fe"},
	{"Grüße aus Köln, 2026.odt", 32, "23583905c8783c435afe2dcfd1d39c20600b14b0f6a95de1e2d24ae716570bad"},
	{strings.Repeat("x", 250), 32, "sha256 a7d2fde086b64da994a02ad90538a5b7cc1ba69341741d032ccf1b13bd8ae875"},
}

// TestFscrypt encrypts what the kernel's fscrypt encrypts: file names, and the
// contents of files a data unit at a time.
func TestFscrypt(t *testing.T) {
	driversOf(t, "cts(cbc(aes))", func(t *testing.T, d ucrypt.Driver) {
		key, iv := make([]byte, 32), make([]byte, 16)
		for i := range key {
			key[i] = byte(i)
		}
		s := open(t, d, key)
		for _, n := range fscryptNames {
			padded := fscryptName(n.name, n.padding)
			secret := make([]byte, len(padded))
			if err := s.Encrypt(secret, padded, iv); err != nil {
				t.Fatal(err)
			}
			got := hex.EncodeToString(secret)
			if len(secret) > 64 {
				sum := sha256.Sum256(secret)
				got = "sha256 " + hex.EncodeToString(sum[:])
			}
			if got != n.answer {
				t.Errorf("%q padded to %d: %s, want %s", n.name, n.padding, got, n.answer)
			}
			check(t, n.name, s, false, secret, iv, padded, iv)
		}
		// The vectors that have the form of a name.
		f, err := vectors.For(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range f.Tests {
			v := &f.Tests[i]
			if v.Valid() && len(v.Key) == 32 && bytes.Equal(v.IV, iv) && len(v.Plaintext)%16 == 0 {
				found++
				check(t, v.ID, open(t, d, v.Key), true, v.Plaintext, iv, v.Ciphertext, iv)
			}
		}
		if found == 0 {
			t.Error("no vector has the form of a name")
		}
	})
	driversOf(t, "xts(aes)", func(t *testing.T, d ucrypt.Driver) {
		// The vectors that have the form of a data unit: the iv is a number of 64 bits.
		f, err := vectors.For(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range f.Tests {
			v := &f.Tests[i]
			if !v.Valid() || len(v.Key) != 64 || !bytes.Equal(v.IV[8:], make([]byte, 8)) {
				continue
			}
			found++
			s := open(t, d, v.Key)
			checkUnits(t, v.ID, s, v.Plaintext, v.Ciphertext, len(v.Plaintext), number(v.IV))
		}
		if found == 0 {
			t.Error("no vector has the form of a data unit")
		}
		// A file's data units have the ivs 0, 1, 2 and so on, whether they go in one
		// call or each in its own.
		const unit, units = 4096, 5
		s := open(t, d, random(1, 64))
		contents := random(2, unit*units)
		want := make([]byte, len(contents))
		for i := range units {
			iv := make([]byte, 16)
			iv[0] = byte(i)
			if err := s.Encrypt(want[i*unit:][:unit], contents[i*unit:][:unit], iv); err != nil {
				t.Fatal(err)
			}
		}
		checkUnits(t, "contents", s, contents, want, unit, 0)
	})
}

// number is the little-endian number at the start of an iv.
func number(iv []byte) (n uint64) {
	for i, b := range iv[:8] {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func checkUnits(t *testing.T, what string, s *ucrypt.Skcipher, plaintext, ciphertext []byte, unitSize int, first uint64) {
	t.Helper()
	out := make([]byte, len(plaintext))
	if err := s.EncryptUnits(out, plaintext, unitSize, first); err != nil || !bytes.Equal(out, ciphertext) {
		t.Errorf("%s: wrong ciphertext (%v)", what, err)
	}
	copy(out, ciphertext)
	if err := s.DecryptUnits(out, out, unitSize, first); err != nil || !bytes.Equal(out, plaintext) {
		t.Errorf("%s: wrong plaintext (%v)", what, err)
	}
}

// TestOpenSSLCBC: every driver of cbc gives what Debian's openssl gives.
func TestOpenSSLCBC(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		missing(t, "openssl is not installed")
	}
	lengths := []int{0, 16, 32, 64, 112, 128, 240, 256, 272, 1008, 4096, 16<<10 + 16, 64<<10 + 32}
	if testing.Short() {
		lengths = []int{16, 272, 4096}
	}
	type answer struct{ key, iv, plaintext, ciphertext []byte }
	var answers []answer
	for _, keySize := range []int{16, 24, 32} {
		for i, n := range lengths {
			a := answer{key: random(byte(i), keySize), iv: random(byte(i+50), 16), plaintext: random(byte(i+100), n)}
			c := exec.Command("openssl", "enc", "-e", fmt.Sprintf("-aes-%d-cbc", 8*keySize), "-nopad",
				"-K", hex.EncodeToString(a.key), "-iv", hex.EncodeToString(a.iv))
			c.Stdin = bytes.NewReader(a.plaintext)
			out, err := c.Output()
			if err != nil || len(out) != n {
				t.Fatalf("openssl: %v, %d bytes", err, len(out))
			}
			a.ciphertext = out
			answers = append(answers, a)
		}
	}
	driversOf(t, "cbc(aes)", func(t *testing.T, d ucrypt.Driver) {
		for _, a := range answers {
			next := a.iv
			if n := len(a.ciphertext); n > 0 {
				next = a.ciphertext[n-16:]
			}
			s, what := open(t, d, a.key), fmt.Sprintf("key of %d bytes, %d bytes", len(a.key), len(a.plaintext))
			check(t, what, s, true, a.plaintext, a.iv, a.ciphertext, next)
			check(t, what, s, false, a.ciphertext, a.iv, a.plaintext, next)
		}
	})
}

// buildLibgcrypt builds the program that asks libgcrypt.
func buildLibgcrypt(t *testing.T) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		missing(t, "gcc is not installed")
	}
	c := exec.Command(gcc, "-E", "-")
	c.Stdin = strings.NewReader("#include <gcrypt.h>\n")
	if err := c.Run(); err != nil {
		missing(t, "libgcrypt's header is not installed (Debian: libgcrypt20-dev)")
	}
	exe := filepath.Join(t.TempDir(), "libgcrypt")
	if out, err := exec.Command(gcc, "-O1", "-Wall", "-o", exe, "testdata/peers/libgcrypt.c", "-lgcrypt").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// startLibgcrypt returns what asks libgcrypt about a message.
func startLibgcrypt(t *testing.T) (ask func(cipher, mode, op string, key, iv, text []byte) []byte) {
	t.Helper()
	query := queryLibgcrypt(t)
	return func(cipher, mode, op string, key, iv, text []byte) []byte {
		t.Helper()
		answer := query(fmt.Sprintf("%s %s %s %x %x %s", cipher, mode, op, key, iv, orDash(text)))
		if len(answer) != len(text) {
			t.Fatalf("libgcrypt, %s of %d bytes with a key of %d: %d bytes", mode, len(text), len(key), len(answer))
		}
		return answer
	}
}

// queryLibgcrypt returns what sends a line to libgcrypt's program and returns its answer.
func queryLibgcrypt(t *testing.T) (query func(line string) []byte) {
	t.Helper()
	c := exec.Command(buildLibgcrypt(t), "messages")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); c.Wait() })
	// A goroutine writes, since an answer may be longer than a pipe holds.
	lines := bufio.NewReader(out)
	return func(query string) []byte {
		t.Helper()
		go fmt.Fprintln(in, query)
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		answer, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("libgcrypt, %.60s…: %s", query, line)
		}
		return answer
	}
}

func orDash(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	return hex.EncodeToString(b)
}

// TestLibgcrypt: every driver of cbc, cts and xts gives what libgcrypt gives.
func TestLibgcrypt(t *testing.T) {
	ask := startLibgcrypt(t)
	for _, algorithm := range []struct {
		name, cipher, mode string
		keySizes           []int
		step               int // between lengths, which begin at 16
	}{
		{"cbc(aes)", "aes", "cbc", []int{16, 24, 32}, 16},
		{"cts(cbc(aes))", "aes", "cts", []int{16, 24, 32}, 1},
		{"xts(aes)", "aes", "xts", []int{32, 64}, 1},
		{"cbc(sm4)", "sm4", "cbc", []int{16}, 16},
		{"cts(cbc(sm4))", "sm4", "cts", []int{16}, 1},
		{"xts(sm4)", "sm4", "xts", []int{32}, 1},
	} {
		var lengths []int
		for n := 16; n <= 320; n += algorithm.step {
			if !testing.Short() || algorithm.step == 16 || n%7 == 0 {
				lengths = append(lengths, n)
			}
		}
		for _, n := range []int{512, 4096, 16<<10 + 16, 64<<10 + 16, 64<<10 + 32, 129 << 10} {
			lengths = append(lengths, n)
			if algorithm.step == 1 {
				lengths = append(lengths, n-1, n+1)
			}
		}
		type answer struct{ key, iv, text, encrypted, decrypted []byte }
		var answers []answer
		for _, keySize := range algorithm.keySizes {
			for i, n := range lengths {
				a := answer{key: random(byte(i), keySize), iv: random(byte(i+50), 16), text: random(byte(i+100), n)}
				a.encrypted = ask(algorithm.cipher, algorithm.mode, "enc", a.key, a.iv, a.text)
				a.decrypted = ask(algorithm.cipher, algorithm.mode, "dec", a.key, a.iv, a.text)
				answers = append(answers, a)
			}
		}
		driversOf(t, algorithm.name, func(t *testing.T, d ucrypt.Driver) {
			for _, a := range answers {
				s, what := open(t, d, a.key), fmt.Sprintf("key of %d bytes, %d bytes", len(a.key), len(a.text))
				check(t, what, s, true, a.text, a.iv, a.encrypted, nil)
				check(t, what, s, false, a.text, a.iv, a.decrypted, nil)
			}
		})
	}
}

// An image is what a plain dm-crypt device holds: sectors of 512 bytes, the
// first of which has the number 0, in aes-xts-plain64.
const (
	imageSector  = 512
	imageSectors = 4096
)

// readImage lets libgcrypt decrypt an image a sector at a time.
func readImage(t *testing.T, exe string, image io.Reader, key []byte, first uint64) []byte {
	t.Helper()
	c := exec.Command(exe, "sectors", "aes", hex.EncodeToString(key), strconv.Itoa(imageSector), strconv.FormatUint(first, 10))
	c.Stdin, c.Stderr = image, os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDMCryptImage: libgcrypt reads the image that every driver of xts writes.
func TestDMCryptImage(t *testing.T) {
	exe := buildLibgcrypt(t)
	sectors := imageSectors
	if testing.Short() {
		sectors /= 16
	}
	disk := random(3, sectors*imageSector)
	driversOf(t, "xts(aes)", func(t *testing.T, d ucrypt.Driver) {
		for _, keySize := range []int{32, 64} {
			for _, first := range []uint64{0, 1<<32 - 10} { // the second goes over what plain32 has
				key, image := random(4, keySize), make([]byte, len(disk))
				if err := open(t, d, key).EncryptUnits(image, disk, imageSector, first); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(readImage(t, exe, bytes.NewReader(image), key, first), disk) {
					t.Errorf("key of %d bytes, sectors from %d on: libgcrypt reads something else", keySize, first)
				}
				if err := open(t, d, key).DecryptUnits(image, image, imageSector, first); err != nil || !bytes.Equal(image, disk) {
					t.Errorf("key of %d bytes, sectors from %d on: wrong plaintext (%v)", keySize, first, err)
				}
			}
		}
	})
}

// TestDMCryptCommand: so it does with the image that the command writes.
func TestDMCryptCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	exe := buildLibgcrypt(t)
	folder := t.TempDir()
	command := filepath.Join(folder, "ucrypt")
	if out, err := exec.Command("go", "build", "-o", command, "./cmd/ucrypt").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	disk := random(3, imageSectors*imageSector)
	key := random(4, 64)
	plain, keyFile, image, back := filepath.Join(folder, "plain"), filepath.Join(folder, "key"), filepath.Join(folder, "image"), filepath.Join(folder, "back")
	for name, data := range map[string][]byte{plain: disk, keyFile: key} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"enc", "-i", plain, "-o", image}, {"dec", "-i", image, "-o", back}} {
		c := exec.Command(command, append(args, "-c", "xts(aes)", "--key-file", keyFile, "--sector-size", "512", "--first-sector", "0")...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	f, err := os.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !bytes.Equal(readImage(t, exe, f, key, 0), disk) {
		t.Error("libgcrypt reads something else")
	}
	if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, disk) {
		t.Errorf("dec does not undo enc (%v)", err)
	}
}
