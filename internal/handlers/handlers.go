// Package handlers is the HTTP edge. It promises that every answer which is neither 2xx nor 304 is problem+json without
// a word from inside, that a request which is refused makes no call, that an answer's deadline counts from its entry
// here, and that each page and each offer is told to Served exactly once. What is asked for comes from Pages.
package handlers

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/bff/internal/page"
)

// Pages answers the two resources. Both return when ctx ends at the latest: with page.ErrNotFound or ErrNoPrice, with a
// *page.UnavailableError, or with ctx's own error when the caller left; any other error is a defect. They may write to
// the record's Calls, Recall and Defect until they return.
type Pages interface {
	Page(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error)
	Offer(ctx context.Context, q *page.Query, rec *page.Record) (page.Offer, error)
}

// Admission decides who gets in. Admit may wait for a place, no longer than ctx lasts; leave gives the place back, once
// however often it is called, and is not called when refused says why there was none.
type Admission interface {
	Admit(ctx context.Context, p page.Priority) (leave func(), waited time.Duration, refused page.ShedReason)
}

// RateLimit decides whether the client of a request has asked too often. It waits for a moment at the most.
type RateLimit interface {
	Allow(r *http.Request) page.Rate
}

// Config is what the edge has to know. Only Pages and Deadline are required.
type Config struct {
	Pages    Pages
	Deadline time.Duration // of a page and of an offer, queueing included; callers can only shorten it

	// Served is told of each page and offer once it was answered, in the request's context; the record is its own from
	// then on.
	Served func(context.Context, *page.Record)
	Log    *slog.Logger // of defects outside of pages and offers: theirs are in their records

	Clients, Markets []string       // what these labels can be; anything else is "other"
	Vary             []string       // request headers that downstreams see
	ServerTiming     bool           // tell how long each downstream took
	PageCacheControl string         // of a full page; empty is "private, no-cache"
	CORSOrigins      []string       // whose scripts may read the answers; "*" is everybody's
	TrustedProxies   []netip.Prefix // peers whose X-Priority holds, up as well as down

	Admission Admission  // nil lets everybody in
	RateLimit RateLimit  // nil limits nobody
	Spread    func() int // by what a 503's Retry-After is spread, 0 to 2 s; nil is random
}

// Handlers is the edge of one instance. Its methods are safe for concurrent use.
type Handlers struct {
	config  Config
	clients closedSet
	markets closedSet
	cors    *cors
	vary    string
	manual  manual
	state   atomic.Int32
	bodies  sync.Pool // of *[]byte
}

// New makes the edge. It is ready at once.
func New(c Config) *Handlers {
	if c.Served == nil {
		c.Served = func(context.Context, *page.Record) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.PageCacheControl == "" {
		c.PageCacheControl = "private, no-cache"
	}
	if c.Spread == nil {
		c.Spread = func() int { return rand.IntN(3) }
	}
	h := &Handlers{
		config:  c,
		clients: newClosedSet(c.Clients),
		markets: newClosedSet(c.Markets),
		cors:    newCORS(c.CORSOrigins, c.Vary),
		manual:  newManual(),
	}
	h.vary = h.cors.vary(append([]string{"Accept"}, c.Vary...))
	return h
}
