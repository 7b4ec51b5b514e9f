package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"ucrypt"
)

// afalg is a kernel, through sockets of its crypto API.
type afalg struct{ sockets algSockets }

var runningKernel oracle = afalg{kernelSockets{}}

// algSockets is what the crypto API needs of the system's calls, so that a test can
// take a kernel's place.
type algSockets interface {
	socket() (fd int, err error)
	bind(fd int, kind, name string) error
	setKey(fd int, key []byte) error
	setTagSize(fd, bytes int) error
	accept(fd int) (op int, err error)
	send(op int, message, control []byte) error
	receive(op int, message []byte) (n int, err error)
	close(fd int)
	release() (string, error) // of the kernel
}

func (k afalg) name() (string, error) {
	fd, err := k.sockets.socket()
	if err != nil {
		return "", fmt.Errorf("the kernel has no AF_ALG: %w", err)
	}
	k.sockets.close(fd)
	release, err := k.sockets.release()
	return "Linux " + release, err
}

func (k afalg) answer(q question) ([]byte, error) {
	kind := map[ucrypt.Type]string{ucrypt.TypeSkcipher: "skcipher", ucrypt.TypeAEAD: "aead", ucrypt.TypeShash: "hash"}[q.driver.Type]
	fd, err := k.sockets.socket()
	if err != nil {
		return nil, err
	}
	defer k.sockets.close(fd)
	if err := k.sockets.bind(fd, kind, q.algorithm); errors.Is(err, unix.ENOENT) {
		return nil, errNotThere
	} else if err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	if len(q.key) > 0 {
		if err := k.sockets.setKey(fd, q.key); err != nil {
			return nil, fmt.Errorf("set key: %w", err)
		}
	}
	// An AEAD's data comes before the message in both directions.
	in, data := q.message, 0
	size := len(q.message)
	var control []byte
	switch kind {
	case "hash":
		size = q.driver.DigestSize
	case "aead":
		if err := k.sockets.setTagSize(fd, q.driver.MaxTagSize); err != nil {
			return nil, fmt.Errorf("set tag size: %w", err)
		}
		in, data = append(append([]byte(nil), q.data...), q.message...), len(q.data)
		size = len(in) + q.driver.MaxTagSize
		control = q.control()
	default:
		control = q.control()
	}
	op, err := k.sockets.accept(fd)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	defer k.sockets.close(op)
	if err := k.sockets.send(op, in, control); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	out := make([]byte, size)
	if n, err := k.sockets.receive(op, out); err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	} else if n != size {
		return nil, fmt.Errorf("%d bytes of %d came back", n, size)
	}
	return out[data:], nil
}

// kernelSockets are the running kernel's.
type kernelSockets struct{}

func (kernelSockets) socket() (int, error) {
	return unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
}

func (kernelSockets) bind(fd int, kind, name string) error {
	return unix.Bind(fd, &unix.SockaddrALG{Type: kind, Name: name})
}

func (kernelSockets) setKey(fd int, key []byte) error {
	return unix.SetsockoptString(fd, unix.SOL_ALG, unix.ALG_SET_KEY, string(key))
}

// setTagSize gives the size as the length of an option without a value.
func (kernelSockets) setTagSize(fd, bytes int) error {
	return errnoOf(unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_AEAD_AUTHSIZE, 0, uintptr(bytes), 0))
}

// accept asks for no address, which unix.Accept would.
func (kernelSockets) accept(fd int) (int, error) {
	op, a, e := unix.Syscall6(unix.SYS_ACCEPT4, uintptr(fd), 0, 0, unix.SOCK_CLOEXEC, 0, 0)
	return int(op), errnoOf(op, a, e)
}

// send is not unix.Sendmsg, which sends a byte where there is none.
func (kernelSockets) send(op int, message, control []byte) error {
	var h unix.Msghdr
	var v unix.Iovec
	if len(message) > 0 {
		v.Base = &message[0]
		v.SetLen(len(message))
		h.Iov = &v
		h.SetIovlen(1)
	}
	if len(control) > 0 {
		h.Control = &control[0]
		h.SetControllen(len(control))
	}
	n, a, e := unix.Syscall(unix.SYS_SENDMSG, uintptr(op), uintptr(unsafe.Pointer(&h)), 0)
	if err := errnoOf(n, a, e); err != nil {
		return err
	}
	if int(n) != len(message) {
		return io.ErrShortWrite
	}
	return nil
}

func (kernelSockets) receive(op int, message []byte) (int, error) { return unix.Read(op, message) }

func (kernelSockets) close(fd int) { unix.Close(fd) }

func (kernelSockets) release() (string, error) {
	var u unix.Utsname
	err := unix.Uname(&u)
	return unix.ByteSliceToString(u.Release[:]), err
}

// errnoOf is the error of a system call that returned this.
func errnoOf(_, _ uintptr, e unix.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}

// control is what goes with the message: direction, iv, length of associated
// data.
func (q question) control() []byte {
	var b []byte
	add := func(kind int32, data []byte) {
		space := make([]byte, unix.CmsgSpace(len(data)))
		h := (*unix.Cmsghdr)(unsafe.Pointer(&space[0]))
		h.Level, h.Type = unix.SOL_ALG, kind
		h.SetLen(unix.CmsgLen(len(data)))
		copy(space[unix.CmsgLen(0):], data)
		b = append(b, space...)
	}
	word := func(n int) []byte { return binary.NativeEndian.AppendUint32(nil, uint32(n)) }
	direction := unix.ALG_OP_ENCRYPT
	if q.decrypt {
		direction = unix.ALG_OP_DECRYPT
	}
	add(unix.ALG_SET_OP, word(direction))
	iv := q.iv
	if strings.HasPrefix(q.algorithm, "ccm(") { // whose iv is the first counter block
		iv = append([]byte{byte(14 - len(iv))}, iv...)
		iv = append(iv, make([]byte, 16-len(iv))...)
	}
	if len(iv) > 0 {
		add(unix.ALG_SET_IV, append(word(len(iv)), iv...))
	}
	if q.driver.Type == ucrypt.TypeAEAD {
		add(unix.ALG_SET_AEAD_ASSOCLEN, word(len(q.data)))
	}
	return b
}
