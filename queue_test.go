package ucrypt

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func noise(n int, seed byte) []byte {
	b := make([]byte, n)
	x := uint32(seed) + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// do runs a request through a queue and waits for it.
func do(t testing.TB, q *Queue, r *Request) error {
	t.Helper()
	done := make(chan error, 1)
	r.Done = func(err error) { done <- err }
	if err := q.Submit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return <-done
}

func allSkciphers(t testing.TB) []Driver {
	var all []Driver
	for _, d := range Drivers() {
		if d, err := Lookup(d.DriverName); err == nil && d.Type == TypeSkcipher {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		t.Fatal("no skcipher can be used here")
	}
	return all
}

// TestQueueEqualsDirectCalls runs every driver at lengths that are split and
// lengths that are not, in place and not.
func TestQueueEqualsDirectCalls(t *testing.T) {
	q := NewQueue(3, 4)
	defer q.Close()
	for _, d := range allSkciphers(t) {
		key, iv := noise(d.MaxKeySize, 1), noise(d.IVSize, 2)
		for i := range iv { // so that the counter carries over all its bytes
			iv[i] |= 0xf0
		}
		s, err := NewSkcipher(d.DriverName, key)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{16, 2 * splitSize, 3*splitSize + 16, 2*splitSize + 5, 3*splitSize + 31} {
			src := noise(n, 3)
			for _, decrypt := range []bool{false, true} {
				want, wantIV := make([]byte, n), bytes.Clone(iv)
				direct := s.Encrypt
				if decrypt {
					direct = s.Decrypt
				}
				wantErr := direct(want, src, wantIV)
				for _, inPlace := range []bool{false, true} {
					what := fmt.Sprintf("%s, %d bytes, decrypt %v, in place %v", d.DriverName, n, decrypt, inPlace)
					got, gotIV := make([]byte, n), bytes.Clone(iv)
					r := &Request{Skcipher: s, Decrypt: decrypt, Dst: got, Src: src, IV: gotIV}
					if inPlace {
						copy(got, src)
						r.Src = got
					}
					if wantErr != nil {
						if err := q.Submit(t.Context(), r); err == nil || err.Error() != wantErr.Error() {
							t.Errorf("%s: error %v, want %v", what, err, wantErr)
						}
						continue
					}
					if err := do(t, q, r); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					if !bytes.Equal(got, want) || !bytes.Equal(gotIV, wantIV) {
						t.Errorf("%s: differs from the direct call", what)
					}
				}
			}
		}
	}
}

func TestQueueUnits(t *testing.T) {
	q := NewQueue(2, 2)
	defer q.Close()
	s, err := NewSkcipher("xts(sm4)", noise(32, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []int{512, 520, 4096, splitSize + 16} {
		src := noise(5*splitSize+48, 2)
		want, got := make([]byte, len(src)), bytes.Clone(src)
		first := ^uint64(0) - 3
		if err := s.EncryptUnits(want, src, unit, first); err != nil {
			t.Fatal(unit, err)
		}
		if err := do(t, q, &Request{Skcipher: s, Dst: got, Src: got, UnitSize: unit, First: first}); err != nil || !bytes.Equal(got, want) {
			t.Errorf("units of %d: %v, or another ciphertext", unit, err)
		}
		if err := do(t, q, &Request{Skcipher: s, Decrypt: true, Dst: got, Src: got, UnitSize: unit, First: first}); err != nil || !bytes.Equal(got, src) {
			t.Errorf("units of %d: %v, or another plaintext", unit, err)
		}
	}
}

func TestQueueAEADAndHash(t *testing.T) {
	q := NewQueue(2, 2)
	defer q.Close()
	block, _ := aes.NewCipher(noise(16, 1))
	a, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	nonce, data, text := noise(12, 2), noise(20, 3), noise(1000, 4)
	sealed := make([]byte, len(text)+16)
	if err := do(t, q, &Request{AEAD: a, Dst: sealed, Src: text, IV: nonce, Data: data}); err != nil || !bytes.Equal(sealed, a.Seal(nil, nonce, text, data)) {
		t.Errorf("seal: %v, or another result", err)
	}
	opened := make([]byte, len(text))
	open := &Request{AEAD: a, Decrypt: true, Dst: opened, Src: sealed, IV: nonce, Data: data}
	if err := do(t, q, open); err != nil || !bytes.Equal(opened, text) {
		t.Errorf("open: %v, or another result", err)
	}
	sealed[5] ^= 1
	if err := do(t, q, open); err == nil {
		t.Error("a changed message was opened")
	}
	for _, r := range []*Request{
		{AEAD: a, Dst: sealed[:1000], Src: text, IV: nonce},
		{AEAD: a, Dst: sealed, Src: text, IV: nonce[:11]},
		{AEAD: a, Dst: sealed, Src: sealed[1:900], IV: nonce},
		{AEAD: a, Dst: sealed, Src: text, IV: nonce, Data: sealed[3:4]},
		{},
	} {
		if err := q.Submit(t.Context(), r); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}

	h, err := NewHash("blake2s-256", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]byte, h.Size())
	if err := do(t, q, &Request{Hash: h, Src: text, Dst: sum}); err != nil {
		t.Fatal(err)
	}
	h.Reset()
	h.Write(text)
	if !bytes.Equal(sum, h.Sum(nil)) {
		t.Error("another digest")
	}
	if err := q.Submit(t.Context(), &Request{Hash: h, Dst: sum[:31]}); err == nil {
		t.Error("a digest went into too short a buffer")
	}
}

// TestQueueFull fills a queue whose only worker is held up.
func TestQueueFull(t *testing.T) {
	q := NewQueue(1, 2)
	s, err := NewSkcipher("ctr(sm4)", noise(16, 1))
	if err != nil {
		t.Fatal(err)
	}
	begun, hold := make(chan bool), make(chan bool)
	request := func(done func(error)) *Request {
		buf := make([]byte, 16)
		return &Request{Skcipher: s, Dst: buf, Src: buf, IV: make([]byte, 16), Done: done}
	}
	if err := q.Submit(t.Context(), request(func(error) { close(begun); <-hold })); err != nil {
		t.Fatal(err)
	}
	<-begun // the worker is held up in Done, where its request counts no more

	var cancelled, finished *Request
	errs := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled = request(func(err error) { errs <- err })
	finished = request(func(err error) { errs <- err })
	if err := q.Submit(ctx, cancelled); err != nil {
		t.Fatal(err)
	}
	if err := q.TrySubmit(t.Context(), finished); err != nil {
		t.Fatal(err)
	}
	if err := q.TrySubmit(t.Context(), request(nil)); !errors.Is(err, ErrQueueFull) {
		t.Errorf("full: %v", err)
	}
	waiting := make(chan error)
	short, stop := context.WithCancel(t.Context())
	go func() { waiting <- q.Submit(short, request(nil)) }()
	stop()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("a submission that waited and was cancelled: %v", err)
	}
	go func() { waiting <- q.Submit(t.Context(), request(nil)) }()

	cancel()
	closed := make(chan bool)
	go func() { q.Close(); close(closed) }()
	if err := <-waiting; !errors.Is(err, ErrQueueClosed) {
		t.Errorf("a submission that waited when the queue was closed: %v", err)
	}
	select {
	case <-closed:
		t.Error("Close did not wait")
	default:
	}
	close(hold)
	<-closed
	if err := <-errs; !errors.Is(err, context.Canceled) || !bytes.Equal(cancelled.Dst, make([]byte, 16)) || !bytes.Equal(cancelled.IV, make([]byte, 16)) {
		t.Errorf("the cancelled request: %v, %x, %x", err, cancelled.Dst, cancelled.IV)
	}
	if err := <-errs; err != nil || bytes.Equal(finished.Dst, make([]byte, 16)) {
		t.Errorf("the one behind it: %v, %x", err, finished.Dst)
	}
	q.Close()
	if err := q.Submit(t.Context(), request(nil)); !errors.Is(err, ErrQueueClosed) {
		t.Errorf("a closed queue: %v", err)
	}
	if err := q.TrySubmit(t.Context(), request(nil)); !errors.Is(err, ErrQueueClosed) {
		t.Errorf("a closed queue: %v", err)
	}
}

// TestQueueConcurrent has many goroutines submit, cancel and close. Every request
// that was taken is done once, wholly or not at all.
func TestQueueConcurrent(t *testing.T) {
	s, err := NewSkcipher("ctr(sm4)", noise(16, 1))
	if err != nil {
		t.Fatal(err)
	}
	q := NewQueue(4, 8)
	var taken, done atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 40 {
				n := 100 + 1000*i
				if i%8 == 0 {
					n = 5*splitSize + i
				}
				src, iv := noise(n, byte(i)), noise(16, byte(g))
				want, wantIV := make([]byte, n), bytes.Clone(iv)
				s.Encrypt(want, src, wantIV)
				got, gotIV := bytes.Clone(src), bytes.Clone(iv)
				ctx, cancel := context.WithCancel(t.Context())
				ready := make(chan error, 1)
				r := &Request{Skcipher: s, Dst: got, Src: got, IV: gotIV, Done: func(err error) { done.Add(1); ready <- err }}
				switch err := q.Submit(ctx, r); {
				case errors.Is(err, ErrQueueClosed):
					cancel()
					return
				case err != nil:
					t.Error(err)
				}
				taken.Add(1)
				if i%3 == 0 {
					cancel()
				}
				err := <-ready
				cancel()
				whole := bytes.Equal(got, want) && bytes.Equal(gotIV, wantIV)
				untouched := bytes.Equal(got, src) && bytes.Equal(gotIV, iv)
				if err == nil && !whole || err != nil && (!untouched || !errors.Is(err, context.Canceled)) {
					t.Errorf("%d bytes: %v, whole %v, untouched %v", n, err, whole, untouched)
				}
				if g == 0 && i == 35 {
					q.Close()
				}
			}
		})
	}
	wg.Wait()
	q.Close()
	if taken.Load() != done.Load() {
		t.Errorf("%d requests taken, %d done", taken.Load(), done.Load())
	}
}

func TestQueueDoesNotAllocate(t *testing.T) {
	q := NewQueue(2, 2)
	defer q.Close()
	s, err := NewSkcipher("ctr(sm4)", noise(16, 1))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	buf := make([]byte, 4*splitSize)
	r := &Request{Skcipher: s, Dst: buf, Src: buf, IV: make([]byte, 16), Done: func(err error) { done <- err }}
	ctx := t.Context()
	if n := testing.AllocsPerRun(20, func() {
		if err := q.Submit(ctx, r); err != nil {
			t.Error(err)
		}
		<-done
	}); n > 0 {
		t.Errorf("%v allocations a request", n)
	}
}

// TestCryptd asks for every driver by its name in cryptd.
func TestCryptd(t *testing.T) {
	for _, d := range Drivers() {
		if strings.Contains(d.DriverName, "cryptd") {
			t.Errorf("the table has %s", d.DriverName)
		}
		inner, err := Lookup(d.DriverName)
		if err != nil {
			continue
		}
		name := "cryptd(" + d.DriverName + ")"
		got, err := Lookup(name)
		if d.Type == TypeCipher {
			if err == nil {
				t.Errorf("%s exists", name)
			}
			continue
		}
		if err != nil || got.DriverName != name || got.Name != d.Name || got.Priority != inner.Priority+50 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if best, err := Lookup(d.Name); err != nil || strings.HasPrefix(best.DriverName, "cryptd") {
			t.Errorf("%s is served by %s, %v", d.Name, best.DriverName, err)
		}
		switch d.Type {
		case TypeSkcipher:
			key := noise(d.MaxKeySize, 1)
			plain, err := NewSkcipher(d.DriverName, key)
			if err != nil {
				t.Fatal(err)
			}
			queued, err := NewSkcipher(name, key)
			if err != nil || queued.Driver().DriverName != name {
				t.Fatal(name, err)
			}
			src := noise(4096, 2)
			want, got := make([]byte, 4096), make([]byte, 4100)
			wantIV, gotIV := noise(d.IVSize, 3), noise(d.IVSize, 3)
			plain.Encrypt(want, src, wantIV)
			if err := queued.Encrypt(got, src, gotIV); err != nil || !bytes.Equal(got[:4096], want) || !bytes.Equal(gotIV, wantIV) || got[4096] != 0 {
				t.Errorf("%s: %v, or another result", name, err)
			}
			copy(gotIV, noise(d.IVSize, 3))
			if err := queued.Decrypt(got, got[:4096], gotIV); err != nil || !bytes.Equal(got[:4096], src) {
				t.Errorf("%s: decryption: %v, or another result", name, err)
			}
			if plain.EncryptUnits(want, src, 512, 7) == nil {
				if err := queued.EncryptUnits(got, src, 512, 7); err != nil || !bytes.Equal(got[:4096], want) {
					t.Errorf("%s: units: %v, or another result", name, err)
				}
				if err := queued.DecryptUnits(got, got[:4096], 512, 7); err != nil || !bytes.Equal(got[:4096], src) {
					t.Errorf("%s: units: decryption: %v, or another result", name, err)
				}
			}
		case TypeAEAD:
			key, nonce, text := noise(d.MinKeySize, 1), noise(12, 2), noise(1000, 3)
			plain, err := NewAEAD(d.DriverName, key, 12, 16)
			if err != nil {
				t.Fatal(err)
			}
			queued, err := NewAEAD(name, key, 12, 16)
			if err != nil {
				t.Fatal(name, err)
			}
			sealed := queued.Seal(nil, nonce, text, key)
			if got, err := queued.Open(nil, nonce, sealed, key); err != nil || !bytes.Equal(got, text) || !bytes.Equal(sealed, plain.Seal(nil, nonce, text, key)) {
				t.Errorf("%s: %v, or another result", name, err)
			}
		case TypeShash:
			key := noise(d.MinKeySize, 1)
			plain, err := NewHash(d.DriverName, key)
			if err != nil {
				t.Fatal(err)
			}
			queued, err := NewHash(name, key)
			if err != nil {
				t.Fatal(name, err)
			}
			plain.Write(noise(1000, 1))
			if n, err := queued.Write(noise(1000, 1)); n != 1000 || err != nil || !bytes.Equal(queued.Sum(nil), plain.Sum(nil)) {
				t.Errorf("%s: %v, or another result", name, err)
			}
		}
	}
	for _, name := range []string{"cryptd(nothing)", "cryptd(ctr(sm4))", "cryptd()", "cryptd(cryptd(ctr(sm4-generic)))", "cryptd(ctr(sm4-generic)", "cryptd(sm4-generic)"} {
		var unknown *UnknownAlgorithmError
		if _, err := Lookup(name); !errors.As(err, &unknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCryptdAEAD has an AEAD's misuse panic in the caller's goroutine.
func TestCryptdAEAD(t *testing.T) {
	block, _ := aes.NewCipher(noise(16, 1))
	plain, _ := cipher.NewGCM(block)
	queued := cryptdAEAD(&Driver{DriverName: "cryptd(x)"}, plain)
	nonce, text := noise(12, 2), noise(100, 3)
	sealed := queued.Seal([]byte("in front"), nonce, text, nil)
	if !bytes.Equal(sealed, plain.Seal([]byte("in front"), nonce, text, nil)) {
		t.Error("another ciphertext")
	}
	if got, err := queued.Open(nil, nonce, sealed[8:], nil); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%v, or another plaintext", err)
	}
	if _, err := queued.Open(nil, nonce, sealed, nil); err == nil {
		t.Error("no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	queued.Seal(nil, nonce[1:], text, nil)
}

func BenchmarkQueue(b *testing.B) {
	s, err := NewSkcipher("ctr(sm4)", noise(16, 1))
	if err != nil {
		b.Fatal(err)
	}
	const n = 1 << 20
	buf, iv := make([]byte, n), make([]byte, 16)
	b.Run("direct", func(b *testing.B) {
		b.SetBytes(n)
		for b.Loop() {
			s.Encrypt(buf, buf, iv)
		}
	})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			q := NewQueue(workers, 4)
			defer q.Close()
			done := make(chan error, 1)
			r := &Request{Skcipher: s, Dst: buf, Src: buf, IV: iv, Done: func(err error) { done <- err }}
			b.SetBytes(n)
			for b.Loop() {
				if err := q.Submit(b.Context(), r); err != nil {
					b.Fatal(err)
				}
				<-done
			}
		})
	}
}
