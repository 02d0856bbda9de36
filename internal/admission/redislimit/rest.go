package redislimit

import (
	"sync"
	"time"
)

const (
	hiccup   = 100 * time.Millisecond // of failures alone
	coolDown = time.Second
)

// rest keeps a Redis that does not answer out of the way. One late answer means nothing: most often this process is
// busy and was late to read it, which is no time to let every client pass. The zero value asks.
type rest struct {
	mu    sync.Mutex
	since time.Time // the first failure after the last answer; zero when there was none
	until time.Time // nobody asks before; zero when all do
}

// over tells whether to ask. After a rest, one a second is told to.
func (r *rest) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until.IsZero() {
		return true
	}
	now := time.Now()
	if now.Before(r.until) {
		return false
	}
	r.until = now.Add(coolDown)
	return true
}

func (r *rest) answered() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since, r.until = time.Time{}, time.Time{}
}

func (r *rest) failed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.since.IsZero() {
		r.since = now
	}
	if now.Sub(r.since) >= hiccup {
		r.until = now.Add(coolDown)
	}
}
