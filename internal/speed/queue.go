package speed

import (
	"context"
	"hash"

	"ucrypt"
)

// Queued says how requests go through a ucrypt.Queue. The zero value means that
// there is none.
type Queued struct {
	InFlight int // requests that are under way at once
	Workers  int // 0 means one for each processor
}

// openQueued is open, with messages that take turns in a queue. A hash takes
// its message in updates if update is not 0, each a request.
func openQueued(d ucrypt.Driver, op Op, keyBits, bytes, update int, q Queued) (w Work, release func(), err error) {
	queue := ucrypt.NewQueue(q.Workers, q.InFlight)
	free := make(chan *slot, q.InFlight)
	for range q.InFlight {
		s, err := newSlot(d, op, keyBits, bytes, update)
		if err != nil {
			queue.Close()
			return nil, nil, err
		}
		s.request.Done = func(err error) {
			s.err = err
			free <- s
		}
		free <- s
	}
	ctx := context.Background()
	work := func(n int) error {
		for range n {
			s := <-free
			if s.err != nil {
				return s.err
			}
			if err := queue.Submit(ctx, &s.request); err != nil {
				return err
			}
		}
		// What is timed ends with the last answer.
		all := make([]*slot, 0, q.InFlight)
		for range q.InFlight {
			all = append(all, <-free)
		}
		for _, s := range all {
			free <- s
		}
		for _, s := range all {
			if s.err != nil {
				return s.err
			}
		}
		return nil
	}
	return work, queue.Close, nil
}

// slot is a request with its memory.
type slot struct {
	request ucrypt.Request
	err     error
}

func newSlot(d ucrypt.Driver, op Op, keyBits, bytes, update int) (*slot, error) {
	key := pattern(keyBits / 8)
	s := &slot{}
	s.request.Decrypt = op == Decrypt
	var err error
	switch d.Type {
	case ucrypt.TypeSkcipher:
		s.request.Skcipher, err = ucrypt.NewSkcipher(d.DriverName, key)
		buf := pattern(bytes)
		s.request.Dst, s.request.Src, s.request.IV = buf, buf, pattern(d.IVSize)
	case ucrypt.TypeAEAD:
		a, nonce, data, openErr := openAEAD(d, key)
		if err = openErr; err != nil {
			break
		}
		text := pattern(bytes)
		sealed := a.Seal(nil, nonce, text, data)
		s.request.AEAD, s.request.IV, s.request.Data = a, nonce, data
		s.request.Dst, s.request.Src = sealed, text
		if op == Decrypt {
			s.request.Dst, s.request.Src = text, sealed
		}
	case ucrypt.TypeShash:
		var h hash.Hash
		h, err = ucrypt.NewHash(d.DriverName, key) // an empty key is none
		if err == nil {
			if update > 0 {
				h = updates{h, update}
			}
			s.request.Hash, s.request.Src, s.request.Dst = h, pattern(bytes), make([]byte, h.Size())
		}
	default:
		return nil, errNotMeasured(d)
	}
	return s, err
}

// updates is a hash that is given what is written to it in pieces of a length.
type updates struct {
	hash.Hash
	length int
}

func (u updates) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > u.length {
		u.Hash.Write(p[:u.length])
		p = p[u.length:]
	}
	u.Hash.Write(p)
	return n, nil
}

// openUpdates is open for a hash that is given a message in updates.
func openUpdates(d ucrypt.Driver, bytes, update int) (Work, error) {
	h, err := ucrypt.NewHash(d.DriverName, nil)
	if err != nil {
		return nil, err
	}
	return hashWork(updates{h, update}, bytes), nil
}
