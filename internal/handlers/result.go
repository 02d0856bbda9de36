package handlers

import (
	"context"
	"errors"
	"time"

	"example.com/bff/internal/page"
)

// shortTime is what a caller has to allow for a missed deadline to be ours.
const shortTime = 300 * time.Millisecond

// settle writes down how x was answered.
func (x *exchange) settle(a answer, now time.Time) {
	x.rec.Status = a.status
	x.rec.Duration = now.Sub(x.start)
	x.rec.Result = x.result(a.result, now)
}

// result is the answer's own, unless the client's doing explains it better.
func (x *exchange) result(own page.Result, now time.Time) page.Result {
	switch {
	case own == page.Internal:
		return own
	case x.clientLeft() && now.Before(x.deadline):
		x.rec.Shed = page.NotShed
		return page.ClientLeft
	case (own == page.Degraded || own == page.Unavailable) && x.outOfShortTime(now):
		return page.Deadline
	case own == page.Shed && x.rec.Priority == page.Background:
		return page.ShedBackground
	}
	return own
}

// hasty tells whether the caller allowed so little that a lack of time is its own doing.
func (x *exchange) hasty() bool { return x.rec.Shortened && x.rec.Allowed < shortTime }

func (x *exchange) clientLeft() bool { return x.r.Context().Err() != nil }

// outOfShortTime tells whether time ran out, the page's or the live price's, because the caller allowed little of it.
func (x *exchange) outOfShortTime(now time.Time) bool {
	if !x.hasty() {
		return false
	}
	price := x.rec.Calls[page.Price]
	priceEnd := x.deadline.Add(-page.RecallReserve)
	return !now.Before(x.deadline) ||
		price.Outcome == page.Timeout && !price.Start.Add(price.Duration).Before(priceEnd)
}

// gone tells whether err says no more than that the client has left or that the time is over.
func (x *exchange) gone(err error, now time.Time) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return ended && x.rec != nil && (x.clientLeft() || !now.Before(x.deadline))
}
