package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/bff/internal/page"
)

// fanout is the calls of one page, in flight together.
type fanout struct {
	group   *errgroup.Group
	ctx     context.Context // ends when the page does: at its deadline, with its caller, or with its first error
	query   *page.Query
	refuses func(page.Dependency, *page.Query) bool
	rec     *page.Record // each call writes its own place in Calls

	mu         sync.Mutex
	failed     []page.FailedDependency
	retryAfter time.Duration
	defect     string
}

func (m *Merger) fanout(ctx context.Context, q *page.Query, rec *page.Record) *fanout {
	f := &fanout{query: q, refuses: m.sources.Refuses, rec: rec}
	f.group, f.ctx = errgroup.WithContext(ctx)
	return f
}

// headStart is for how long a vital part that is refused may hold the others up: there may be a price to recall.
const headStart = 10 * time.Millisecond

// all runs the parts together and returns the page's error once every one has ended: all end at once when the first
// error is there. A vital part that is refused goes first, since the page most likely ends with it: asking the other
// downstreams, only to hang up on them, would cost each a connection a page for as long as one breaker is open.
func (f *fanout) all(parts ...part) error {
	var ahead []part
	others := parts[:0]
	for _, p := range parts {
		if p.vital && f.refuses != nil && f.refuses(p.from, f.query) {
			ahead = append(ahead, p)
		} else {
			others = append(others, p)
		}
	}
	if len(ahead) == 0 || f.survives(ahead) {
		for _, p := range others {
			f.group.Go(p.run)
		}
	}
	return f.wait()
}

// survives runs the parts that go ahead, and tells whether the page goes on: once all are back, or have used their head
// start up. An error is held until then, so that the page tells of all that was refused.
func (f *fanout) survives(ahead []part) bool {
	back, met := make(chan error, len(ahead)), make(chan struct{})
	defer close(met)
	for _, p := range ahead {
		f.group.Go(func() error {
			err := p.run()
			back <- err
			<-met
			return err
		})
	}
	timer := time.NewTimer(headStart)
	defer timer.Stop()
	alive := true
	for range ahead {
		select {
		case err := <-back:
			alive = alive && err == nil
		case <-timer.C:
			return alive
		}
	}
	return alive
}

// errFailed ends the page; what failed is in fanout.failed.
var errFailed = errors.New("a critical section could not be had")

// wait returns the page's error once every call has ended.
func (f *fanout) wait() error {
	err := f.group.Wait()
	f.rec.Defect = f.defect
	if errors.Is(err, errFailed) {
		slices.SortFunc(f.failed, func(a, b page.FailedDependency) int { return cmp.Compare(a.Name, b.Name) })
		return &page.UnavailableError{Dependencies: f.failed, RetryAfter: f.retryAfter}
	}
	return err
}

// ask makes one call and writes it into the page's record.
func ask[T any](f *fanout, ctx context.Context, d page.Dependency, src page.Source[T]) (T, page.Call) {
	broken := page.Call{Asked: true, Outcome: page.UpstreamError, Start: time.Now()}
	v, call := guard(f, func() (T, page.Call) { return src(ctx, f.query) }, broken)
	f.rec.Calls[d] = call
	return v, call
}

// guard turns a panic, which an errgroup's goroutine would not survive, into otherwise, and keeps what it said for
// the log.
func guard[T, R any](f *fanout, do func() (T, R), otherwise R) (v T, r R) {
	defer func() {
		if p := recover(); p != nil {
			r = otherwise
			f.mu.Lock()
			f.defect = fmt.Sprint(p)
			f.mu.Unlock()
		}
	}()
	return do()
}

// fail ends the page. A call that was cancelled because the page had ended, or its caller had left, did not fail.
func (f *fanout) fail(d page.Dependency, call page.Call) error {
	if ended := context.Cause(f.ctx); ended != nil && call.Outcome == page.Cancelled {
		return ended
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = append(f.failed, page.FailedDependency{Name: d, Reason: call.Outcome})
	f.retryAfter = max(f.retryAfter, call.RetryAfter)
	return errFailed
}
