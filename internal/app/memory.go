package app

import (
	"context"
	"fmt"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// memoryBytes bounds the prices remembered in this process: some 200,000 of them.
const memoryBytes = 64 << 20

// memory is Redis when it is configured, else this process.
func (a *App) memory(metrics *slo.Metrics) (cache.Store, error) {
	staleFor, observer := a.cfg.PriceStaleFor, memoryObserver{metrics, a.people}
	if a.cfg.RedisURL == "" {
		return cache.NewMemory(cache.MemoryOptions{MaxBytes: memoryBytes, StaleFor: staleFor, Observer: observer}), nil
	}
	redis, err := cache.NewRedis(a.cfg.RedisURL.Reveal(), cache.RedisOptions{StaleFor: staleFor, Observer: observer, Logger: a.log})
	if err != nil {
		return nil, fmt.Errorf("BFF_REDIS_URL: %w", err)
	}
	a.closing(func(ctx context.Context) {
		if err := redis.Close(ctx); err != nil {
			a.log.Warn("not every price was remembered", "error", err)
		}
	})
	metrics.WatchRedisPool(func() slo.RedisPoolState {
		s := redis.PoolStats()
		return slo.RedisPoolState{InUse: s.Total - s.Idle, Idle: s.Idle, Hits: s.Hits, Misses: s.Misses, Timeouts: s.Timeouts}
	})
	return redis, nil
}

// memoryObserver passes the memory's events on. A page's own reads are in its record.
type memoryObserver struct {
	metrics *slo.Metrics
	people  *ops.Ops
}

func (m memoryObserver) PriceMemory(op page.MemoryOp, r page.MemoryResult) {
	m.metrics.PriceMemory(op, r)
	if op == page.MemorySet {
		m.people.Remembered(r)
	}
}
