package admission

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"example.com/bff/internal/page"
)

// memoryKeys bounds a Memory: some 20 MB when full.
const memoryKeys = 1 << 16

// Memory is a Store for this process alone. It knows the 65,536 clients that came last; the one it forgets then starts
// with a full bucket, as it would have had anyway had it stayed away for long.
type Memory struct {
	buckets *lru.Cache[string, *rate.Limiter]
}

// NewMemory makes an empty Memory.
func NewMemory() *Memory { return newMemory(memoryKeys) }

func newMemory(keys int) *Memory {
	buckets, err := lru.New[string, *rate.Limiter](keys)
	if err != nil {
		panic(err) // for sizes under 1 alone
	}
	return &Memory{buckets}
}

// Take never fails.
func (m *Memory) Take(_ context.Context, key string, a Allowance) (page.Rate, error) {
	bucket := m.bucket(key, a)
	now := time.Now()
	taken := bucket.AllowN(now, 1)
	return a.Tell(taken, bucket.TokensAt(now)), nil
}

func (m *Memory) bucket(key string, a Allowance) *rate.Limiter {
	if b, ok := m.buckets.Get(key); ok {
		return b
	}
	fresh := rate.NewLimiter(rate.Limit(a.PerSecond), a.Burst)
	if b, ok, _ := m.buckets.PeekOrAdd(key, fresh); ok {
		return b
	}
	return fresh
}
