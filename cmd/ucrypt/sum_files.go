package main

import (
	"crypto/subtle"
	"hash"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

// kind is what tells the digests of lines apart.
type kind struct {
	*family
	bits int
}

// item is one file that is to be hashed, or with note a message that has its place
// between them.
type item struct {
	file string
	kind
	want []byte // digest, when it is checked
	note func()

	// Of those that read standard input: closed when the one before has done so, and
	// when this one has.
	turn, gone chan struct{}

	// Set when the item is done.
	digest []byte
	space  [64]byte // for the digest
	err    error
}

// batch is what a worker takes at a time. It sends how many of the items, from the first
// on, are done.
type batch struct {
	items []*item
	done  chan int
}

const (
	// inFlight is how many items may wait for a worker, and how many batches for being
	// printed.
	inFlight = 1024
	// together is how many small files a worker hashes at once, and smallFile how long
	// such a file may be.
	together  = 64
	smallFile = 64 << 10
	// readSize is how much of a longer file is read at once.
	readSize = 256 << 10
	// impatience is how long lines that are ready wait for more of them.
	impatience = 10 * time.Millisecond
)

// queue holds the items that no worker has taken yet.
type queue struct {
	workers int
	order   chan *batch // those that were taken

	lock    sync.Mutex
	changed sync.Cond // the queue was empty or full, and no longer is; or it was closed
	items   []*item
	closed  bool
}

func newQueue(workers int) *queue {
	q := &queue{workers: workers, order: make(chan *batch, inFlight)}
	q.changed.L = &q.lock
	return q
}

func (q *queue) submit(i *item) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for len(q.items) >= inFlight {
		q.changed.Wait()
	}
	q.items = append(q.items, i)
	if len(q.items) == 1 {
		q.changed.Broadcast()
	}
}

func (q *queue) close() {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// take waits for items and takes a fair part of them, so that the other workers have
// something to do too, but no more than limit; nil if there will be none.
func (q *queue) take(limit int) *batch {
	q.lock.Lock()
	defer q.lock.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return nil
		}
		q.changed.Wait()
	}
	if len(q.items) >= inFlight {
		q.changed.Broadcast()
	}
	n := min(1+len(q.items)/q.workers, limit)
	b := &batch{items: q.items[:n:n], done: make(chan int, n)}
	q.items = q.items[n:]
	q.order <- b // under the lock, so that the order is that of the items
	return b
}

// digests hashes the items that find submits, and calls use with each, in the order in
// which they were submitted. find runs at the same time as use.
func (s *checksum) digests(find func(submit func(*item)), use func(*item)) {
	q := newQueue(runtime.GOMAXPROCS(0))
	go func() {
		var last chan struct{}
		find(func(i *item) {
			if i.note == nil && i.file == "-" {
				i.turn, i.gone = last, make(chan struct{})
				last = i.gone
			}
			q.submit(i)
		})
		q.close()
	}()
	var workers sync.WaitGroup
	for range q.workers {
		workers.Go(func() {
			w := worker{checksum: s, hashes: map[kind]hash.Hash{}}
			// Short files are hashed more at a time; a long one is not to keep others.
			for limit := 1; ; {
				b := q.take(limit)
				if b == nil {
					return
				}
				if w.hash(b) {
					limit = min(2*limit, together)
				} else {
					limit = 1
				}
			}
		})
	}
	go func() {
		workers.Wait()
		close(q.order)
	}()
	wait := time.NewTimer(impatience)
	for b := range q.order {
		for from := 0; from < len(b.items); {
			var to int
			wait.Reset(impatience)
			select {
			case to = <-b.done:
			case <-wait.C:
				s.out.Flush()
				to = <-b.done
			}
			for _, i := range b.items[from:to] {
				if i.note != nil {
					i.note()
				} else {
					use(i)
				}
			}
			from = to
		}
	}
}

// worker hashes files on one goroutine.
type worker struct {
	*checksum
	hashes map[kind]hash.Hash
	buf    []byte  // for small files
	long   []byte  // for others
	small  []*item // with the text of each, which is in buf
	texts  [][]byte
	sums   []byte
}

// hash hashes a batch of files: a longer one as it is read, small ones, which are in
// memory as a whole, together. It reports whether there were no longer ones.
func (w *worker) hash(b *batch) (onlySmall bool) {
	if w.buf == nil {
		w.buf = make([]byte, 8*smallFile)
	}
	onlySmall = true
	used := 0
	for n, i := range b.items {
		if i.note != nil {
			continue
		}
		if len(w.buf)-used < smallFile {
			w.hashSmall()
			used = 0
		}
		f, err := w.open(i)
		if err != nil {
			i.err = err
			continue
		}
		text := w.buf[used:][:smallFile]
		size, err := io.ReadFull(f, text)
		switch err {
		case io.EOF, io.ErrUnexpectedEOF:
			w.small, w.texts = append(w.small, i), append(w.texts, text[:size])
			used += size
		case nil:
			onlySmall = false
			w.hashSmall()
			if n > 0 {
				b.done <- n
			}
			i.err = w.hashLong(i, text, f)
			used = 0
		default:
			i.err = err
		}
		w.close(i, f)
	}
	w.hashSmall()
	b.done <- len(b.items)
	return onlySmall
}

// open opens a file. For one that is standard input it waits until those before it have
// read that.
func (w *worker) open(i *item) (io.ReadCloser, error) {
	if i.gone == nil {
		return openSumFile(i.file)
	}
	if i.turn != nil {
		<-i.turn
	}
	if replaced(os.Stdin) {
		close(i.gone)
		return nil, os.ErrClosed
	}
	return os.Stdin, nil
}

func (w *worker) close(i *item, f io.Closer) {
	if i.gone != nil {
		close(i.gone)
	} else {
		f.Close()
	}
}

// hashSmall hashes the small files that were read.
func (w *worker) hashSmall() {
	for from := 0; from < len(w.small); {
		to := from + 1
		for to < len(w.small) && w.small[to].kind == w.small[from].kind {
			to++
		}
		w.hashTogether(w.small[from:to], w.texts[from:to])
		from = to
	}
	w.small, w.texts = w.small[:0], w.texts[:0]
}

// hashTogether hashes small files of one kind.
func (w *worker) hashTogether(items []*item, texts [][]byte) {
	k := items[0].kind
	h, err := w.hashOf(k)
	many := err == nil && k.sumMany != nil && !w.hasDriver(k)
	if many {
		w.sums, err = k.sumMany(w.sums[:0], k.bits/8, w.key, texts)
	}
	for n, i := range items {
		switch {
		case err != nil:
			i.err = err
		case many:
			i.digest = append(i.space[:0], w.sums[n*k.bits/8:][:k.bits/8]...)
		default:
			h.Reset()
			h.Write(texts[n])
			i.digest = h.Sum(i.space[:0])
		}
	}
}

// hashOf returns a hash that nothing was written to.
func (w *worker) hashOf(k kind) (hash.Hash, error) {
	if h := w.hashes[k]; h != nil {
		h.Reset()
		return h, nil
	}
	h, err := w.newHash(k)
	if err == nil {
		w.hashes[k] = h
	}
	return h, err
}

// hashLong hashes a file that begins with text, and reads the rest of it.
func (w *worker) hashLong(i *item, text []byte, f io.Reader) error {
	h, err := w.hashOf(i.kind)
	if err != nil {
		return err
	}
	h.Write(text)
	if w.long == nil {
		w.long = make([]byte, readSize)
	}
	for {
		n, err := f.Read(w.long)
		h.Write(w.long[:n])
		if err == io.EOF {
			i.digest = h.Sum(i.space[:0])
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// matches reports whether the file has the digest that it should, which may be a MAC: how
// long that takes does not tell where they differ.
func (i *item) matches() bool { return subtle.ConstantTimeCompare(i.digest, i.want) == 1 }
