package ucrypt

import (
	"context"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ucrypt/internal/alias"
	"ucrypt/internal/mode"
)

// Errors of a Queue.
var (
	ErrQueueClosed = errors.New("ucrypt: the queue is closed")
	ErrQueueFull   = errors.New("ucrypt: the queue is full")
)

// Request is one message for a Queue. One of Skcipher, AEAD and Hash is set.
// From the call of Submit until Done is called the request and its memory belong
// to the queue.
type Request struct {
	Skcipher *Skcipher
	AEAD     cipher.AEAD
	Hash     hash.Hash // of which no other request may be under way

	Decrypt bool
	// Dst gets the result: as many bytes as Src has, with an AEAD's tag behind them or
	// away from them, or a hash's digest. It may be longer, and may be Src exactly.
	Dst, Src []byte
	// IV is the iv or nonce. For an Skcipher it is replaced by the next one, as
	// Skcipher.Encrypt does it.
	IV   []byte
	Data []byte // associated data, for an AEAD

	// UnitSize, if it is not 0, makes Src data units of an xts Skcipher, numbered from
	// First on, without IV: see Skcipher.EncryptUnits.
	UnitSize int
	First    uint64

	task func() error // instead of the three, for cryptd

	// Done is called once, from one of the queue's workers, when the request is done or
	// was cancelled. Then err says why, and if it is the context's error nothing has been
	// written. Done must be quick; it may call TrySubmit, but neither Submit nor Close,
	// which could wait for the very worker that it runs on.
	Done func(err error)
}

// Queue works on requests in the background, as the kernel's cryptd does: its
// workers take them in the order of their submission. Big requests of modes
// whose blocks do not depend on each other are split, so that all workers work
// on them: ecb, ctr, xts, and the decryption of cbc and cfb.
type Queue struct {
	n       int           // workers
	slots   chan struct{} // one is taken for each request that is not done
	closing chan struct{}
	workers sync.WaitGroup

	mu      sync.Mutex
	wake    sync.Cond
	waiting []*job // ring of cap(slots)
	first   int    // of waiting
	count   int    // in waiting
	open    []*job // begun and split, with parts that nobody has taken
	spare   []*job
	closed  bool
}

// job is a request on its way.
type job struct {
	*Request
	ctx   context.Context
	size  int // of a part, the last of which is bigger
	parts int
	next  int // part that nobody has taken; under the queue's mutex
	left  atomic.Int32
	ivs   [][blockSize]byte // of the parts
}

const (
	// splitSize is the least size of a part: smaller ones are done sooner than another
	// worker wakes up.
	splitSize = 64 << 10
	// splitParts is how many parts a request has for each worker, so that one that
	// begins late has its share.
	splitParts = 4
	// splitStep divides a part's size: the 64 blocks of xtsIVs.
	splitStep = 64 * blockSize
)

// defaultDepth is the kernel's cryptd_max_cpu_qlen.
const defaultDepth = 1000

// NewQueue returns a queue with a number of workers, 0 for as many as GOMAXPROCS,
// which holds at most depth requests that are not done, 0 for 1000. It must be
// closed to end the workers.
func NewQueue(workers, depth int) *Queue {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if depth <= 0 {
		depth = defaultDepth
	}
	q := &Queue{
		n:       workers,
		slots:   make(chan struct{}, depth),
		closing: make(chan struct{}),
		waiting: make([]*job, depth),
	}
	q.wake.L = &q.mu
	for range workers {
		q.workers.Go(q.work)
	}
	return q
}

// Submit hands a request over, and waits while the queue is full. An error means
// that the queue has not taken it: it is wrong, which the error says as the
// call without a queue would, ctx is cancelled, or the queue is closed.
//
// A request whose ctx is cancelled before a worker begins with it is not worked
// on; one that has been begun is finished.
func (q *Queue) Submit(ctx context.Context, r *Request) error {
	if err := r.check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case q.slots <- struct{}{}:
	default:
		select {
		case q.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		case <-q.closing:
			return ErrQueueClosed
		}
	}
	return q.enter(ctx, r)
}

// TrySubmit is Submit, but does not wait: if the queue is full it returns
// ErrQueueFull.
func (q *Queue) TrySubmit(ctx context.Context, r *Request) error {
	if err := r.check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case q.slots <- struct{}{}:
		return q.enter(ctx, r)
	case <-q.closing:
		return ErrQueueClosed
	default:
		return ErrQueueFull
	}
}

// Close takes no more requests, waits until those that were taken are done and
// their Done has returned, and ends the workers. It may be called again.
func (q *Queue) Close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.closing)
		q.wake.Broadcast()
	}
	q.mu.Unlock()
	q.workers.Wait()
}

// enter puts a request that has a slot into the ring.
func (q *Queue) enter(ctx context.Context, r *Request) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		<-q.slots
		return ErrQueueClosed
	}
	var j *job
	if n := len(q.spare); n > 0 {
		j, q.spare = q.spare[n-1], q.spare[:n-1]
	} else {
		j = new(job)
	}
	j.Request, j.ctx = r, ctx
	q.waiting[(q.first+q.count)%len(q.waiting)] = j
	q.count++
	q.mu.Unlock()
	q.wake.Signal()
	return nil
}

// work is a worker.
func (q *Queue) work() {
	q.mu.Lock()
	for {
		switch {
		case len(q.open) > 0:
			j := q.open[0]
			part := j.next
			if j.next++; j.next == j.parts {
				q.open = slices.Delete(q.open, 0, 1)
			}
			q.mu.Unlock()
			j.run(part)
			q.finish(j, nil)
		case q.count > 0:
			j := q.waiting[q.first]
			q.waiting[q.first] = nil
			q.first = (q.first + 1) % len(q.waiting)
			q.count--
			q.mu.Unlock()
			q.begin(j)
		case q.closed:
			q.mu.Unlock()
			return
		default:
			q.wake.Wait()
			continue
		}
		q.mu.Lock()
	}
}

// begin works on a job of which nothing has been done, or on its first part.
func (q *Queue) begin(j *job) {
	j.parts = 1
	j.left.Store(1)
	if err := j.ctx.Err(); err != nil {
		q.finish(j, err)
		return
	}
	if j.split(q.n); j.parts == 1 {
		q.finish(j, j.whole())
		return
	}
	j.left.Store(int32(j.parts))
	q.mu.Lock()
	j.next = 1
	q.open = append(q.open, j)
	q.mu.Unlock()
	q.wake.Broadcast()
	j.run(0)
	q.finish(j, nil)
}

// finish counts a part as done, and after the last one the job.
func (q *Queue) finish(j *job, err error) {
	if j.left.Add(-1) > 0 {
		return
	}
	if j.parts > 1 {
		copy(j.IV, j.ivs[j.parts-1][:]) // nothing for ecb and units, which have none
	}
	done := j.Done
	j.Request, j.ctx = nil, nil
	q.mu.Lock()
	q.spare = append(q.spare, j)
	q.mu.Unlock()
	<-q.slots
	if done != nil {
		done(err)
	}
}

// check refuses what the request's cipher would refuse, before it is taken.
func (r *Request) check() error {
	switch {
	case r.task != nil:
		return nil
	case r.Skcipher != nil && r.UnitSize != 0:
		return r.Skcipher.checkUnits(r.Dst, r.Src, r.UnitSize)
	case r.Skcipher != nil:
		return r.Skcipher.check(r.Dst, r.Src, r.IV)
	case r.AEAD != nil:
		return r.checkAEAD()
	case r.Hash != nil:
		if size := r.Hash.Size(); len(r.Dst) < size {
			return &ShortBufferError{Name: "hash", Got: len(r.Dst), Want: size}
		}
		return nil
	}
	return errors.New("ucrypt: a request needs an Skcipher, an AEAD or a Hash")
}

func (r *Request) checkAEAD() error {
	const name = "aead"
	if n := r.AEAD.NonceSize(); len(r.IV) != n {
		return &IVSizeError{Name: name, Got: len(r.IV), Want: n}
	}
	n := len(r.Src) + r.AEAD.Overhead()
	if r.Decrypt {
		// What is shorter than the tag is a failed authentication, which Open reports.
		n = max(0, len(r.Src)-r.AEAD.Overhead())
	}
	if len(r.Dst) < n {
		return &ShortBufferError{Name: name, Got: len(r.Dst), Want: n}
	}
	dst := r.Dst[:n]
	if alias.InexactOverlap(dst, r.Src) || alias.AnyOverlap(dst, r.Data) || alias.AnyOverlap(dst, r.IV) {
		return &OverlapError{Name: name}
	}
	return nil
}

// whole does the request in one go. A panic, such as that of an AEAD at a message
// which is too long for its nonce, must not end the program on a worker: it is the
// request's error.
func (r *Request) whole() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("ucrypt: queued request: %v", p)
		}
	}()
	switch {
	case r.task != nil:
		return r.task()
	case r.Skcipher != nil && r.UnitSize != 0:
		r.Skcipher.units(r.Dst, r.Src, r.UnitSize, r.First, r.Decrypt)
	case r.Skcipher != nil:
		r.Skcipher.crypt(r.Dst, r.Src, r.IV, r.Decrypt)
	case r.AEAD != nil && r.Decrypt:
		_, err := r.AEAD.Open(r.Dst[:0], r.IV, r.Src, r.Data)
		return err
	case r.AEAD != nil:
		r.AEAD.Seal(r.Dst[:0], r.IV, r.Src, r.Data)
	default:
		r.Hash.Reset()
		r.Hash.Write(r.Src)
		r.Hash.Sum(r.Dst[:0])
	}
	return nil
}

// split decides on the parts of a job for a number of workers, and finds their
// ivs while the source is as it was.
func (j *job) split(workers int) {
	s := j.Skcipher
	if s == nil || workers == 1 || len(j.Src) < 2*splitSize || !s.parallel(j.Decrypt) {
		return
	}
	step := splitStep
	if j.UnitSize != 0 {
		step = j.UnitSize
	}
	if step >= len(j.Src) {
		return
	}
	j.size = max(splitSize, len(j.Src)/(splitParts*workers))
	j.size = (j.size + step - 1) / step * step
	if j.parts = max(1, len(j.Src)/j.size); j.parts == 1 {
		return
	}
	j.ivs = slices.Grow(j.ivs[:0], j.parts)[:j.parts]
	if j.UnitSize != 0 {
		return
	}
	switch s.algorithm {
	case cbc, cfb:
		copy(j.ivs[0][:], j.IV)
		for i := 1; i < j.parts; i++ {
			copy(j.ivs[i][:], j.Src[i*j.size-blockSize:])
		}
	case ctr:
		hi, lo := binary.BigEndian.Uint64(j.IV), binary.BigEndian.Uint64(j.IV[8:])
		for i := range j.ivs {
			binary.BigEndian.PutUint64(j.ivs[i][:], hi)
			binary.BigEndian.PutUint64(j.ivs[i][8:], lo)
			var carry uint64
			lo, carry = bits.Add64(lo, uint64(j.size/blockSize), 0)
			hi += carry
		}
	case xts, xtsGB:
		s.xtsIVs(j.ivs, j.IV, j.size/blockSize)
	}
}

// run does one part of a split job.
func (j *job) run(part int) {
	from, to := part*j.size, (part+1)*j.size
	if part == j.parts-1 {
		to = len(j.Src)
	}
	s, dst, src := j.Skcipher, j.Dst[from:to], j.Src[from:to]
	switch {
	case j.UnitSize != 0:
		s.units(dst, src, j.UnitSize, j.First+uint64(from/j.UnitSize), j.Decrypt)
	case s.algorithm == ecb:
		s.crypt(dst, src, nil, j.Decrypt)
	default:
		s.crypt(dst, src, j.ivs[part][:], j.Decrypt)
		if part == j.parts-1 && (s.algorithm == xts || s.algorithm == xtsGB) {
			copy(j.ivs[part][:], j.IV) // which xts leaves as it was
		}
	}
}

// parallel reports whether parts of a message can be done apart.
func (s *Skcipher) parallel(decrypt bool) bool {
	switch s.algorithm {
	case ecb, ctr, xts, xtsGB:
		return true
	case cbc, cfb:
		return decrypt
	}
	return false
}

func (s *Skcipher) units(dst, src []byte, unitSize int, first uint64, decrypt bool) {
	if decrypt {
		mode.DecryptXTSUnits(&s.xts, dst, src, unitSize, first)
	} else {
		mode.EncryptXTSUnits(&s.xts, dst, src, unitSize, first)
	}
}

// xtsIVs finds the ivs with which parts of a data unit, the given number of
// blocks apart, are encrypted as if they were units of their own: the tweak of
// each part's first block, decrypted with the tweak key. The number is a
// multiple of 64.
func (s *Skcipher) xtsIVs(ivs [][blockSize]byte, iv []byte, blocks int) {
	tweak := &s.cipher
	copy(ivs[0][:], iv)
	var t [blockSize]byte
	mode.EncryptECB(tweak, t[:], iv)
	lo, hi := binary.LittleEndian.Uint64(t[:]), binary.LittleEndian.Uint64(t[8:])
	if s.algorithm == xtsGB { // whose first bit is the first byte's highest
		lo, hi = bits.Reverse64(binary.BigEndian.Uint64(t[:])), bits.Reverse64(binary.BigEndian.Uint64(t[8:]))
	}
	for i := 1; i < len(ivs); i++ {
		for range blocks / 64 {
			// The tweak times x^64, modulo x^128 + x^7 + x^2 + x + 1.
			over := hi
			hi = lo ^ over>>63 ^ over>>62 ^ over>>57
			lo = over ^ over<<1 ^ over<<2 ^ over<<7
		}
		out := ivs[i][:]
		if s.algorithm == xtsGB {
			binary.BigEndian.PutUint64(out, bits.Reverse64(lo))
			binary.BigEndian.PutUint64(out[8:], bits.Reverse64(hi))
		} else {
			binary.LittleEndian.PutUint64(out, lo)
			binary.LittleEndian.PutUint64(out[8:], hi)
		}
		mode.DecryptECB(tweak, out, out)
	}
}
