package merge

import (
	"context"
	"time"

	"example.com/bff/internal/page"
)

// part is a call, and what its answer means to the page. Its error ends the page.
type part struct {
	from  page.Dependency
	vital bool // it may end the page
	run   func() error
}

// exist fills *dst, and ends the page when there is nothing: with otherwise.
func exist[T any](f *fanout, d page.Dependency, dst *T, src page.Source[T], otherwise error) part {
	return part{d, true, func() error {
		v, call := ask(f, f.ctx, d, src)
		switch call.Outcome {
		case page.OK:
			*dst = v
			return nil
		case page.Absent:
			return otherwise
		}
		return f.fail(d, call)
	}}
}

// need fills *dst, with "there is nothing" if that is the answer, and ends the page when there is no answer.
func need[T any](f *fanout, d page.Dependency, dst *page.Answer[T], src page.Source[T]) part {
	return part{d, true, func() error {
		v, call := ask(f, f.ctx, d, src)
		switch call.Outcome {
		case page.OK:
			*dst = page.Answered(v)
			return nil
		case page.Absent:
			*dst = page.AnsweredNothing[T]()
			return nil
		}
		return f.fail(d, call)
	}}
}

// want fills *dst with whatever comes of it. It cannot end the page.
func want[T any](f *fanout, d page.Dependency, dst *page.Section[T], src page.Source[T]) part {
	return part{d, false, func() error {
		v, call := ask(f, f.ctx, d, src)
		switch call.Outcome {
		case page.OK:
			*dst = page.Have(v)
		case page.Absent:
			*dst = page.Without[T]()
		default:
			*dst = page.Missing[T](call.Outcome)
		}
		return nil
	}}
}

// priceOrMemory fills *dst with the live price, or when that failed with the remembered one, and ends the page when
// there is neither.
func priceOrMemory(f *fanout, dst *page.PriceSection, src page.Source[page.Quote], recall Recall) part {
	return part{page.Price, true, func() error {
		ctx := f.ctx
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-page.RecallReserve))
			defer cancel()
		}
		quote, call := ask(f, ctx, page.Price, src)
		switch call.Outcome {
		case page.OK:
			*dst = page.LivePrice(quote)
			return nil
		case page.Absent:
			*dst = page.NoPrice()
			return nil
		case page.Cancelled:
			return f.fail(page.Price, call)
		}
		shown, ok := f.remembered(recall)
		if !ok {
			return f.fail(page.Price, call)
		}
		*dst = page.StalePrice(shown, call.Outcome, time.Now())
		return nil
	}}
}

func (f *fanout) remembered(recall Recall) (page.ShownPrice, bool) {
	start := time.Now()
	shown, result := guard(f, func() (page.ShownPrice, page.MemoryResult) { return recall(f.ctx, f.query) },
		page.MemoryError)
	f.rec.Recall = page.Recall{Asked: true, Result: result, Start: start, Duration: time.Since(start)}
	return shown, result == page.MemoryHit
}
