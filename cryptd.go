package ucrypt

import (
	"context"
	"crypto/cipher"
	"hash"
	"strings"
	"sync"
)

// cryptd(DRIVER) is DRIVER behind a queue that all such names share, as the
// kernel's template of that name. No table lists these drivers, and no algorithm
// chooses them: they serve who asks for them.

// cryptdPriority is what the kernel adds to the driver's priority.
const cryptdPriority = 50

// cryptdQueue is the shared queue. Its workers last as long as the program.
var cryptdQueue = sync.OnceValue(func() *Queue { return NewQueue(0, 0) })

// inCryptd returns the DRIVER of a name cryptd(DRIVER), or any other name as it
// is.
func inCryptd(name string) (inner string, ok bool) {
	inner, ok = strings.CutPrefix(name, "cryptd(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
	}
	if !ok {
		return name, false
	}
	return inner, true
}

// findDriver finds the table index and the driver of a name, which may be
// cryptd(DRIVER).
func findDriver(name string) (int, Driver, error) {
	inner, async := inCryptd(name)
	if !async {
		i, err := find(name)
		if err != nil {
			return 0, Driver{}, err
		}
		return i, driver(i), nil
	}
	known := false
	for i := range table {
		known = known || table[i].driver == inner
	}
	if !known {
		return 0, Driver{}, &UnknownAlgorithmError{Name: name}
	}
	i, err := find(inner)
	if err != nil {
		return 0, Driver{}, err
	}
	d := driver(i)
	if d.Type == TypeCipher {
		return 0, Driver{}, &UnknownAlgorithmError{Name: inner, Want: "skcipher, aead or shash", Got: d.Type.String()}
	}
	d.DriverName = name
	d.Priority += cryptdPriority
	return i, d, nil
}

// isCryptd reports whether d is a cryptd(DRIVER).
func (d *Driver) isCryptd() bool {
	_, ok := inCryptd(d.DriverName)
	return ok
}

// call is one synchronous call through the queue.
type call struct {
	request Request
	buffer  []byte
	iv      [blockSize]byte
	done    chan error
}

var calls = sync.Pool{New: func() any {
	c := &call{done: make(chan error, 1)}
	c.request.Done = func(err error) { c.done <- err }
	return c
}}

// wait submits the call's request, which has been checked, and waits for it.
func (c *call) wait() error {
	if err := cryptdQueue().Submit(context.Background(), &c.request); err != nil {
		return err
	}
	return <-c.done
}

// release gives the call back.
func (c *call) release() {
	c.request = Request{Done: c.request.Done}
	calls.Put(c)
}

// viaQueue does a checked call of an Skcipher in the queue. It works on a copy,
// since the caller's memory may lie on a stack, which only its goroutine may
// use.
func (s *Skcipher) viaQueue(dst, src, iv []byte, unitSize int, first uint64, decrypt bool) error {
	c := calls.Get().(*call)
	defer c.release()
	c.buffer = append(c.buffer[:0], src...)
	n := copy(c.iv[:], iv)
	c.request = Request{Skcipher: s, Decrypt: decrypt, Dst: c.buffer, Src: c.buffer, IV: c.iv[:n],
		UnitSize: unitSize, First: first, Done: c.request.Done}
	if err := c.wait(); err != nil {
		return err
	}
	copy(dst, c.buffer)
	copy(iv, c.iv[:])
	clear(c.buffer)
	return nil
}

// cryptdAEAD returns a as it is, or behind the queue if d says so.
func cryptdAEAD(d *Driver, a cipher.AEAD) cipher.AEAD {
	if d.isCryptd() {
		return queuedAEAD{a}
	}
	return a
}

type queuedAEAD struct{ cipher.AEAD }

func (a queuedAEAD) Seal(dst, nonce, plaintext, data []byte) []byte {
	_, err := a.do(func() ([]byte, error) { dst = a.AEAD.Seal(dst, nonce, plaintext, data); return dst, nil })
	if err != nil {
		panic(err)
	}
	return dst
}

func (a queuedAEAD) Open(dst, nonce, ciphertext, data []byte) ([]byte, error) {
	return a.do(func() ([]byte, error) { return a.AEAD.Open(dst, nonce, ciphertext, data) })
}

// do runs f on a worker. A panic of f, which is the caller's misuse, is the
// caller's.
func (a queuedAEAD) do(f func() ([]byte, error)) (out []byte, err error) {
	c := calls.Get().(*call)
	defer c.release()
	var misuse any
	c.request.task = func() (err error) {
		defer func() { misuse = recover() }()
		out, err = f()
		return err
	}
	err = c.wait()
	if misuse != nil {
		panic(misuse)
	}
	return out, err
}

// cryptdHash returns h as it is, or behind the queue if d says so.
func cryptdHash(d *Driver, h hash.Hash) hash.Hash {
	if d.isCryptd() {
		return queuedHash{h}
	}
	return h
}

type queuedHash struct{ hash.Hash }

func (h queuedHash) Write(p []byte) (n int, err error) {
	c := calls.Get().(*call)
	defer c.release()
	c.request.task = func() error { n, err = h.Hash.Write(p); return err }
	return n, c.wait()
}
