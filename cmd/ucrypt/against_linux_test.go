package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ucrypt"
)

// fakeKernel stands in for a kernel's crypto API: it reads the messages as the
// kernel's documentation has them (Documentation/crypto/userspace-if.rst), and
// answers with the generic drivers. What the documentation does not allow is
// an error.
type fakeKernel struct {
	open   map[int]*fakeSocket
	next   int
	asked  map[string]int // by type of algorithm
	refuse string         // an algorithm that it does not have
}

type fakeSocket struct {
	kind, name string
	key        []byte
	tag        int
	operation  bool // what accept gave
	answer     []byte
}

func (k *fakeKernel) add(s *fakeSocket) int {
	k.next++
	k.open[k.next] = s
	return k.next
}

func (k *fakeKernel) socket() (int, error) { return k.add(&fakeSocket{}), nil }

func (k *fakeKernel) bind(fd int, kind, name string) error {
	s := k.open[fd]
	if s.kind != "" || s.operation || len(kind) > 13 || len(name) > 63 { // room in struct sockaddr_alg
		return unix.EINVAL
	}
	if name == k.refuse {
		return unix.ENOENT
	}
	s.kind, s.name = kind, name
	return nil
}

func (k *fakeKernel) setKey(fd int, key []byte) error {
	s := k.open[fd]
	if s.kind == "" || s.operation {
		return unix.EINVAL
	}
	s.key = bytes.Clone(key)
	return nil
}

func (k *fakeKernel) setTagSize(fd, n int) error {
	s := k.open[fd]
	if s.kind != "aead" || s.operation {
		return unix.EINVAL
	}
	s.tag = n
	return nil
}

func (k *fakeKernel) accept(fd int) (int, error) {
	s := *k.open[fd]
	if s.kind == "" || s.operation {
		return 0, unix.EINVAL
	}
	s.operation = true
	return k.add(&s), nil
}

// send reads what the kernel's af_alg_cmsg_send reads.
func (k *fakeKernel) send(op int, message, control []byte) error {
	s := k.open[op]
	if !s.operation {
		return unix.EINVAL
	}
	k.asked[s.kind]++
	parts, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return err
	}
	var iv []byte
	direction, data := -1, 0
	for _, m := range parts {
		word := func(n int) uint32 { return binary.NativeEndian.Uint32(m.Data[n:]) }
		switch {
		case m.Header.Level != unix.SOL_ALG:
			return fmt.Errorf("control message of level %d", m.Header.Level)
		case m.Header.Type == unix.ALG_SET_OP && len(m.Data) == 4:
			direction = int(word(0))
		case m.Header.Type == unix.ALG_SET_IV && len(m.Data) >= 4 && int(word(0)) == len(m.Data)-4:
			iv = bytes.Clone(m.Data[4:])
		case m.Header.Type == unix.ALG_SET_AEAD_ASSOCLEN && len(m.Data) == 4:
			data = int(word(0))
		default:
			return fmt.Errorf("control message of type %d with %d bytes", m.Header.Type, len(m.Data))
		}
	}
	s.answer, err = s.compute(direction, iv, message, data)
	return err
}

func (s *fakeSocket) compute(direction int, iv, message []byte, data int) ([]byte, error) {
	generic, priority := "", 0
	for _, d := range ucrypt.Drivers() {
		if _, err := ucrypt.Lookup(d.DriverName); err == nil && d.Name == s.name && (generic == "" || d.Priority < priority) {
			generic, priority = d.DriverName, d.Priority
		}
	}
	if s.kind == "hash" {
		if direction != -1 {
			return nil, unix.EINVAL
		}
		h, err := ucrypt.NewHash(generic, s.key)
		if err != nil {
			return nil, err
		}
		h.Write(message)
		return h.Sum(nil), nil
	}
	if direction != unix.ALG_OP_ENCRYPT && direction != unix.ALG_OP_DECRYPT {
		return nil, unix.EINVAL
	}
	if s.kind == "skcipher" {
		c, err := ucrypt.NewSkcipher(generic, s.key)
		if err != nil {
			return nil, err
		}
		out := bytes.Clone(message)
		if direction == unix.ALG_OP_DECRYPT {
			return out, c.Decrypt(out, out, iv)
		}
		return out, c.Encrypt(out, out, iv)
	}
	if strings.HasPrefix(s.name, "ccm(") {
		// RFC 3610: one less than the number of bytes in a length, the nonce, and a
		// counter of 0.
		if len(iv) != 16 || iv[0] > 7 || iv[0] < 1 || bytes.ContainsFunc(iv[15-iv[0]:], func(r rune) bool { return r != 0 }) {
			return nil, unix.EINVAL
		}
		iv = iv[1 : 15-iv[0]]
	}
	a, err := ucrypt.NewAEAD(generic, s.key, len(iv), s.tag)
	if err != nil {
		return nil, err
	}
	return a.Seal(bytes.Clone(message[:data]), iv, message[data:], message[:data]), nil
}

func (k *fakeKernel) receive(op int, message []byte) (int, error) {
	return copy(message, k.open[op].answer), nil
}

func (k *fakeKernel) close(fd int) { delete(k.open, fd) }

func (k *fakeKernel) release() (string, error) { return "6.12.0-test", nil }

// TestAgainstKernel sends each kind of message to what reads them as the kernel
// does.
func TestAgainstKernel(t *testing.T) {
	k := &fakeKernel{open: map[int]*fakeSocket{}, asked: map[string]int{}, refuse: "xcbc(aes)"}
	var out bytes.Buffer
	names := []string{"ecb(aes)", "cbc(sm4)", "ctr(sm4)", "xts(aes)", "cts(cbc(aes))", "gcm(sm4)", "ccm(sm4)", "blake2s-256", "cmac(sm4)", "xcbc(aes)"}
	if err := against(&out, afalg{k}, names, 9); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	for _, name := range names {
		want := "\n" + name + " "
		if name == k.refuse {
			want = "\nnot run: " + name + ": Linux 6.12.0-test cannot be asked for it\n"
		}
		if !strings.Contains("\n"+out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if k.asked["skcipher"] == 0 || k.asked["aead"] == 0 || k.asked["hash"] == 0 || len(k.open) > 0 {
		t.Errorf("asked %v, %d sockets are still open", k.asked, len(k.open))
	}
}

// TestKernelSockets makes the system's calls on the running kernel, on sockets of
// another family where it has none for its crypto API: send must send what it is
// given, an empty message too, and the others must name what the system has not.
func TestKernelSockets(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Skip(err)
	}
	var k kernelSockets
	defer k.close(pair[0])
	defer k.close(pair[1])
	rights := unix.UnixRights(pair[0])
	for _, message := range []string{"", "a message"} {
		if err := k.send(pair[0], []byte(message), rights); err != nil {
			t.Fatal(err)
		}
		got, control := make([]byte, 100), make([]byte, 100)
		n, m, _, _, err := unix.Recvmsg(pair[1], got, control, unix.MSG_DONTWAIT)
		if err == unix.EAGAIN && message == "" && os.Getenv("UCRYPT_EMULATED") == "1" {
			continue // qemu-user does not pass an empty message on
		}
		if err != nil {
			t.Fatalf("%q: %v", message, err)
		}
		if string(got[:n]) != message || m < len(rights) {
			t.Errorf("%q with %d bytes of control, want %q with %d", got[:n], m, message, len(rights))
		}
		if parts, err := unix.ParseSocketControlMessage(control[:m]); err == nil && len(parts) == 1 {
			if files, err := unix.ParseUnixRights(&parts[0]); err == nil {
				for _, fd := range files {
					k.close(fd)
				}
			}
		}
	}
	if _, err := k.accept(pair[0]); err == nil {
		t.Error("a socket that does not listen was accepted from")
	}
	if err := k.setTagSize(pair[0], 16); err == nil {
		t.Error("a socket of another family took a tag size")
	}
	if release, err := k.release(); err != nil || release == "" {
		t.Errorf("release %q, %v", release, err)
	}
	if fd, err := k.socket(); err == nil {
		k.close(fd)
	} else {
		fmt.Fprintf(os.Stderr, "not run: %s on the crypto API: %v\n", t.Name(), err)
	}
}
