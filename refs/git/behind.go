package git

import (
	"fmt"
	"sync"
)

// behind writes loose objects in the background. To name an object takes
// microseconds, to write its file a sixth of a millisecond, and whoever makes a
// commit has five of them: written behind, they are on the disk by the time that
// the last one is named.
//
// Only a Tx needs the objects to be there, before it moves a ref. While one is
// open writes go behind, and Tx.Commit waits for them; without one a write is
// done when it returns.
type behind struct {
	mu      sync.Mutex
	open    int // Txs
	queue   []looseWrite
	writing map[ID]Object // queued, being written, or not to be written: readable from here
	busy    bool
	idle    sync.Cond // signals that the queue was worked off
	err     error     // the first failure since the last flush
}

type looseWrite struct {
	id  ID
	how writeSettings
}

// begin and end count the open Txs.
func (b *behind) begin() { b.count(1) }
func (b *behind) end()   { b.count(-1) }

func (b *behind) count(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open += n
}

// writeBehind queues a write and reports true, or reports false where no Tx is open.
func (r *Repo) writeBehind(o Object, how writeSettings) bool {
	b := &r.behind
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == 0 {
		return false
	}
	if _, ok := b.writing[o.ID]; ok {
		return true
	}
	if b.writing == nil {
		b.writing = map[ID]Object{}
		b.idle.L = &b.mu
	}
	b.writing[o.ID] = o
	b.queue = append(b.queue, looseWrite{o.ID, how})
	if !b.busy {
		b.busy = true
		go r.workOff()
	}
	return true
}

// workOff writes what is queued, in order, and ends.
func (r *Repo) workOff() {
	b := &r.behind
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 {
		w := b.queue[0]
		b.queue = b.queue[1:]
		o := b.writing[w.id]
		b.mu.Unlock()
		err := r.storeLoose(o, w.how)
		b.mu.Lock()
		switch {
		case err == nil:
			delete(b.writing, w.id)
		case b.err == nil:
			b.err = fmt.Errorf("cannot write object '%s': %w", w.id, err)
		}
	}
	b.busy = false
	b.idle.Broadcast()
}

// flush waits for everything queued, and says what failed. Up to then what failed can
// be read: that it is not there is not to be found out, as another error, by whoever
// goes on with it.
func (b *behind) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.busy {
		b.idle.Wait()
	}
	err := b.err
	b.err = nil
	clear(b.writing)
	return err
}

// unwritten finds an object that is not on the disk yet.
func (b *behind) unwritten(id ID) (Object, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.writing[id]
	return o, ok
}
