package ops

import (
	"strings"
	"time"

	"example.com/bff/internal/page"
)

// kind sorts pages and offers by what becomes of them here: each kind has a ring of its own.
type kind uint8

const (
	usual    kind = iota // sampled
	slow                 // went well, but took more than two thirds of the deadline
	degraded             // something was missing or stale
	failed               // no answer could be given
	refused              // before any work
	numKinds = 5
)

func (k kind) String() string {
	return [numKinds]string{"usual", "slow", "degraded", "failed", "refused"}[k]
}

// kinds are those of results; a usual one may still be slow.
var kinds = [page.NumResults]kind{
	page.Degraded:    degraded,
	page.Unavailable: failed, page.Deadline: failed, page.Internal: failed,
	page.Shed: refused, page.ShedBackground: refused, page.RateLimited: refused,
}

const (
	keptPages    = 100                    // of each kind
	sampledEvery = 200 * time.Millisecond // one usual page
)

// kindOf also tells what of a usual page nobody needs to keep: keep is false.
func (o *Ops) kindOf(r *page.Record, now time.Time) (k kind, keep bool) {
	k = kinds[r.Result]
	if k != usual {
		return k, true
	}
	if r.Duration > o.slowAfter {
		return slow, true
	}
	if now.Sub(o.sampled) < sampledEvery {
		return usual, false
	}
	o.sampled = now
	return usual, true
}

// keepPage copies r into the ring of its kind, without what would keep the request's memory alive.
func (o *Ops) keepPage(k kind, r *page.Record) {
	kept := o.pages[k].next()
	*kept = *r
	kept.ID, kept.RequestID, kept.TraceID = own(r.ID), own(r.RequestID), own(r.TraceID)
	kept.Defect = ""
}

// maxText bounds what is kept of a text from outside, in bytes; the edge allows no more.
const maxText = 128

func own(s string) string { return strings.Clone(s[:min(len(s), maxText)]) }
