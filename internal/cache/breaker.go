package cache

import (
	"sync"
	"time"
)

const (
	breakerFailures = 3           // exchanges in a row: from then on, reads are refused
	coolDown        = time.Second // and one is let through this often, to see
)

// breaker keeps a Redis that cannot be read from costing each failing page the time it has left. It is about reads alone:
// a Redis too slow for a page may still take writes. The zero value lets everything through.
type breaker struct {
	mu       sync.Mutex
	failures int
	probeAt  time.Time
}

func (b *breaker) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakerFailures {
		return true
	}
	now := time.Now()
	if now.Before(b.probeAt) {
		return false
	}
	b.probeAt = now.Add(coolDown)
	return true
}

func (b *breaker) report(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failures = 0
		return
	}
	if b.failures++; b.failures == breakerFailures {
		b.probeAt = time.Now().Add(coolDown)
	}
}
