package aescts

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const gokrb5 = "github.com/jcmturner/gokrb5/v8@v8.4.4"

// TestGokrb5 runs gokrb5's own crypto tests, which hold the answers of RFC 3962
// and RFC 8009, on this package: two replace lines in a copy of the module.
func TestGokrb5(t *testing.T) {
	if testing.Short() {
		t.Skip("fetches and builds gokrb5")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		missing(t, "the go command is not here")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(args ...string) ([]byte, error) {
		c := exec.Command(goTool, args...)
		c.Dir = folder
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		return c.CombinedOutput()
	}
	out, err := run("mod", "download", "-json", gokrb5)
	var module struct{ Dir, Error string }
	if json.Unmarshal(out, &module) != nil || err != nil {
		missing(t, "cannot fetch "+gokrb5)
	}
	if err := os.CopyFS(folder, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "go.mod")
	if err := os.Chmod(name, 0o666); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines = fmt.Appendf(lines, "\nreplace github.com/jcmturner/aescts/v2 => %q\nreplace ucrypt => %q\n", here, filepath.Dir(here))
	if err := os.WriteFile(name, lines, 0o666); err != nil {
		t.Fatal(err)
	}
	// What gokrb5 needs besides: fetching is not what is tested.
	if out, err := run("list", "-deps", "-test", "./crypto/..."); err != nil {
		t.Logf("%s", out)
		missing(t, "cannot fetch the modules that "+gokrb5+" needs")
	}
	out, err = run("list", "-m", "-f", "{{.Dir}}", "github.com/jcmturner/aescts/v2")
	if err != nil || strings.TrimSpace(string(out)) != here {
		t.Fatalf("gokrb5 is not built with this package but with %s (%v)", out, err)
	}
	out, err = run("test", "-count=1", "./crypto/...")
	if err != nil {
		t.Fatalf("gokrb5's tests fail: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "ok  \tgithub.com/jcmturner/gokrb5/v8/crypto\t") {
		t.Fatalf("gokrb5's tests did not run:\n%s", out)
	}
}

// missing says what kept a test from running, which is a failure in CI.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	fmt.Println("not run:", t.Name()+":", what)
	t.Skip(what)
}
