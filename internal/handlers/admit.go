package handlers

import (
	"strconv"
	"time"

	"example.com/bff/internal/page"
)

// rateLimit refuses a client that asks too often, and tells it when to come back.
func (h *Handlers) rateLimit(next handler) handler {
	if h.config.RateLimit == nil {
		return next
	}
	return func(x *exchange) error {
		rate := h.config.RateLimit.Allow(x.r)
		if !rate.Refused {
			return next(x)
		}
		header := x.w.Header()
		header.Set("RateLimit-Limit", strconv.Itoa(rate.Limit))
		header.Set("RateLimit-Remaining", strconv.Itoa(rate.Remaining))
		header.Set("RateLimit-Reset", strconv.Itoa(wholeSeconds(rate.Reset)))
		return &rateLimitedError{rate.RetryAfter}
	}
}

// admit holds a place until next has an answer to send, or refuses: before any work, and whatever was lost in the queue is
// a shed request and not the caller's short deadline.
func (h *Handlers) admit(next handler) handler {
	if h.config.Admission == nil {
		return next
	}
	return func(x *exchange) error {
		leave, waited, refused := h.config.Admission.Admit(x.ctx, x.rec.Priority)
		x.rec.Queued = waited
		if refused == page.NotShed {
			x.leave = leave
			defer leave() // when there is no answer to send
			if waited == 0 || time.Until(x.deadline) >= page.LeastTime {
				return next(x)
			}
			refused = page.ShedDeadline
		}
		if refused == page.ShedDeadline && waited == 0 && x.hasty() {
			return errSpent // by the caller, not in our queue
		}
		x.rec.Shed = refused
		switch refused {
		case page.ShedDeadline:
			return errQueuedAway
		case page.ShedOverride:
			return errOverridden
		}
		return errOverloaded
	}
}
