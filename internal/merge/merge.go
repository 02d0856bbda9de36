// Package merge makes a page of what five downstreams answer, and an offer of what two do. It holds the rule that gives
// the service its name: a part that a page needs ends it when it fails, a part that it wants never does; and a
// remembered price may stand in for a live one on a page, never in an offer.
package merge

import (
	"context"

	"example.com/bff/internal/page"
)

// Sources are the downstreams, each a func.
type Sources struct {
	Catalog         page.Source[page.Product]
	Price           page.Source[page.Quote]
	Stock           page.Source[page.Availability]
	Reviews         page.Source[page.ReviewSummary]
	Recommendations page.Source[page.Items]
	// Refuses tells whether a call would be refused just now, without being made. nil: none would.
	Refuses func(page.Dependency, *page.Query) bool
}

// Recall reads the remembered price. It returns at the latest when ctx ends; the price is meaningful only on
// page.MemoryHit.
type Recall func(ctx context.Context, q *page.Query) (page.ShownPrice, page.MemoryResult)

// Merger answers pages and offers. It has no state of its own.
type Merger struct {
	sources Sources
	recall  Recall
}

// New makes a Merger. Every source and recall are required.
func New(s Sources, recall Recall) *Merger { return &Merger{s, recall} }

// Page asks all five at once and returns when all have answered, when ctx ends, or when something the page needs has
// failed, whichever is first. What it needs and would be refused it asks first, and the others only if the page survives
// that. It fills rec's Calls and Recall. Errors: page.ErrNotFound, *page.UnavailableError, or ctx's own when the caller
// left.
func (m *Merger) Page(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
	p := &page.Page{ID: q.ID}
	f := m.fanout(ctx, q, rec)
	return p, f.all(
		exist(f, page.Catalog, &p.Product, m.sources.Catalog, page.ErrNotFound),
		priceOrMemory(f, &p.Price, m.sources.Price, m.recall),
		need(f, page.Stock, &p.Stock, m.sources.Stock),
		want(f, page.Reviews, &p.Reviews, m.sources.Reviews),
		want(f, page.Recommendations, &p.Recommendations, m.sources.Recommendations),
	)
}

// Offer asks price and stock, live or not at all. Errors are those of Page; a product without a price is
// page.ErrNoPrice.
func (m *Merger) Offer(ctx context.Context, q *page.Query, rec *page.Record) (page.Offer, error) {
	var price page.Quote
	var stock page.Answer[page.Availability]
	f := m.fanout(ctx, q, rec)
	err := f.all(
		exist(f, page.Price, &price, m.sources.Price, page.ErrNoPrice),
		need(f, page.Stock, &stock, m.sources.Stock),
	)
	if err != nil {
		return page.Offer{}, err
	}
	return page.NewOffer(q.ID, price, stock), nil
}
