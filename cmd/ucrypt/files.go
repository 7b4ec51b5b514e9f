package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// refuseClosed is the error of a standard file that was closed when the program
// began, in which data would be lost without a word.
func refuseClosed(f *os.File, name string) error {
	if replaced(f) {
		return usagef("%s is closed; if %s was meant, name it with -i or -o", name, os.DevNull)
	}
	return nil
}

// input is the file or pipe that is read.
type input struct {
	file *os.File
	name string
	size int64 // of a file that can be read at any position; else -1
	base int64 // where it starts
	seek bool  // whether the file has a position
}

// isStandard reports whether a file's name stands for standard input or output.
func isStandard(name string) bool { return name == "" || name == "-" }

// openInput opens a file, or standard input.
func openInput(name string) (*input, error) {
	in := &input{file: os.Stdin, name: "standard input", size: -1}
	if isStandard(name) {
		if err := refuseClosed(os.Stdin, in.name); err != nil {
			return nil, err
		}
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, named(name, err)
		}
		in.file, in.name = f, name
	}
	info, err := in.file.Stat()
	if err != nil {
		in.close()
		return nil, in.named(err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		in.close()
		return nil, in.named(errors.New("is a directory"))
	case mode.IsRegular() && info.Size() > 0: // those of /proc claim to be empty
		if at, err := in.file.Seek(0, io.SeekCurrent); err == nil {
			in.seek, in.base, in.size = true, at, max(info.Size()-at, 0)
		}
	case mode.Type() == fs.ModeDevice: // a disk
		in.seek = true
	}
	return in, nil
}

func (in *input) named(err error) error { return named(in.name, err) }

// Read reads from where the file is.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.file.Read(p)
	if err != nil && err != io.EOF {
		err = in.named(err)
	}
	return n, err
}

// ReadAt reads a part within the size that the file had when it was opened. An
// end before that is an error: what is missing was taken away meanwhile.
func (in *input) ReadAt(p []byte, at int64) (int, error) {
	n, err := in.file.ReadAt(p, in.base+at)
	if err == io.EOF {
		left := at + int64(n)
		if info, err := in.file.Stat(); err == nil {
			left = min(left, max(info.Size()-in.base, 0))
		}
		return n, in.named(fmt.Errorf("ended after %d of its %d bytes", left, in.size))
	}
	if err != nil {
		return n, in.named(err)
	}
	return n, nil
}

// skip passes over the first n bytes of a stream, to come near to an offset.
func (in *input) skip(n, offset int64) error {
	if n == 0 {
		return nil
	}
	if in.seek {
		if _, err := in.file.Seek(n, io.SeekCurrent); err != nil {
			return in.named(err)
		}
		return nil
	}
	skipped, err := io.CopyN(io.Discard, struct{ io.Reader }{in}, n)
	if err == io.EOF {
		return in.named(fmt.Errorf("input of %d bytes ends before --offset %d", skipped, offset))
	}
	return err
}

// leave puts standard input where reading it up to at would have.
func (in *input) leave(at int64) {
	if in.file == os.Stdin && in.size >= 0 {
		_, _ = in.file.Seek(in.base+at, io.SeekStart)
	}
}

func (in *input) close() {
	if in.file != os.Stdin {
		in.file.Close()
	}
}

// output is where the result goes. A file is written under a temporary name,
// and replaces what has its own name when it is complete.
type output struct {
	file   *os.File
	name   string      // for messages
	target string      // what the temporary file becomes; empty if written directly
	old    os.FileInfo // of what the target is now, nil if nothing
	perm   os.FileMode // of the target
	forget func()
}

// openOutput opens a file, or standard output. A file that is not a regular
// one, such as a device, is written to directly.
func openOutput(name string) (*output, error) { return openOutputAs(name, false) }

// openOutputAs is openOutput. If the output is private, only its owner can read its
// temporary file.
func openOutputAs(name string, private bool) (*output, error) {
	if isStandard(name) {
		o := &output{file: os.Stdout, name: "standard output"}
		return o, refuseClosed(o.file, o.name)
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(name); linkErr == nil {
			return nil, fmt.Errorf("%s: symbolic link to a file that does not exist", name)
		}
		o := &output{name: name, target: name}
		return o, o.createTemporary(private)
	}
	if err != nil {
		return nil, named(name, err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", name)
	}
	if !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, named(name, err)
		}
		if isTerminal(f) {
			f.Close()
			return nil, usagef("%s is a terminal and the output is binary", name)
		}
		return &output{file: f, name: name}, nil
	}
	// A file that its user must not write is not to be replaced either.
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return nil, named(name, err)
	} else {
		f.Close()
	}
	// It is what a symbolic link leads to that is replaced, not the link.
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, named(name, err)
	}
	o := &output{name: name, target: target, old: info}
	return o, o.createTemporary(private)
}

// createTemporary makes the temporary file. A signal removes it from then on.
func (o *output) createTemporary(private bool) error {
	// A new file has the mode that the umask leaves. One that replaces another
	// is private until it gets the other's mode.
	perm := os.FileMode(0o666)
	if o.old != nil {
		perm, o.perm = 0o600, o.old.Mode().Perm()
	}
	var err error
	uninterrupted(func() {
		if private && o.old == nil {
			perm = 0o600
			if o.perm, err = o.newFileMode(); err != nil {
				return
			}
		}
		if o.file, err = o.temporary(perm); err == nil {
			o.forget = onSignal(o.remove)
		}
	})
	if err != nil {
		return named(o.name, err)
	}
	return nil
}

func (o *output) temporary(perm os.FileMode) (*os.File, error) {
	path := filepath.Join(filepath.Dir(o.target), ".ucrypt-"+rand.Text()+".tmp")
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// newFileMode returns the mode of a new file, which the system only says of one that
// exists. That one stays empty: whoever has opened it reads nothing from it later.
func (o *output) newFileMode() (os.FileMode, error) {
	f, err := o.temporary(0o666)
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err != nil {
		return n, named(o.name, err)
	}
	return n, nil
}

// WriteAt writes to the temporary file.
func (o *output) WriteAt(p []byte, at int64) (int, error) {
	n, err := o.file.WriteAt(p, at)
	if err != nil {
		return n, named(o.name, err)
	}
	return n, nil
}

// commit puts the temporary file, once it is on the disk, in the target's place.
func (o *output) commit() error {
	if o.target == "" {
		return o.closeDirect()
	}
	err := o.finish()
	if err == nil {
		uninterrupted(func() {
			if err = os.Rename(o.file.Name(), o.target); err == nil {
				o.forget()
			}
		})
	}
	if err != nil {
		o.abort()
		return named(o.name, err)
	}
	if err := syncFolder(filepath.Dir(o.target)); err != nil {
		return fmt.Errorf("%s: complete, but not known to be on the disk: %w", o.name, cause(err))
	}
	return nil
}

// finish gives the temporary file its mode and puts it on the disk.
func (o *output) finish() error {
	if o.old != nil {
		keepOwner(o.file, o.old)
	}
	if o.old != nil || o.perm != 0 {
		if err := o.file.Chmod(o.perm); err != nil {
			return err
		}
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	return o.file.Close()
}

func (o *output) closeDirect() error {
	if o.file == os.Stdout {
		return nil
	}
	if err := o.file.Close(); err != nil {
		return named(o.name, err)
	}
	return nil
}

// abort leaves no trace of the output.
func (o *output) abort() {
	if o.target == "" {
		return
	}
	uninterrupted(func() {
		o.remove()
		o.forget()
	})
}

func (o *output) remove() {
	o.file.Close()
	os.Remove(o.file.Name())
}

// named returns err, of an operation on the file that the user calls name,
// under that name.
func named(name string, err error) error { return fmt.Errorf("%s: %w", name, cause(err)) }

// cause takes the operation and the path off err.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
