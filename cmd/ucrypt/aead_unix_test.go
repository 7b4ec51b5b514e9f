//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUncheckedIsHidden: while dec works, nobody but the owner can read what has no
// right tag yet, and nothing has the name of the output. Nothing is left after a wrong
// tag, nor after a signal.
func TestUncheckedIsHidden(t *testing.T) {
	needCommand(t)
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	args := []string{"-c", "gcm(sm4)", "--key=" + testKey, "--iv=000102030405060708090a0b"}
	plain := randomBytes(3 * chunkSize)
	secret := commandOutput(t, plain, "ucrypt", append([]string{"enc"}, args...)...)
	for _, end := range []string{"right", "wrong", "signal"} {
		run := exec.Command("sh", append([]string{"-c", `umask 027; exec ucrypt dec -o "$0" "$@"`, out}, args...)...)
		stdin, err := run.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var messages bytes.Buffer
		run.Stderr = &messages
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write(secret[:2*chunkSize]); err != nil {
			t.Fatal(err)
		}
		var info os.FileInfo
		for deadline := time.Now().Add(20 * time.Second); info == nil || info.Size() == 0; time.Sleep(time.Millisecond) {
			if files, _ := filepath.Glob(filepath.Join(folder, ".ucrypt-*.tmp")); len(files) == 1 {
				info, _ = os.Stat(files[0])
			}
			if time.Now().After(deadline) {
				t.Fatalf("no temporary file: %s", &messages)
			}
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("temporary file with mode %o", info.Mode().Perm())
		}
		if _, err := os.Lstat(out); !os.IsNotExist(err) {
			t.Errorf("the output is there before its tag was checked (%v)", err)
		}
		switch rest := bytes.Clone(secret[2*chunkSize:]); end {
		case "signal":
			err = run.Process.Signal(syscall.SIGTERM)
		case "wrong":
			rest[len(rest)-1] ^= 1
			fallthrough
		default:
			_, err = stdin.Write(rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		if end != "signal" {
			stdin.Close()
		}
		err = run.Wait()
		names, _ := filepath.Glob(filepath.Join(folder, ".*"))
		if len(names) > 0 {
			t.Errorf("%s: %v is left", end, names)
		}
		if end == "right" {
			info, statErr := os.Stat(out)
			if err != nil || statErr != nil || info.Mode().Perm() != 0o640 {
				t.Fatalf("%v, %v: %s", err, statErr, &messages)
			}
			if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("other plaintext (%v)", err)
			}
			os.Remove(out)
			continue
		}
		want := map[string]string{"wrong": "ucrypt dec: authentication failed: ", "signal": "ucrypt dec: stopped by signal: terminated\n"}[end]
		if run.ProcessState.ExitCode() != 1 || strings.Count(messages.String(), "\n") != 1 || !strings.HasPrefix(messages.String(), want) {
			t.Errorf("%s: %v: %q", end, err, messages.String())
		}
		if _, err := os.Lstat(out); !os.IsNotExist(err) {
			t.Errorf("%s: there is an output (%v)", end, err)
		}
	}
}
