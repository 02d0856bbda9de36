package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"example.com/bff/internal/page"
)

// RedisOptions are all needed.
type RedisOptions struct {
	StaleFor time.Duration // nothing older is returned, or kept
	Observer Observer
	Logger   *slog.Logger
}

// Redis is the store that all instances of the service share. Close it.
type Redis struct {
	staleFor time.Duration
	observer Observer
	trouble  trouble
	rdb      redis.UniversalClient
	script   *redis.Script
	reached  atomic.Bool // Redis has answered at least once

	lanes   *lanes
	writing atomic.Int64   // writers that have not ended
	written chan struct{}  // closed when none is left
	lost    atomic.Bool    // Close could not write all
	running sync.WaitGroup // the writers and the readers

	closing    context.Context // ends when Close begins
	beginClose context.CancelFunc
	open       context.Context // ends when Close has flushed
	endOpen    context.CancelFunc
}

// NewRedis refuses a URL that is none of the package's forms, with an error that quotes nothing of it. It does not dial:
// whether Redis is there is nobody's business before the first price.
//
// It turns go-redis's own log off for the whole process: that is unbounded and knows no other switch.
func NewRedis(url string, o RedisOptions) (*Redis, error) {
	t, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	logging.Disable()
	r := &Redis{
		staleFor: o.StaleFor,
		observer: o.Observer,
		trouble:  newTrouble(o.Logger, t.password),
		script:   redis.NewScript(supersede),
		lanes:    newLanes(t.kind),
		written:  make(chan struct{}),
	}
	r.closing, r.beginClose = context.WithCancel(context.Background())
	r.open, r.endOpen = context.WithCancel(context.Background())
	r.rdb = t.client(r.open, poolSize)
	r.writing.Store(int64(len(r.lanes.all)))
	for _, l := range r.lanes.all {
		r.running.Go(func() { r.writeAll(l) })
		for range readers {
			r.running.Go(func() { r.readAll(l) })
		}
	}
	return r, nil
}

// shared is the key in Redis: a prefix, the encoding's version, the id, and 128 bits of a hash of the variant. An id has
// no colon, so different ids cannot meet.
func (k Key) shared() string {
	sum := sha256.Sum256([]byte(k.Variant))
	return "bff:price:v1:" + k.ID.String() + ":" + hex.EncodeToString(sum[:16])
}

// execute gives each command of pipe its own error: go-redis gives them none when it is the connection that Redis has
// refused, for a wrong password, say.
func execute(ctx context.Context, pipe redis.Pipeliner) []redis.Cmder {
	cmds, err := pipe.Exec(ctx)
	told := func(c redis.Cmder) bool { return c.Err() != nil }
	if err != nil && !slices.ContainsFunc(cmds, told) {
		for _, c := range cmds {
			c.SetErr(err)
		}
	}
	return cmds
}

// report is told once for each exchange: whether Redis has answered any of it, and what went wrong; nil means that all
// of it went well.
func (r *Redis) report(l *lane, op page.MemoryOp, answered bool, err error) {
	if answered {
		r.reached.Store(true)
	}
	switch {
	case err == nil:
		r.trouble.worked(source{l, op})
	case r.open.Err() == nil: // else it is Close that cut it off
		r.trouble.failed(source{l, op}, err)
	}
}

func resultOf(err error) page.MemoryResult {
	var timeout net.Error
	switch {
	case err == nil:
		return page.MemoryOK
	case errors.Is(err, errNotAsked):
		return page.MemoryDropped
	case redis.HasErrorPrefix(err, wrongType):
		return page.MemoryInvalid
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, redis.ErrPoolTimeout),
		errors.As(err, &timeout) && timeout.Timeout():
		return page.MemoryTimeout
	default:
		return page.MemoryError
	}
}

// Close writes what is still queued until ctx ends, counts the rest as dropped, and ends all that the store has started.
// A Redis that fails meanwhile is not tried again. The error is ctx's when something was dropped for it. The store is of
// no use afterwards, and does no harm.
func (r *Redis) Close(ctx context.Context) error {
	for _, l := range r.lanes.all {
		l.writes.close()
		l.reads.queue.close()
	}
	r.beginClose()
	select {
	case <-r.written:
	case <-ctx.Done():
	}
	r.endOpen()
	err := r.rdb.Close() // before all has ended: go-redis notices a closed socket, not a cancelled context
	if r.running.Wait(); r.lost.Load() {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// PoolStats are the figures of the connection pool to Redis, or of those to all nodes of a Cluster together. The first
// three only grow.
type PoolStats struct {
	Hits, Misses, Timeouts uint64 // a free connection was found, was not, did not come free in time
	Total, Idle            int    // connections now
}

// PoolStats never asks Redis. It is zero until Redis has answered once.
func (r *Redis) PoolStats() PoolStats {
	if !r.reached.Load() { // a Cluster client would go and look for its nodes
		return PoolStats{}
	}
	s := r.rdb.PoolStats()
	return PoolStats{
		Hits: uint64(s.Hits), Misses: uint64(s.Misses), Timeouts: uint64(s.Timeouts),
		Total: int(s.TotalConns), Idle: int(s.IdleConns),
	}
}
