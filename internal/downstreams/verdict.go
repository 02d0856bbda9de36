package downstreams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/bff/internal/page"
)

// verdict is what an attempt says of the downstream to its breaker. The zero value says nothing.
type verdict uint8

const (
	none verdict = iota
	success
	failure
)

// answer is what an attempt, and in the end a call, came to.
type answer[T any] struct {
	value      T
	outcome    page.Outcome
	verdict    verdict
	again      bool          // another attempt may mend it
	retryAfter time.Duration // how long the downstream asked to be left alone; 0 when it did not
}

// good tells whether the downstream answered the question, be it with nothing.
func (a answer[T]) good() bool { return a.outcome == page.OK || a.outcome == page.Absent }

// refused is the answer of a call that was not put to the downstream.
func refused[T any](o page.Outcome) answer[T] { return answer[T]{outcome: o} }

// defect is the answer of a call that broke by a fault of ours.
func defect[T any]() answer[T] { return answer[T]{outcome: page.UpstreamError, verdict: failure} }

// fromStatus judges any answer but 200 by its status alone.
func fromStatus[T any](resp *http.Response, now time.Time) answer[T] {
	a := answer[T]{outcome: page.UpstreamError, verdict: failure}
	status := resp.StatusCode
	switch {
	case status == http.StatusNoContent || status == http.StatusNotFound:
		a.outcome, a.verdict = page.Absent, success
	case 400 <= status && status < 500:
		a.verdict = success
	}
	var asked bool
	a.retryAfter, asked = parseRetryAfter(resp.Header.Get("Retry-After"), now)
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		a.again = true
	case http.StatusTooManyRequests:
		a.again = asked
	}
	return a
}

// parseRetryAfter reads seconds or a date. What is neither counts as none; what has passed is 0.
func parseRetryAfter(s string, now time.Time) (wait time.Duration, ok bool) {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) { // n is then the largest
		return time.Duration(n) * time.Second, true
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, t.Sub(now)), true
	}
	return 0, false
}

// fromError judges an exchange that brought no whole answer, though its context had not ended.
func fromError[T any](err error) answer[T] {
	a := answer[T]{outcome: page.UpstreamError, verdict: failure}
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		a.outcome, a.again = page.Timeout, true
	case isOne(err, ourShortage):
		a.verdict = none
	case isOne(err, connectionLost), strings.Contains(err.Error(), closedIdle):
		a.again = true
	}
	return a
}

// connectionLost is a connection that was refused, reset or closed: another may do better.
var connectionLost = []error{
	io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
}

// closedIdle is likewise, of a connection that the downstream closed just when it was to be used again. net/http has
// no name for that error.
const closedIdle = "server closed idle connection"

// ourShortage is a connection that this machine had no port, file or memory for: the downstream had no part in it.
var ourShortage = []error{syscall.EADDRNOTAVAIL, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}

func isOne(err error, of []error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// cut is what can end an attempt before its answer is there.
type cut uint8

const (
	byTimeout   cut = iota // it had all the time that an attempt may have
	byPage                 // our own deadline for the page
	byCaller               // a deadline that the caller had shortened
	byDeparture            // nobody waited any more: the caller left, or what the answer was for has failed
	byWinner               // another attempt of the same call was faster
	byClose                // this client is being closed
)

// cutShort judges an attempt that c ended after it had run so long. When several ends fall on one instant, that it had
// all its time counts, whichever was noticed first.
func cutShort[T any](c cut, ran, timeout time.Duration) answer[T] {
	switch {
	case c == byTimeout || ran >= timeout:
		return answer[T]{outcome: page.Timeout, verdict: failure, again: true}
	case c == byPage && ran >= timeout/2:
		return answer[T]{outcome: page.Timeout, verdict: failure}
	case c == byPage || c == byCaller:
		return answer[T]{outcome: page.Timeout}
	}
	return answer[T]{outcome: page.Cancelled}
}

// ended is the cause of a cancelled context: what ended it, and when.
type ended struct {
	by cut
	at time.Time
	of error // the waiter's own cause
}

func (e *ended) Error() string { return "the call was ended" }
func (e *ended) Unwrap() error { return e.of }

// errTimeout is the cause of an attempt's context that ran out.
var errTimeout = fmt.Errorf("the attempt had no more time: %w", context.DeadlineExceeded)

// whatEnded reads an attempt's context. It tells how long the attempt had run by then.
func whatEnded(ctx context.Context, start time.Time, timeout time.Duration) (c cut, ran time.Duration, over bool) {
	switch cause := context.Cause(ctx).(type) {
	case nil:
		return 0, 0, false
	case *ended:
		return cause.by, cause.at.Sub(start), true
	}
	return byTimeout, timeout, true
}
