package downstreams

import (
	"context"
	"io"
	"net/http"
	"time"

	"example.com/bff/internal/page"
)

const (
	maxBody = 1 << 20 // bytes of an answer, after decompression

	// What an answer that is not used may cost, so that its connection can be used again.
	drainBytes  = 64 << 10
	drainTime   = 10 * time.Millisecond
	drainMoment = time.Millisecond // of it, that the call waits
)

// attempt makes one exchange under its own timeout, records it, and settles its permit, whatever happens. A panic in
// it is caught here, innermost, and becomes a failed attempt.
func (f *flight[T]) attempt(ctx context.Context, kind page.AttemptKind, p permit) (a answer[T]) {
	start := time.Now()
	n := f.log.begin(kind, start)
	a = defect[T]() // stands if the exchange panics
	defer func() {
		f.c.witness.caught(recover())
		f.c.breaker.settle(p, a.verdict)
		f.c.witness.attempted(f.log.end(n, a.outcome, time.Now()))
	}()
	ctx, end := f.c.traced(ctx, kind)
	defer func() { end(a.outcome) }()
	if p.probe {
		ctx = context.WithoutCancel(ctx) // it gives its place back by a verdict alone, whoever leaves
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.c.timeout, errTimeout)
	rest := io.ReadCloser(http.NoBody)
	defer func() { f.drain(rest, cancel) }()
	if p.probe {
		defer context.AfterFunc(f.c.open, cancel)()
	}
	a, rest = f.exchange(ctx, start, f.promised(start, p.probe))
	f.learn(ctx, a, start)
	return a
}

// exchange sends the request and judges what comes back: a 200 with its body, anything else by its status, and rest is
// then the body that nobody wants.
func (f *flight[T]) exchange(ctx context.Context, start time.Time, p promise) (a answer[T], rest io.ReadCloser) {
	resp, err := f.c.transport.RoundTrip(f.request(ctx, start, p.end))
	if err != nil {
		return f.broken(ctx, err, start, p), http.NoBody
	}
	if resp.StatusCode == http.StatusOK {
		defer resp.Body.Close()
		return f.read(ctx, resp, start, p), http.NoBody
	}
	now := time.Now()
	return f.unlessOver(fromStatus[T](resp, now), start, now, p), resp.Body
}

// drain reads the rest of an answer, so that its connection can be used again, and ends the attempt's context. It returns
// after a moment at the latest: then only the slot waits for the rest. One that does not end soon costs the connection,
// also one that has become something else than HTTP (101), which no context ends.
func (f *flight[T]) drain(rest io.ReadCloser, cancel func()) {
	if rest == http.NoBody {
		cancel()
		return
	}
	f.hold()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer f.release()
		defer cancel()
		defer rest.Close()
		patience := time.AfterFunc(drainTime, func() { cancel(); _ = rest.Close() })
		defer patience.Stop()
		_, _ = io.CopyN(io.Discard, rest, drainBytes)
	}()
	moment := time.NewTimer(drainMoment)
	defer moment.Stop()
	select {
	case <-done:
	case <-moment.C:
	}
}

// read takes the body of a 200 in and decodes it.
func (f *flight[T]) read(ctx context.Context, resp *http.Response, start time.Time, p promise) answer[T] {
	buf := f.c.bodies.get()
	defer f.c.bodies.put(buf)
	err := buf.fill(resp)
	if err != nil && err != errUnusable {
		return f.broken(ctx, err, start, p)
	}
	var v T
	if err == nil {
		v, err = f.c.decode(buf.bytes, start)
	}
	if err != nil {
		return answer[T]{outcome: page.InvalidResponse, verdict: failure}
	}
	f.c.fresh.put(f.key, v, len(buf.bytes), start)
	return answer[T]{value: v, outcome: page.OK, verdict: success}
}

// broken judges an exchange that brought no whole answer.
func (f *flight[T]) broken(ctx context.Context, err error, start time.Time, p promise) answer[T] {
	if by, ran, over := whatEnded(ctx, start, f.c.timeout); over {
		return cutShort[T](by, ran, f.c.timeout)
	}
	return f.unlessOver(fromError[T](err), start, time.Now(), p)
}

// unlessOver is a, unless it is the failure of a downstream that gave up when we had told it to: then it was cut short
// by whatever set that end.
func (f *flight[T]) unlessOver(a answer[T], start, now time.Time, p promise) answer[T] {
	if a.outcome == page.UpstreamError && a.verdict == failure && p.over(now) {
		return cutShort[T](p.by, now.Sub(start), f.c.timeout)
	}
	return a
}

// learn passes on what an attempt taught, also when nobody waits for it any more.
func (f *flight[T]) learn(ctx context.Context, a answer[T], start time.Time) {
	f.c.pace.saw(ctx, a.outcome, start)
	if a.good() && f.c.learned != nil {
		f.c.learned(f.id, f.key, a.value, a.outcome == page.Absent, start)
	}
}
