// Package redislimit keeps the buckets of rate limits in a Redis, so that several instances share them.
//
// It promises that Redis is never in the way: a request waits for it for 10 ms at most, and after a tenth of a second of
// failures alone no request asks it, but for one each second that finds out whether it is well again.
package redislimit

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

const (
	patience = 10 * time.Millisecond // for one answer
	prefix   = "bff:rate:"
)

var (
	errResting = errors.New("redislimit: redis failed a moment ago")
	errAnswer  = errors.New("redislimit: not an answer of the script")
)

//go:embed take.lua
var takeSource string

// Store is an admission.Store in Redis 5 or later: a virtual schedule (GCRA) a key, by Redis's own clock, in one atomic
// round trip. A key expires when its bucket is full. Make one with New.
type Store struct {
	client   redis.UniversalClient
	take     *redis.Script
	patience time.Duration
	rest     rest
}

// New makes a Store. The client ends each command when its context does, as those of cache.Connect do, and stays the
// caller's to close.
func New(client redis.UniversalClient) *Store {
	return &Store{client: client, take: redis.NewScript(takeSource), patience: patience}
}

// Take returns an error when Redis did not decide: it failed, was too slow, or rests.
func (s *Store) Take(ctx context.Context, key string, a admission.Allowance) (page.Rate, error) {
	if !s.rest.over() {
		return page.Rate{}, errResting
	}
	rate, err := s.ask(ctx, key, a)
	switch {
	case err == nil:
		s.rest.answered()
	case ctx.Err() == nil: // not because the caller left
		s.rest.failed()
	}
	return rate, err
}

func (s *Store) ask(ctx context.Context, key string, a admission.Allowance) (page.Rate, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	interval := strconv.FormatFloat(1e6/a.PerSecond, 'f', 3, 64)
	answer, err := s.take.Run(ctx, s.client, []string{prefix + key}, interval, a.Burst).Slice()
	if err != nil {
		return page.Rate{}, err
	}
	if len(answer) != 2 {
		return page.Rate{}, errAnswer
	}
	taken, isInt := answer[0].(int64)
	missing, isText := answer[1].(string)
	micros, err := strconv.ParseFloat(missing, 64)
	if !isInt || !isText || err != nil {
		return page.Rate{}, errAnswer
	}
	return a.Tell(taken == 1, float64(a.Burst)-micros/1e6*a.PerSecond), nil
}
