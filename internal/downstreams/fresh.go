package downstreams

import (
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	maxFresh      = 4096
	maxFreshBytes = 16 << 20
)

// fresh keeps good answers for a short while. It is bounded in number and in bytes, keys included. A nil one keeps
// nothing.
type fresh[T any] struct {
	lasts time.Duration

	mu    sync.Mutex
	bytes int
	kept  *simplelru.LRU[string, freshAnswer[T]]
}

type freshAnswer[T any] struct {
	value T
	bytes int
	until time.Time
}

func newFresh[T any](lasts time.Duration) *fresh[T] {
	if lasts <= 0 {
		return nil
	}
	f := &fresh[T]{lasts: lasts}
	f.kept, _ = simplelru.NewLRU(maxFresh, func(_ string, a freshAnswer[T]) { f.bytes -= a.bytes })
	return f
}

func (f *fresh[T]) get(key string, now time.Time) (v T, ok bool) {
	if f == nil {
		return v, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.kept.Get(key)
	if !ok || now.Before(a.until) {
		return a.value, ok
	}
	f.kept.Remove(key)
	return v, false
}

// put keeps an answer of so many bytes that was asked for at sent, unless a newer one is there.
func (f *fresh[T]) put(key string, v T, size int, sent time.Time) {
	if f == nil || size+len(key) > maxFreshBytes {
		return
	}
	a := freshAnswer[T]{v, size + len(key), sent.Add(f.lasts)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if old, ok := f.kept.Peek(key); ok && old.until.After(a.until) {
		return
	}
	f.kept.Remove(key)
	f.kept.Add(key, a)
	for f.bytes += a.bytes; f.bytes > maxFreshBytes; {
		f.kept.RemoveOldest()
	}
}
