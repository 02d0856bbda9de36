package app

import (
	"log/slog"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/config"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// memoryBytes bounds the prices remembered in this process: some 200,000 of them.
const memoryBytes = 64 << 20

// openMemory is Redis when it is configured, else this process.
func openMemory(cfg *config.Config, log *slog.Logger, metrics *slo.Metrics) (cache.Store, error) {
	if cfg.RedisURL == "" {
		return cache.NewMemory(cache.MemoryOptions{MaxBytes: memoryBytes, StaleFor: cfg.PriceStaleFor, Observer: memoryObserver{metrics}}), nil
	}
	redis, err := cache.NewRedis(string(cfg.RedisURL), cache.RedisOptions{StaleFor: cfg.PriceStaleFor, Observer: memoryObserver{metrics}, Logger: log})
	if err != nil {
		return nil, err
	}
	metrics.WatchRedisPool(func() slo.RedisPoolState {
		s := redis.PoolStats()
		return slo.RedisPoolState{InUse: s.Total - s.Idle, Idle: s.Idle, Hits: s.Hits, Misses: s.Misses, Timeouts: s.Timeouts}
	})
	return redis, nil
}

type memoryObserver struct{ *slo.Metrics }

func (m memoryObserver) PriceMemory(op cache.Op, r page.MemoryResult) {
	m.Metrics.PriceMemory(page.MemoryOp(op), r)
}
