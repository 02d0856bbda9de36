package cache

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"example.com/bff/internal/page"
)

// MemoryOptions are all needed.
type MemoryOptions struct {
	MaxBytes int           // keys, values and what it takes to hold them
	StaleFor time.Duration // nothing older is returned
	Observer Observer
}

// Memory is the store in this process: the least recently used goes first. It has no goroutine, and nothing to close.
type Memory struct {
	staleFor time.Duration
	maxBytes int
	observer Observer

	mu     sync.Mutex
	values *simplelru.LRU[string, value]
	bytes  int
}

// entryOverhead is what an entry takes beside its key and value: the list's element, and the map's slots, of which a
// table that has just been split fills few.
const entryOverhead = 280

// NewMemory panics unless o.MaxBytes is positive.
func NewMemory(o MemoryOptions) *Memory {
	m := &Memory{staleFor: o.StaleFor, maxBytes: o.MaxBytes, observer: o.Observer}
	// The limit on the number of entries is never reached: the one on bytes is, before.
	values, err := simplelru.NewLRU(o.MaxBytes, func(k string, v value) { m.bytes -= entrySize(k, v) })
	if err != nil {
		panic("cache: " + err.Error())
	}
	m.values = values
	return m
}

// entrySize counts that the allocator rounds up, by an eighth at most.
func entrySize(k string, v value) int { return entryOverhead + (len(k)+cap(v))*9/8 }

// local is the key inside this process. An id has no slash. The copy is on purpose: the strings in k are parts of a
// request, and would keep all of it alive.
func (k Key) local() string { return k.ID.String() + "/" + k.Variant }

// Recall does not look at ctx: it does not wait.
func (m *Memory) Recall(_ context.Context, k Key) (page.ShownPrice, page.MemoryResult) {
	p, result := m.recall(k.local())
	m.observer.PriceMemory(page.MemoryGet, result)
	return p, result
}

func (m *Memory) recall(key string) (page.ShownPrice, page.MemoryResult) {
	m.mu.Lock()
	v, known := m.values.Get(key)
	m.mu.Unlock()
	if !known {
		return page.ShownPrice{}, page.MemoryMiss
	}
	return v.price(m.staleFor)
}

// Remember keeps p unless something as new is known.
func (m *Memory) Remember(k Key, p page.ShownPrice) { m.set(k.local(), remembered(p)) }

// Forget says that at asOf there was no price.
func (m *Memory) Forget(k Key, asOf time.Time) { m.set(k.local(), forgotten(asOf)) }

func (m *Memory) set(key string, v value) {
	m.keep(key, v)
	m.observer.PriceMemory(page.MemorySet, page.MemoryOK)
}

func (m *Memory) keep(key string, v value) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.values.Peek(key)
	if !v.credible() || known && !v.supersedes(old) {
		return
	}
	if known {
		m.bytes -= entrySize(key, old)
	}
	m.bytes += entrySize(key, v)
	m.values.Add(key, v)
	for m.bytes > m.maxBytes {
		m.values.RemoveOldest()
	}
}
