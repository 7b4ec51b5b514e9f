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

// TestLarge runs 300 MiB through enc and dec, which must take little memory, and
// in CI compares them with openssl as well, which is slower.
func TestLarge(t *testing.T) {
	needCommand(t)
	if testing.Short() {
		t.Skip("300 MiB take a while")
	}
	const size = 300<<20 + 19
	folder := t.TempDir()
	plain, secret, back := filepath.Join(folder, "plain"), filepath.Join(folder, "secret"), filepath.Join(folder, "back")
	want := writeRandom(t, plain, size)
	modes := [][]string{
		{"-c", "ctr(sm4)", "--key", testKey, "--iv", testIV},
		{"-c", "xts(sm4)", "--key", testKey + testIV, "--first-sector", "0", "--sector-size", "4096"},
	}
	ci := os.Getenv("CI") == "true"
	if ci {
		modes = append(modes,
			[]string{"-c", "cts(cbc(sm4))", "--key", testKey, "--iv", testIV},
			[]string{"-c", "cbc(sm4)", "--key", testKey, "--iv", testIV},
			[]string{"-c", "ecb(sm4)", "--key", testKey},
			[]string{"-c", "cfb(sm4)", "--key", testKey, "--iv", testIV})
	}
	for _, flags := range modes {
		runLarge(t, append([]string{"enc", "-i", plain, "-o", secret}, flags...))
		runLarge(t, append([]string{"dec", "-i", secret, "-o", back}, flags...))
		if fileSum(t, back) != want {
			t.Fatalf("%v: dec does not undo enc", flags)
		}
		mode, _, _ := strings.Cut(flags[1], "(")
		if !ci || mode == "xts" || mode == "cts" {
			continue
		}
		if _, err := exec.LookPath("openssl"); err != nil {
			missing(t, "openssl is not installed")
		}
		openssl := []string{"openssl", "enc", "-sm4-" + mode, "-K", testKey}
		if mode != "ecb" {
			openssl = append(openssl, "-iv", testIV)
		}
		ours := func(verb string) []string { return append([]string{"ucrypt", verb}, flags...) }
		middle, end := chainSum(t, plain, ours("enc"), append(openssl, "-d"))
		if middle != fileSum(t, secret) {
			t.Fatalf("%s: enc of a stream differs from enc of a file", mode)
		}
		if end != want {
			t.Fatalf("%s: openssl does not undo enc", mode)
		}
		if _, end := chainSum(t, plain, openssl, ours("dec")); end != want {
			t.Fatalf("%s: dec does not undo openssl", mode)
		}
	}
}

// runLarge runs the command and fails the test if it takes much memory.
func runLarge(t *testing.T, args []string) {
	t.Helper()
	const memory = 64 << 20
	c := exec.Command("ucrypt", args...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	used := watchMemory(c.Process.Pid)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if n := used(); n > memory || n == 0 && runtime.GOOS == "linux" {
		t.Errorf("%v took %d MiB of memory, want at most %d", args, n>>20, memory>>20)
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

// chainSum sends a file through two commands, which pipes connect, and returns
// the digests of what the first and the second give.
func chainSum(t *testing.T, name string, first, second []string) (middle, end sum) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, b := exec.Command(first[0], first[1:]...), exec.Command(second[0], second[1:]...)
	pipe, err := b.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	middleHash, endHash := sha256.New(), sha256.New()
	a.Stdin, a.Stdout = io.MultiReader(f), io.MultiWriter(middleHash, pipe) // not the file itself: a pipe
	b.Stdout = endHash
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	if err := a.Run(); err != nil {
		t.Errorf("%v: %v", first, err)
	}
	pipe.Close()
	if err := b.Wait(); err != nil {
		t.Fatalf("%v: %v", second, err)
	}
	return sum(middleHash.Sum(nil)), sum(endHash.Sum(nil))
}
