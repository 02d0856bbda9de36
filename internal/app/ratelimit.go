package app

import (
	"context"
	"fmt"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/admission/redislimit"
	"example.com/bff/internal/cache"
	"example.com/bff/internal/handlers"
	"example.com/bff/internal/slo"
)

// limitConnections bounds the connections to each Redis node that rate limits are asked over: an answer takes well under
// a millisecond, so these are tens of thousands of requests a second.
const limitConnections = 16

// rateLimit is nil when there is no limit.
func (a *App) rateLimit(metrics *slo.Metrics) (handlers.RateLimit, error) {
	if !a.cfg.RateLimit.On() {
		return nil, nil
	}
	buckets, err := a.buckets()
	if err != nil {
		return nil, err
	}
	limiter := admission.NewLimiter(admission.Allowance(a.cfg.RateLimit), a.cfg.TrustedProxies, buckets)
	metrics.WatchRateLimit(limiter.Passed)
	return limiter, nil
}

// buckets are shared through Redis when it is configured, else this process's own.
func (a *App) buckets() (admission.Store, error) {
	if a.cfg.RedisURL == "" {
		return admission.NewMemory(), nil
	}
	client, end, err := cache.Connect(a.cfg.RedisURL.Reveal(), limitConnections)
	if err != nil {
		return nil, fmt.Errorf("BFF_REDIS_URL: %w", err)
	}
	a.closing(func(context.Context) { _ = end() })
	return redislimit.New(client), nil
}
