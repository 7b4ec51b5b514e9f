package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ucrypt/internal/sm4"
)

func TestMain(m *testing.M) {
	// Under the race detector each run of the command would sleep a second at its end.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	testscript.Main(m, map[string]func(){
		"ucrypt": main,
		// The command with a driver whose self-test fails.
		"ucrypt-broken": func() {
			sm4.SetFault(sm4.Generic)
			main()
		},
	})
}

// needCommand skips a test that starts the command where that cannot be done:
// an emulator started by hand does not start what its program starts.
func needCommand(t *testing.T) {
	t.Helper()
	err := exec.Command("ucrypt", "version").Run()
	if err != nil && os.Getenv("UCRYPT_EMULATED") == "1" {
		t.Skipf("the emulated command cannot be started from here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestScript(t *testing.T) {
	needCommand(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("KEY", "0123456789abcdeffedcba9876543210")
			e.Setenv("IV", "000102030405060708090a0b0c0d0e0f")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": scriptStatus,
			"bytes":  scriptBytes,
			"unhex":  scriptUnhex,
			"folder": scriptFolder,
			"perm":   scriptPerm,
		},
	})
}

// status N COMMAND… runs a command whose exit status must be N and, if N is not
// 0, whose standard error must be one line that begins with the verb.
func scriptStatus(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	message := ts.ReadFile("stderr")
	if got != 0 && args[1] == "ucrypt" && (strings.Count(message, "\n") != 1 || !strings.HasPrefix(message, "ucrypt")) {
		ts.Fatalf("standard error is not one line that begins with the command's name: %q", message)
	}
}

// bytes FILE N writes N random bytes that are the same in every run.
func scriptBytes(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), randomBytes(n), 0o666))
}

// unhex FILE HEX writes bytes that are given in hex.
func scriptUnhex(ts *testscript.TestScript, _ bool, args []string) {
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// folder NAME FILE… fails if the folder holds anything else than these files.
func scriptFolder(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), strings.Join(args[1:], " "); got != want {
		ts.Fatalf("%s holds %q, want %q", args[0], got, want)
	}
}

// perm FILE MODE fails if the file's permission bits differ.
func scriptPerm(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("mode of %s is %s, want %s", args[0], got, args[1])
	}
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{'u'}).Read(b)
	return b
}

// missing reports a check that cannot run here: a failure in CI, which has to
// have everything.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	fmt.Println("not run:", t.Name()+":", what)
	t.Skip(what)
}

// commandOutput runs the command and returns its standard output.
func commandOutput(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Stdin = bytes.NewReader(stdin)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out
}
