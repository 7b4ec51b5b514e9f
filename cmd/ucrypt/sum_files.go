package main

import (
	"crypto/subtle"
	"hash"
	"io"
	"os"
	"runtime"
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

	done   chan struct{} // closed when what follows is set
	digest []byte
	space  [64]byte // for the digest
	err    error
}

const (
	// inFlight is how many items may wait between being found and being printed.
	inFlight = 1024
	// together is how many small files a worker hashes at once, and smallFile how long
	// such a file may be.
	together  = 32
	smallFile = 64 << 10
	// readSize is how much of a longer file is read at once.
	readSize = 256 << 10
)

// digests hashes the items that find submits, and calls use with each, in the order in
// which they were submitted. find runs at the same time as use.
func (s *checksum) digests(find func(submit func(*item)), use func(*item)) {
	work, order := make(chan *item, inFlight), make(chan *item, inFlight)
	go func() {
		var last chan struct{}
		find(func(i *item) {
			i.done = make(chan struct{})
			if i.note != nil {
				close(i.done)
			} else {
				if i.file == "-" {
					i.turn, i.gone = last, make(chan struct{})
					last = i.gone
				}
				work <- i
			}
			order <- i
		})
		close(work)
		close(order)
	}()
	workers := runtime.GOMAXPROCS(0)
	for range workers {
		go func() {
			w := worker{checksum: s, hashes: map[kind]hash.Hash{}}
			var batch []*item
			for i := range work {
				// A fair part of what waits, so that the others have something to do too.
				batch = append(batch[:0], i)
				for fair := min(1+len(work)/workers, together); len(batch) < fair; {
					select {
					case i, ok := <-work:
						if ok {
							batch = append(batch, i)
							continue
						}
					default: // another worker was quicker
					}
					break
				}
				w.hash(batch)
			}
		}()
	}
	for i := range order {
		select {
		case <-i.done:
		default:
			s.out.Flush() // while there is nothing else to do
			<-i.done
		}
		if i.note != nil {
			i.note()
		} else {
			use(i)
		}
	}
}

// worker hashes files on one goroutine.
type worker struct {
	*checksum
	hashes map[kind]hash.Hash
	bufs   [together][]byte // for small files
	long   []byte           // for others
	small  []*item          // of the batch, with the text of each
	texts  [][]byte
	sums   []byte
}

// hash hashes a batch of files: first the longer ones as they are read, then the small
// ones, which are in memory as a whole, together.
func (w *worker) hash(batch []*item) {
	w.small, w.texts = w.small[:0], w.texts[:0]
	for n, i := range batch {
		if w.bufs[n] == nil {
			w.bufs[n] = make([]byte, smallFile)
		}
		text, small, err := w.read(i, w.bufs[n])
		if small {
			w.small, w.texts = append(w.small, i), append(w.texts, text)
			continue
		}
		i.err = err
		close(i.done)
	}
	for from := 0; from < len(w.small); {
		to := from + 1
		for to < len(w.small) && w.small[to].kind == w.small[from].kind {
			to++
		}
		w.hashSmall(w.small[from:to], w.texts[from:to])
		from = to
	}
}

// hashSmall hashes files of one kind.
func (w *worker) hashSmall(items []*item, texts [][]byte) {
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
		close(i.done)
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

// read reads a file. A small one is returned; of another one the digest is computed.
func (w *worker) read(i *item, buf []byte) (text []byte, small bool, err error) {
	var f io.Reader = os.Stdin
	if i.gone == nil {
		opened, err := openSumFile(i.file)
		if err != nil {
			return nil, false, err
		}
		defer opened.Close()
		f = opened
	} else {
		if i.turn != nil {
			<-i.turn
		}
		defer close(i.gone)
		if replaced(os.Stdin) {
			return nil, false, os.ErrClosed
		}
	}
	n, err := io.ReadFull(f, buf)
	switch err {
	case nil:
	case io.EOF, io.ErrUnexpectedEOF:
		return buf[:n], true, nil
	default:
		return nil, false, err
	}
	h, err := w.hashOf(i.kind)
	if err != nil {
		return nil, false, err
	}
	h.Write(buf)
	if w.long == nil {
		w.long = make([]byte, readSize)
	}
	for {
		n, err := f.Read(w.long)
		h.Write(w.long[:n])
		if err == io.EOF {
			i.digest = h.Sum(i.space[:0])
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// matches reports whether the file has the digest that it should, which may be a MAC: how
// long that takes does not tell where they differ.
func (i *item) matches() bool { return subtle.ConstantTimeCompare(i.digest, i.want) == 1 }
