package cache

import (
	"cmp"
	"context"
	_ "embed" // supersede.lua
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/bff/internal/page"
)

const (
	writeTimeout   = time.Second // of one exchange; nobody waits for it
	writeBatch     = 256         // writes in one exchange
	writeQueueSize = 8192        // writes: a few megabytes, and some seconds of a busy instance

	// keepTrying is how long a batch outlives a Redis that takes none of it: longer than most fail-overs.
	keepTrying = 10 * time.Second
)

//go:embed supersede.lua
var supersede string

// write is one Remember or Forget on its way to Redis.
type write struct {
	key string
	v   value
}

// Remember queues p. When the queue is full, the oldest in it is dropped.
func (r *Redis) Remember(k Key, p page.ShownPrice) { r.push(write{k.shared(), remembered(p)}) }

// Forget queues the absence of a price at asOf.
func (r *Redis) Forget(k Key, asOf time.Time) { r.push(write{k.shared(), forgotten(asOf)}) }

func (r *Redis) push(w write) {
	if _, dropped := r.lane(w.key).writes.push(w); dropped {
		r.observer.PriceMemory(page.MemorySet, page.MemoryDropped)
	}
}

func (r *Redis) writeAll(l *lane) {
	defer func() {
		if r.writing.Add(-1) == 0 {
			close(r.written)
		}
	}()
	for batch := l.writes.take(writeBatch); len(batch) > 0; batch = l.writes.take(writeBatch) {
		if !r.write(l, batch) && r.closing.Err() != nil {
			r.lost.Store(true)
			r.dropQueued(l)
		}
	}
}

// write tells whether Redis took anything. While it takes nothing, the batch is tried again, and once more when Close
// has begun: Redis may have come back since, or have stood still for a moment.
func (r *Redis) write(l *lane, batch []write) bool {
	giveUp := time.Now().Add(keepTrying)
	for last := false; ; last = !r.pause() {
		errs := r.send(batch)
		taken := slices.Contains(errs, nil)
		r.report(l, page.MemorySet, taken, cmp.Or(errs...))
		if taken || last || time.Now().After(giveUp) {
			for _, err := range errs {
				r.observer.PriceMemory(page.MemorySet, resultOf(err))
			}
			return taken
		}
	}
}

// pause waits for the cool-down, or for Close to begin. It tells whether the store is still open after it.
func (r *Redis) pause() bool {
	timer := time.NewTimer(coolDown)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.closing.Done():
		return false
	}
}

func (r *Redis) dropQueued(l *lane) {
	for range l.writes.take(writeQueueSize) {
		r.observer.PriceMemory(page.MemorySet, page.MemoryDropped)
	}
}

// send returns an error or nil for each of batch. What fails is sent once more, with the whole script, if Redis answered
// at all: it may not have the script, or may have stood still in the middle. Sending something twice does no harm.
func (r *Redis) send(batch []write) []error {
	errs := r.pipeline(batch, r.script.EvalSha)
	var failed []write
	for i, err := range errs {
		if err != nil {
			failed = append(failed, batch[i])
		}
	}
	if len(failed) == 0 || !slices.ContainsFunc(errs, answered) {
		return errs
	}
	again := r.pipeline(failed, r.script.Eval)
	for i, err := range errs {
		if err != nil {
			errs[i], again = again[0], again[1:]
		}
	}
	return errs
}

func answered(err error) bool { return err == nil || redis.HasErrorPrefix(err, "NOSCRIPT") }

type evaluate func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd

func (r *Redis) pipeline(batch []write, run evaluate) []error {
	ctx, cancel := context.WithTimeout(r.open, writeTimeout)
	defer cancel()
	pipe := r.rdb.Pipeline()
	last := latest()
	for _, w := range batch {
		run(ctx, pipe, []string{w.key}, []byte(w.v), r.staleFor.Milliseconds(), last)
	}
	cmds := execute(ctx, pipe)
	errs := make([]error, len(cmds))
	for i, cmd := range cmds {
		// In a Cluster, one node's failure is written over the good answers of the others.
		if cmd.(*redis.Cmd).Val() == nil {
			errs[i] = cmd.Err()
		}
	}
	return errs
}
