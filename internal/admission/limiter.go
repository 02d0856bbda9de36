package admission

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"

	"example.com/bff/internal/page"
)

// Store keeps the buckets. Take takes a token from key's, which is full when key is new, and tells what came of it. It
// is atomic and safe for concurrent use, and gives up with an error soon.
type Store interface {
	Take(ctx context.Context, key string, a Allowance) (page.Rate, error)
}

// Limiter limits the rate of each client. A client is its address (IPv6: its /64), unless the peer is a trusted proxy:
// then it is the X-Client-Id that the proxy tells (1 to 64 of A-Za-z0-9._~-; any other is ignored), or else the
// right-most address in X-Forwarded-For that is not a trusted proxy's own. RFC 7239's Forwarded is not read: a proxy writes
// one of the two and passes the other on, as the client made it up.
type Limiter struct {
	allowance Allowance
	trusted   []netip.Prefix
	store     Store
	passed    atomic.Uint64
}

// NewLimiter makes a Limiter. NewMemory() is a Store for one process.
func NewLimiter(a Allowance, trusted []netip.Prefix, s Store) *Limiter {
	return &Limiter{allowance: a, trusted: trusted, store: s}
}

// Allow decides on one request, and counts it. When the store fails, the request passes: the zero Rate.
func (l *Limiter) Allow(r *http.Request) page.Rate {
	rate, err := l.store.Take(r.Context(), clientKey(r, l.trusted), l.allowance)
	if err != nil {
		l.passed.Add(1)
		return page.Rate{}
	}
	return rate
}

// Passed is how many requests passed because the store failed.
func (l *Limiter) Passed() uint64 { return l.passed.Load() }
