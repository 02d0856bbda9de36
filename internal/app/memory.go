package app

import (
	"fmt"
	"log/slog"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/config"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// memoryBytes bounds the prices remembered in this process: some 200,000 of them.
const memoryBytes = 64 << 20

// openMemory is Redis when it is configured, else this process.
func openMemory(cfg *config.Config, log *slog.Logger, observer memoryObserver) (cache.Store, error) {
	if cfg.RedisURL == "" {
		return cache.NewMemory(cache.MemoryOptions{MaxBytes: memoryBytes, StaleFor: cfg.PriceStaleFor, Observer: observer}), nil
	}
	redis, err := cache.NewRedis(cfg.RedisURL.Reveal(), cache.RedisOptions{StaleFor: cfg.PriceStaleFor, Observer: observer, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("BFF_REDIS_URL: %w", err)
	}
	observer.metrics.WatchRedisPool(func() slo.RedisPoolState {
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
