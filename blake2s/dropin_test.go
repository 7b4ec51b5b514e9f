package blake2s_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The programs that this package must serve unchanged, at the versions that
// were tried.
const (
	xcrypto   = "golang.org/x/crypto@v0.59.0"
	wireguard = "golang.zx2c4.com/wireguard@v0.0.0-20260522210424-ecfc5a8d5446"
)

// missing skips the test with one line, or fails it where everything must run.
func missing(t *testing.T, what string, err error) {
	t.Helper()
	text, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s: %s", what, text)
	}
	t.Skipf("not run: %s: %s", what, text)
}

// fetch downloads a module, unless it is there already, and returns its folder.
func fetch(t *testing.T, module string) string {
	t.Helper()
	if testing.Short() || os.Getenv("UCRYPT_EMULATED") == "1" {
		t.Skip("not run: builds and runs another module's tests")
	}
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // outside of this module
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if json.Unmarshal(out, &answer) == nil && answer.Error != "" {
		err = errorString(answer.Error)
	}
	if err != nil {
		missing(t, "tests of "+module, err)
	}
	return answer.Dir
}

type errorString string

func (e errorString) Error() string { return string(e) }

// goTest runs go test in dir, as part of the named check.
func goTest(t *testing.T, what, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-vet=off"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	for _, sign := range []string{"dial tcp", "module lookup disabled"} {
		if err != nil && strings.Contains(string(out), sign) {
			missing(t, what, errorString("modules that it needs cannot be fetched"))
		}
	}
	if err != nil {
		t.Errorf("go test %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	t.Logf("%s", out)
}

// TestXCrypto runs golang.org/x/crypto/blake2s's own test file on this package.
// The three switches that it turns off and on choose among that package's
// assembly, and mean nothing here.
func TestXCrypto(t *testing.T) {
	dir := fetch(t, xcrypto)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	switches := filepath.Join(t.TempDir(), "switches_test.go")
	if err := os.WriteFile(switches, []byte("package blake2s\n\nvar useSSE4, useSSSE3, useSSE2 = true, true, true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{
		filepath.Join(here, "xcrypto_test.go"):  filepath.Join(dir, "blake2s", "blake2s_test.go"),
		filepath.Join(here, "switches_test.go"): switches,
	}
	ours, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ours {
		replace[filepath.Join(here, name)] = "" // is left out
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	goTest(t, "tests of "+xcrypto, here, "-overlay", overlay, "-run", "^(TestHashes|TestHashes2X|TestMarshal)$", "-bench", ".", "-benchtime", "1x", ".")
}

// TestXCryptoState: states go from one package to the other, and are the same
// byte for byte.
func TestXCryptoState(t *testing.T) {
	fetch(t, xcrypto)
	dir := t.TempDir()
	files := map[string]string{"state_test.go": stateTest}
	writeModule(t, dir, files, "-require="+xcrypto)
	goTest(t, "states of "+xcrypto, dir, "-mod=mod", ".")
}

const stateTest = `package state

import (
	"bytes"
	"encoding"
	"testing"

	"golang.org/x/crypto/blake2s"
	ours "ucrypt/blake2s"
)

func TestState(t *testing.T) {
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(i * i)
	}
	for a := range data {
		g, _ := blake2s.New256(nil)
		h, _ := ours.New256(nil)
		for _, p := range [][]byte{data[:a/3], data[a/3 : a]} {
			g.Write(p)
			h.Write(p)
		}
		gs, err := g.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		hs, err := h.(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil || !bytes.Equal(gs, hs) {
			t.Fatalf("%d bytes: %x, %v, want %x", a, hs, err, gs)
		}
		if err := g.(encoding.BinaryUnmarshaler).UnmarshalBinary(hs); err != nil {
			t.Fatal(err)
		}
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(gs); err != nil {
			t.Fatal(err)
		}
		g.Write(data[a:])
		h.Write(data[a:])
		if !bytes.Equal(g.Sum(nil), h.Sum(nil)) {
			t.Fatalf("%d bytes: %x, want %x", a, h.Sum(nil), g.Sum(nil))
		}
	}
}
`

// writeModule makes a module of files that uses this one.
func writeModule(t *testing.T, dir string, files map[string]string, edits ...string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module other\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"mod", "edit", "-go=1.26", "-require=ucrypt@v0.0.0", "-replace=ucrypt=" + root}, edits...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go mod edit: %v\n%s", err, out)
	}
}

// TestWireGuard runs wireguard-go's device tests, handshakes included, with its
// imports of golang.org/x/crypto/blake2s replaced.
func TestWireGuard(t *testing.T) {
	source := fetch(t, wireguard)
	dir := t.TempDir()
	replaced := 0
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(dir, name), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".go" {
			changed := strings.ReplaceAll(string(text), `"golang.org/x/crypto/blake2s"`, `"ucrypt/blake2s"`)
			if changed != string(text) {
				replaced++
			}
			text = []byte(changed)
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if replaced != 4 {
		t.Errorf("%d files import blake2s, expected 4", replaced)
	}
	writeModule(t, dir, nil)
	goTest(t, "tests of "+wireguard, dir, "-mod=mod", "./device")
}
