//go:build unix

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const chaosSize = 24 << 20

// chaos is a folder with an input, and an output that a run of enc is to replace.
type chaos struct {
	in, out string
	old     []byte
	whole   [][]byte // by chaosModes
	mode    int      // of these, for the next run
}

// chaosModes are ways to write: by many at once, in order, and of a part.
var chaosModes = [][]string{
	{"-c", "ctr(sm4)", "--key=" + testKey, "--iv=" + testIV},
	{"-c", "xts(sm4)", "--key=" + testKey + testIV, "--first-sector=1", "--sector-size=4096"},
	{"-c", "cts(cbc(sm4))", "--key=" + testKey, "--iv=" + testIV},
	{"-c", "ctr(sm4)", "--key=" + testKey, "--iv=" + testIV, "--offset=1234567"},
	{"-c", "gcm(sm4)", "--key=" + testKey, "--iv=" + testIV[:24], "--aad=00"},
}

func newChaos(t *testing.T, folder string) *chaos {
	t.Helper()
	needCommand(t)
	c := &chaos{
		in:  filepath.Join(t.TempDir(), "in"),
		out: filepath.Join(folder, "out"),
		old: []byte("what was there before\n"),
	}
	if err := os.WriteFile(c.in, randomBytes(chaosSize), 0o666); err != nil {
		t.Fatal(err)
	}
	for c.mode = range chaosModes {
		args := c.args()
		c.whole = append(c.whole, commandOutput(t, nil, "ucrypt", args[:len(args)-2]...))
	}
	c.reset(t)
	return c
}

func (c *chaos) args() []string {
	return slices.Concat([]string{"enc"}, chaosModes[c.mode], []string{"-i", c.in, "-o", c.out})
}

func (c *chaos) reset(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(c.out, c.old, 0o666); err != nil {
		t.Fatal(err)
	}
}

// check fails the test unless the output is the old file or, where that is
// possible, the whole new one, and unless nothing else is left in its folder.
func (c *chaos) check(t *testing.T, mayBeNew, mayLeave bool) (isNew bool) {
	t.Helper()
	got, err := os.ReadFile(c.out)
	if err != nil {
		t.Fatal(err)
	}
	isNew = bytes.Equal(got, c.whole[c.mode])
	if !isNew && !bytes.Equal(got, c.old) {
		t.Fatalf("the output has %d bytes: neither the old file nor the whole new one", len(got))
	}
	if isNew && !mayBeNew {
		t.Fatal("the output is the new file although the run failed")
	}
	entries, err := os.ReadDir(filepath.Dir(c.out))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == filepath.Base(c.out) || e.IsDir() {
			continue
		}
		if !mayLeave || !strings.HasPrefix(e.Name(), ".ucrypt-") {
			t.Fatalf("%s was left behind", e.Name())
		}
		os.Remove(filepath.Join(filepath.Dir(c.out), e.Name()))
	}
	return isNew
}

// TestChaosSignals ends enc by signals at random moments.
func TestChaosSignals(t *testing.T) {
	c := newChaos(t, t.TempDir())
	start := time.Now()
	if out, err := exec.Command("ucrypt", c.args()...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start)
	if !c.check(t, true, false) {
		t.Fatal("the output is still the old file")
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	limit := 4 * time.Second
	if testing.Short() {
		limit = 2 * time.Second
	}
	killed, replaced := 0, 0
	for i, begin := 0, time.Now(); i < 60 && (time.Since(begin) < limit || killed == 0); i++ {
		sig := []os.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM}[i%3]
		c.mode = i / 3 % len(chaosModes)
		c.reset(t)
		run := exec.Command("ucrypt", c.args()...)
		var stderr strings.Builder
		run.Stderr = &stderr
		start := time.Now()
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(whole) * 5 / 4)))
		_ = run.Process.Signal(sig) // it may have ended
		err := run.Wait()
		isNew := c.check(t, true, sig == syscall.SIGKILL)
		if isNew {
			replaced++
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			if err != nil || !isNew {
				t.Fatalf("run %d: %v, new file: %v", i, err, isNew)
			}
			whole = min(whole, time.Since(start)) // the first run may have been a slow one
			continue
		}
		killed++
		if sig == syscall.SIGKILL || exit.ExitCode() == -1 && stderr.Len() == 0 && !isNew {
			continue // at once, or before the command listened to signals
		}
		if exit.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "ucrypt enc: stopped by signal: ") {
			t.Fatalf("run %d, %v: %v: %q", i, sig, err, stderr.String())
		}
	}
	t.Logf("%d runs ended by a signal, %d outputs replaced", killed, replaced)
	if killed == 0 {
		t.Error("no signal arrived in time")
	}
}

// TestChaosFullDisk lets the disk fill up at random points. The disk is a small
// file system of its own if one can be mounted, else a limit of the file size.
func TestChaosFullDisk(t *testing.T) {
	const mega = 1 << 20
	small := t.TempDir()
	mounted := runtime.GOOS == "linux" && os.Geteuid() == 0 &&
		exec.Command("mount", "-t", "tmpfs", "-o", "size="+strconv.Itoa(chaosSize-3*mega), "tmpfs", small).Run() == nil
	if mounted {
		defer exec.Command("umount", small).Run()
	}
	c := newChaos(t, small)
	for i := range 2 * len(chaosModes) {
		c.mode = i % len(chaosModes)
		var run *exec.Cmd
		want := "file too large"
		if mounted {
			want = "no space left on device"
			if err := os.WriteFile(filepath.Join(small, "out"), c.old, 0o666); err != nil {
				t.Fatal(err)
			}
			// Something else takes a part of the disk.
			ballast := filepath.Join(small, "ballast")
			if err := os.Mkdir(ballast, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(ballast, "file"), make([]byte, rand.IntN(20*mega)), 0o666); err != nil {
				t.Fatal(err)
			}
			run = exec.Command("ucrypt", c.args()...)
		} else {
			blocks := 1 + rand.IntN(20*mega/512)
			run = exec.Command("sh", append([]string{"-c", `ulimit -f "$0" && exec ucrypt "$@"`, strconv.Itoa(blocks)}, c.args()...)...)
		}
		out, err := run.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || string(out) != "ucrypt enc: "+c.out+": "+want+"\n" {
			t.Fatalf("%v: %q", err, out)
		}
		c.check(t, false, false)
		os.RemoveAll(filepath.Join(small, "ballast"))
	}
}

// TestVanishedInput takes a part of the input away while it is read.
func TestVanishedInput(t *testing.T) {
	c := newChaos(t, t.TempDir())
	info, err := os.Stat(c.in)
	if err != nil {
		t.Fatal(err)
	}
	in, err := openInput(c.in)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	if in.size != info.Size() {
		t.Fatalf("size %d, want %d", in.size, info.Size())
	}
	if err := os.Truncate(c.in, 3<<20); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1<<20)
	if _, err := in.ReadAt(buf, 2<<20); err != nil {
		t.Fatal(err)
	}
	want := c.in + ": ended after 3145728 of its 25165824 bytes"
	for _, at := range []int64{3<<20 - 1, 3 << 20, 20 << 20} {
		if _, err := in.ReadAt(buf, at); err == nil || err.Error() != want {
			t.Fatalf("error %v, want %q", err, want)
		}
	}
}
