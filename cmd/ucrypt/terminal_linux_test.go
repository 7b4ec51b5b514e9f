package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// prompted is a run of enc that asks for its key on a terminal.
type prompted struct {
	cmd      *exec.Cmd
	terminal *os.File
	stderr   bytes.Buffer
	out      string
}

// startPrompt starts enc on a terminal and waits until it does not echo.
func startPrompt(t *testing.T) *prompted {
	t.Helper()
	needCommand(t)
	folder := t.TempDir()
	in := filepath.Join(folder, "in")
	if err := os.WriteFile(in, []byte("plain"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &prompted{out: filepath.Join(folder, "out")}
	p.cmd = exec.Command("ucrypt", "enc", "-c", "cbc(sm4)", "--iv", testIV, "-i", in, "-o", p.out)
	p.cmd.Stderr = &p.stderr
	terminal, err := pty.Start(p.cmd)
	if err != nil {
		t.Fatal(err)
	}
	p.terminal = terminal
	t.Cleanup(func() { terminal.Close() })
	for end := time.Now().Add(10 * time.Second); p.echo(t); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the terminal still echoes: %s", p.stderr.String())
		}
	}
	return p
}

// echo reports whether the terminal shows what is typed.
func (p *prompted) echo(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(p.terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// end waits for the command and returns all that the terminal showed.
func (p *prompted) end() (shown string, err error) {
	done := make(chan string)
	go func() {
		b, _ := io.ReadAll(p.terminal) // ends with an error when the other side closes
		done <- string(b)
	}()
	err = p.cmd.Wait()
	return <-done, err
}

func TestPrompt(t *testing.T) {
	p := startPrompt(t)
	if _, err := p.terminal.WriteString(testKey + "\n"); err != nil {
		t.Fatal(err)
	}
	shown, err := p.end()
	if err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if want := "Key for cbc(sm4), 32 hex digits (16 bytes) (not shown): \r\n"; shown != want {
		t.Errorf("the terminal showed %q, want %q", shown, want)
	}
	want := commandOutput(t, []byte("plain"), "ucrypt", "enc", "-c", "cbc(sm4)", "--iv", testIV, "--key", testKey)
	if got, err := os.ReadFile(p.out); err != nil || !bytes.Equal(got, want) {
		t.Errorf("output is %x (%v), want %x", got, err, want)
	}
}

// TestPromptInterrupted types ^C instead of a key: the terminal echoes again.
func TestPromptInterrupted(t *testing.T) {
	p := startPrompt(t)
	if _, err := p.terminal.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	err := p.cmd.Wait()
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("ended with %v, want exit status 1", err)
	}
	if got := p.stderr.String(); !strings.HasPrefix(got, "ucrypt enc: stopped by signal: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("standard error is %q", got)
	}
	if !p.echo(t) {
		t.Error("the terminal does not echo any more")
	}
	if _, err := os.Stat(p.out); !os.IsNotExist(err) {
		t.Errorf("there is an output: %v", err)
	}
}

// TestPromptEnds types ^D: at once, and behind half a key.
func TestPromptEnds(t *testing.T) {
	for _, typed := range []string{"\x04", "0123\x04\x04"} {
		p := startPrompt(t)
		if _, err := p.terminal.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		_, err := p.end()
		if !errors.As(err, &exit) || exit.ExitCode() != 2 {
			t.Errorf("%q: ended with %v, want exit status 2", typed, err)
		}
		if got := p.stderr.String(); got != "ucrypt enc: reading the key from the terminal: the input ended before a key was typed\n" {
			t.Errorf("%q: standard error is %q", typed, got)
		}
	}
}
