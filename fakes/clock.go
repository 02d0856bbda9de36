package fakes

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// untilDeadline is the request's context, ending when the caller says that it waits no longer: X-Request-Deadline in
// Unix milliseconds, X-Request-Timeout-Ms from now on, and of both the earlier. What is no number is ignored.
func untilDeadline(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if ms, err := strconv.ParseUint(r.Header.Get("X-Request-Timeout-Ms"), 10, 31); err == nil {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	}
	ms, err := strconv.ParseUint(r.Header.Get("X-Request-Deadline"), 10, 63)
	if err != nil {
		return ctx, cancel
	}
	sooner, cancelSooner := context.WithDeadline(ctx, time.UnixMilli(int64(ms)))
	return sooner, func() { cancelSooner(); cancel() }
}

// sleep waits for d and tells whether ctx lasted as long.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
