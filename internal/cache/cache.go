// Package cache remembers the last known price of a product, for display only: in this process (Memory) or in Redis
// (Redis), behind one interface.
//
// What it promises, whichever store is used:
//
//   - It never costs a healthy page anything. Remember and Forget return at once and cannot fail; Recall is for a page
//     whose live price has failed, and returns when its context ends at the latest.
//   - It holds page.ShownPrice, which can be shown and cannot be spent.
//   - What was true later wins, whatever arrives first, across all instances that share a Redis: an older price never
//     overwrites a newer one, and what Forget(k, t) removed is not brought back by a price from before t.
//   - Nothing older than StaleFor is returned.
//   - Everything is bounded: bytes, queue, sockets, goroutines, log lines.
//
// Redis may be absent at start, and silent, slow, refusing, failing over, full or read-only at any time: then prices
// are not remembered, which is counted and logged (one line a minute at most), and the memory is back within seconds of
// Redis. NewRedis takes these forms of URL:
//
//	redis://[[user]:password@]host[:port][/db]
//	redis+sentinel://[[user]:password@]host[:port],…/master[/db][?sentinel_auth=true]
//	redis+cluster://[[user]:password@]host[:port],…
//
// Each of them with rediss in the place of redis speaks TLS, trusting the system's roots (SSL_CERT_FILE names others).
// The ports are 6379, and 26379 for Sentinels, unless told. Characters with a meaning in URLs are percent-encoded in
// user, password and master.
package cache

import (
	"context"
	"time"

	"example.com/bff/internal/page"
)

// Store is the remembered price. Memory and Redis are the two there are. All methods are safe for concurrent use.
type Store interface {
	// Recall returns the price only with page.MemoryHit. The other results: miss, expired, invalid (something else is
	// stored there), timeout (ctx, or the store's own patience, ended first), error, and dropped (too many wait).
	Recall(ctx context.Context, k Key) (page.ShownPrice, page.MemoryResult)

	// Remember keeps p unless something as new is known. It never blocks and never fails: what cannot be kept is counted.
	Remember(k Key, p page.ShownPrice)

	// Forget says that at asOf there was no price. Like Remember, it never blocks and never fails.
	Forget(k Key, asOf time.Time)
}

// Key names what is remembered: a product, as seen with certain request headers.
type Key struct {
	ID page.ID
	// Variant is the headers that were forwarded to price, in an encoding that gives different headers different
	// strings. It may be empty.
	Variant string
}

// Observer is told the end of each Recall, Remember and Forget, once. It must not block.
type Observer interface {
	PriceMemory(page.MemoryOp, page.MemoryResult)
}
