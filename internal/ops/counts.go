package ops

import "example.com/bff/internal/page"

// counts is a tally on the wire, by the names that metrics use.
type counts struct {
	Pages       map[string]uint32            `json:"pages"`  // by result
	Offers      map[string]uint32            `json:"offers"` // likewise
	Took        quantiles                    `json:"took"`
	Stale       uint32                       `json:"stale"`
	OldestMs    float64                      `json:"oldestMs"`
	Recalls     map[string]uint32            `json:"recalls"`
	Learned     map[string]uint32            `json:"learned"`
	Shed        map[string]map[string]uint32 `json:"shed"` // by priority and reason; "" is what was let in
	Downstreams []callCounts                 `json:"downstreams"`
}

type callCounts struct {
	Outcomes  map[string]uint32 `json:"outcomes"`
	Attempts  map[string]uint32 `json:"attempts"`
	Coalesced uint32            `json:"coalesced"`
	Took      quantiles         `json:"took"`
}

// quantiles are in milliseconds; 0 when nothing was counted.
type quantiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

func (t *tally) counts() *counts {
	c := &counts{
		Pages:  named[page.Result](t.results[page.PageResource][:]),
		Offers: named[page.Result](t.results[page.OfferResource][:]), Took: t.took.quantiles(),
		Stale: t.stale, OldestMs: ms(t.oldest),
		Recalls: named[page.MemoryResult](t.recalls[:]), Learned: named[page.MemoryResult](t.learned[:]),
		Shed: map[string]map[string]uint32{},
	}
	for p := range t.shed {
		c.Shed[page.Priority(p).String()] = named[page.ShedReason](t.shed[p][:])
	}
	for i := range t.calls {
		call := &t.calls[i]
		c.Downstreams = append(c.Downstreams, callCounts{
			named[page.Outcome](call.outcomes[:]), named[page.AttemptKind](call.attempts[:]), call.coalesced, call.took.quantiles(),
		})
	}
	return c
}

func (h *histogram) quantiles() quantiles {
	return quantiles{ms(h.quantile(.5)), ms(h.quantile(.95)), ms(h.quantile(.99))}
}

// named gives what is over 0 its name.
func named[T interface {
	~uint8
	String() string
}](numbers []uint32) map[string]uint32 {
	all := map[string]uint32{}
	for i, n := range numbers {
		if n > 0 {
			all[T(i).String()] = n
		}
	}
	return all
}

// slot sorts what a tally counts for the timeline. What was wrong with the request, or was not waited for, is in none.
func (t *tally) slot(number int) slot {
	s := slot{Number: number}
	for r := range page.Result(page.NumResults) {
		n := t.results[page.PageResource][r] + t.results[page.OfferResource][r]
		switch {
		case kinds[r] == degraded:
			s.Less += n
		case kinds[r] == failed:
			s.Failed += n
		case kinds[r] == refused:
			s.Refused += n
		case r != page.Invalid && r != page.ClientLeft:
			s.Whole += n
		}
	}
	return s
}
