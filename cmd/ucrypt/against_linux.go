package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"ucrypt"
)

// afalg is the running kernel, through sockets of its crypto API.
type afalg struct{}

func (afalg) name() (string, error) {
	fd, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return "", fmt.Errorf("the kernel has no AF_ALG: %w", err)
	}
	unix.Close(fd)
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	return "Linux " + unix.ByteSliceToString(u.Release[:]), nil
}

func (afalg) answer(q question) ([]byte, error) {
	kind := map[ucrypt.Type]string{ucrypt.TypeSkcipher: "skcipher", ucrypt.TypeAEAD: "aead", ucrypt.TypeShash: "hash"}[q.driver.Type]
	fd, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrALG{Type: kind, Name: q.algorithm}); errors.Is(err, unix.ENOENT) {
		return nil, errNotThere
	} else if err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	if len(q.key) > 0 {
		if err := unix.SetsockoptString(fd, unix.SOL_ALG, unix.ALG_SET_KEY, string(q.key)); err != nil {
			return nil, fmt.Errorf("set key: %w", err)
		}
	}
	tag := 0
	if kind == "aead" {
		tag = q.driver.MaxTagSize
		// The tag's size is given as the length of an option without a value.
		if _, _, e := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_AEAD_AUTHSIZE, 0, uintptr(tag), 0); e != 0 {
			return nil, fmt.Errorf("set tag size: %w", e)
		}
	}
	op, _, e := unix.Syscall6(unix.SYS_ACCEPT4, uintptr(fd), 0, 0, unix.SOCK_CLOEXEC, 0, 0)
	if e != 0 {
		return nil, fmt.Errorf("accept: %w", e)
	}
	f := os.NewFile(op, "AF_ALG")
	defer f.Close()
	if kind == "hash" {
		return q.askHash(int(op))
	}
	in := append(append([]byte(nil), q.data...), q.message...)
	out := make([]byte, len(in)+tag)
	if err := unix.Sendmsg(int(op), in, q.control(), nil, 0); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	n, err := unix.Read(int(op), out)
	if err != nil || n != len(out) {
		return nil, fmt.Errorf("%d bytes of %d came back: %w", n, len(out), err)
	}
	return out[len(q.data):], nil
}

func (q question) askHash(op int) ([]byte, error) {
	if _, err := unix.Write(op, q.message); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	out := make([]byte, q.driver.DigestSize)
	if n, err := unix.Read(op, out); err != nil || n != len(out) {
		return nil, fmt.Errorf("%d bytes of %d came back: %w", n, len(out), err)
	}
	return out, nil
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
