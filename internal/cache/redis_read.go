package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/page"
)

const (
	// readTimeout is of one exchange: as long as a page could wait for it. A healthy Redis answers in about a
	// millisecond; the rest is for a rush on a busy machine.
	readTimeout = 500 * time.Millisecond

	readQueueSize = 4096 // keys

	// A node answers a rush best in a few large exchanges.
	readers   = 4   // exchanges with a node at once
	readBatch = 256 // keys in one exchange
)

// read is one question to Redis, and how it ended once done is closed.
type read struct {
	key   string
	done  chan struct{}
	value string // empty: nothing there
	err   error
}

// reads makes one question of all that ask for the same key at the same time.
type reads struct {
	queue *queue[*read]

	mu      sync.Mutex
	pending map[string]*read
}

func newReads() *reads {
	return &reads{queue: newQueue[*read](readQueueSize), pending: map[string]*read{}}
}

var errNotAsked = errors.New("too many reads, or closed")

// join returns the question about key that is under way, or a new one that is queued.
func (rs *reads) join(key string) *read {
	rs.mu.Lock()
	if pending, ok := rs.pending[key]; ok {
		rs.mu.Unlock()
		return pending
	}
	r := &read{key: key, done: make(chan struct{})}
	rs.pending[key] = r
	rs.mu.Unlock()
	if gone, dropped := rs.queue.push(r); dropped {
		rs.finish(gone, "", errNotAsked)
	}
	return r
}

func (rs *reads) finish(r *read, value string, err error) {
	rs.mu.Lock()
	delete(rs.pending, r.key)
	rs.mu.Unlock()
	r.value, r.err = value, err
	close(r.done)
}

// Recall asks Redis, and waits for as long as ctx and the exchange last.
func (r *Redis) Recall(ctx context.Context, k Key) (page.ShownPrice, page.MemoryResult) {
	p, result := r.recall(ctx, k.shared())
	r.observer.PriceMemory(page.MemoryGet, result)
	return p, result
}

func (r *Redis) recall(ctx context.Context, key string) (page.ShownPrice, page.MemoryResult) {
	if ctx.Err() != nil {
		return page.ShownPrice{}, page.MemoryTimeout
	}
	l := r.lane(key)
	if !l.breaker.allow() {
		return page.ShownPrice{}, page.MemoryError
	}
	answer := l.reads.join(key)
	select {
	case <-ctx.Done():
		return page.ShownPrice{}, page.MemoryTimeout
	case <-answer.done:
	}
	switch {
	case answer.err != nil:
		return page.ShownPrice{}, resultOf(answer.err)
	case answer.value == "":
		return page.ShownPrice{}, page.MemoryMiss
	default:
		return value(answer.value).price(r.staleFor)
	}
}

func (r *Redis) readAll(l *lane) {
	for batch := l.reads.queue.take(readBatch); len(batch) > 0; batch = l.reads.queue.take(readBatch) {
		r.read(l, batch)
	}
}

// read asks for no more of a value than could be valid.
func (r *Redis) read(l *lane, batch []*read) {
	ctx, cancel := context.WithTimeout(r.open, readTimeout)
	defer cancel()
	pipe := r.rdb.Pipeline()
	cmds := make([]*redis.StringCmd, len(batch))
	for i, b := range batch {
		cmds[i] = pipe.GetRange(ctx, b.key, 0, maxValueSize-1)
	}
	execute(ctx, pipe)
	var trouble error
	answered := false
	for _, c := range cmds {
		if usable(c.Err()) {
			answered = true
		} else {
			trouble = c.Err()
		}
	}
	l.breaker.report(answered)
	r.report(l, page.MemoryGet, answered, trouble)
	for i, c := range cmds {
		l.reads.finish(batch[i], c.Val(), c.Err())
	}
}

const wrongType = "WRONGTYPE"

// usable tells an answer about a key, if only that something else is there, from trouble with Redis.
func usable(err error) bool { return err == nil || redis.HasErrorPrefix(err, wrongType) }
