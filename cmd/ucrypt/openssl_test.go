package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	testKey = "0123456789abcdeffedcba9876543210"
	testIV  = "fffffffffffffffffffffffffffffffe" // ctr wraps at once
)

// TestOpenSSL compares enc and dec with "openssl enc" byte for byte, both ways,
// through pipes and through files.
func TestOpenSSL(t *testing.T) {
	needCommand(t)
	if _, err := exec.LookPath("openssl"); err != nil {
		missing(t, "openssl is not installed")
	}
	if ciphers, _ := exec.Command("openssl", "enc", "-list").Output(); !bytes.Contains(ciphers, []byte("-sm4-ctr")) {
		missing(t, "this openssl has no sm4")
	}
	lengths := []int{0, 1, 15, 16, 17, 4095, 1<<20 + 3}
	if testing.Short() { // as under the race detector, where each run takes long
		lengths = []int{16, 1<<20 + 3}
	}
	for _, mode := range []string{"ecb", "cbc", "cfb", "ctr"} {
		for _, n := range lengths {
			plain := randomBytes(n)
			openssl := []string{"enc", "-sm4-" + mode, "-K", testKey}
			flags := []string{"-c", mode + "(sm4)", "--key", testKey}
			if mode != "ecb" {
				openssl = append(openssl, "-iv", testIV)
				flags = append(flags, "--iv", testIV)
			}
			secret := commandOutput(t, plain, "openssl", openssl...)
			if got := commandOutput(t, plain, "ucrypt", append([]string{"enc"}, flags...)...); !bytes.Equal(got, secret) {
				t.Fatalf("%s, %d bytes: enc differs from openssl", mode, n)
			}
			if got := commandOutput(t, secret, "ucrypt", append([]string{"dec"}, flags...)...); !bytes.Equal(got, plain) {
				t.Fatalf("%s, %d bytes: dec does not undo openssl", mode, n)
			}
			if got := commandOutput(t, secret, "openssl", append(openssl, "-d")...); !bytes.Equal(got, plain) {
				t.Fatalf("%s, %d bytes: openssl does not undo enc", mode, n)
			}
			in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(in, plain, 0o666); err != nil {
				t.Fatal(err)
			}
			commandOutput(t, nil, "ucrypt", append([]string{"enc", "-i", in, "-o", out}, flags...)...)
			if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, secret) {
				t.Fatalf("%s, %d bytes: enc into a file differs from openssl (%v)", mode, n, err)
			}
			if n%16 != 0 || mode == "cfb" || mode == "ctr" {
				continue
			}
			bare := commandOutput(t, plain, "openssl", append(openssl, "-nopad")...)
			if got := commandOutput(t, plain, "ucrypt", append([]string{"enc", "--nopad"}, flags...)...); !bytes.Equal(got, bare) {
				t.Fatalf("%s, %d bytes: enc --nopad differs from openssl", mode, n)
			}
			if got := commandOutput(t, bare, "ucrypt", append([]string{"dec", "--nopad"}, flags...)...); !bytes.Equal(got, plain) {
				t.Fatalf("%s, %d bytes: dec --nopad does not undo openssl", mode, n)
			}
		}
	}
}

// TestLarge streams 300 MiB through enc and dec, which must take little memory,
// and in CI compares them with openssl as well, which is slower.
func TestLarge(t *testing.T) {
	needCommand(t)
	if testing.Short() {
		t.Skip("300 MiB take a while")
	}
	const size, memory = 300<<20 + 3, 64 << 20
	modes := []string{"ctr"}
	if os.Getenv("CI") == "true" {
		modes = []string{"ctr", "cbc", "ecb", "cfb"}
	}
	for _, mode := range modes {
		flags := []string{"-c", mode + "(sm4)", "--key", testKey}
		openssl := []string{"enc", "-sm4-" + mode, "-K", testKey}
		if mode != "ecb" {
			openssl = append(openssl, "-iv", testIV)
			flags = append(flags, "--iv", testIV)
		}
		folder := t.TempDir()
		plain, secret, back := filepath.Join(folder, "plain"), filepath.Join(folder, "secret"), filepath.Join(folder, "back")
		want := writeRandom(t, plain, size)
		for _, args := range [][]string{{"enc", "-i", plain, "-o", secret}, {"dec", "-i", secret, "-o", back}} {
			c := exec.Command("ucrypt", append(args, flags...)...)
			c.Stderr = os.Stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			used := watchMemory(c.Process.Pid)
			if err := c.Wait(); err != nil {
				t.Fatalf("%s %s: %v", mode, args[0], err)
			}
			if n := used(); n > memory || n == 0 && runtime.GOOS == "linux" {
				t.Errorf("%s %s took %d MiB of memory, want at most %d", mode, args[0], n>>20, memory>>20)
			}
		}
		if fileSum(t, back) != want {
			t.Fatalf("%s: dec does not undo enc", mode)
		}
		if len(modes) == 1 {
			continue
		}
		if _, err := exec.LookPath("openssl"); err != nil {
			missing(t, "openssl is not installed")
		}
		if streamSum(t, plain, "openssl", openssl...) != fileSum(t, secret) {
			t.Fatalf("%s: enc differs from openssl", mode)
		}
		if streamSum(t, plain, "ucrypt", append([]string{"enc"}, flags...)...) != fileSum(t, secret) {
			t.Fatalf("%s: enc of a stream differs from enc of a file", mode)
		}
		if streamSum(t, secret, "openssl", append(openssl, "-d")...) != want {
			t.Fatalf("%s: openssl does not undo enc", mode)
		}
	}
}

// watchMemory looks again and again how much memory a process has had so far,
// until it ends; used returns the last answer in bytes, 0 where /proc does not say.
// (The figure that wait gives is no less than what the test itself has.)
func watchMemory(pid int) (used func() int64) {
	last := make(chan int64)
	go func() {
		var most int64
		defer func() { last <- most }()
		for ; ; time.Sleep(2 * time.Millisecond) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, peak, ok := strings.Cut(string(status), "VmHWM:")
			if err != nil || !ok {
				return
			}
			var kib int64
			if _, err := fmt.Sscan(peak, &kib); err == nil {
				most = kib << 10
			}
		}
	}()
	return func() int64 { return <-last }
}

type sum [sha256.Size]byte

// writeRandom writes a file and returns its digest.
func writeRandom(t *testing.T, name string, size int64) sum {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(f, h), rand.NewChaCha8([32]byte{'l'}), size); err != nil {
		t.Fatal(err)
	}
	return sum(h.Sum(nil))
}

func fileSum(t *testing.T, name string) sum {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return sum(h.Sum(nil))
}

// streamSum returns the digest of what a command makes of a file that comes
// through a pipe.
func streamSum(t *testing.T, name, command string, args ...string) sum {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	c := exec.Command(command, args...)
	c.Stdin, c.Stdout = io.MultiReader(f), h // not the file itself: a pipe
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return sum(h.Sum(nil))
}
