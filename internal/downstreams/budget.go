package downstreams

import (
	"sync"
	"time"
)

const (
	budgetCapacity  = 10 // retries and hedges that a quiet downstream has in hand
	budgetPerSecond = 1
)

// budget bounds the retries and hedges of one downstream, however many calls fail in the same instant: a token bucket
// that starts full and earns with each call and with time.
type budget struct {
	ratio float64 // tokens per call

	mu     sync.Mutex
	tokens float64
	at     time.Time // of the last look
}

func newBudget(ratio float64, now time.Time) *budget {
	return &budget{ratio: ratio, tokens: budgetCapacity, at: now}
}

// earn adds a call's share.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(b.ratio)
}

// take takes one token, if there is one.
func (b *budget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(now)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// giveBack returns a token that was taken for an attempt that was not made.
func (b *budget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(1)
}

func (b *budget) left(now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(now)
	return b.tokens
}

func (b *budget) refill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.add(passed.Seconds() * budgetPerSecond)
		b.at = now
	}
}

func (b *budget) add(tokens float64) { b.tokens = min(budgetCapacity, b.tokens+tokens) }
