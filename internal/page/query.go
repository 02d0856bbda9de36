package page

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ErrInvalidID says what a product id may be.
var ErrInvalidID = errors.New("a product id is 1 to 64 characters of A-Z a-z 0-9 . _ ~ - other than . and .. alone")

// ID is a product id that was checked: 1 to 64 unreserved characters, so it needs no escaping in a URL, a key or JSON.
type ID struct{ s string }

// ParseID checks s, already percent-decoded. It returns ErrInvalidID for anything a product id may not be.
func ParseID(s string) (ID, error) {
	if !Unreserved(s, 64) || s == "." || s == ".." {
		return ID{}, ErrInvalidID
	}
	return ID{s}, nil
}

func (id ID) String() string { return id.s }

// Priority orders requests under overload: the higher is shed later.
type Priority uint8

// Background goes first, critical (offers) last.
const (
	Background Priority = iota
	Default
	Critical
	NumPriorities = 3
)

func (p Priority) String() string {
	return [NumPriorities]string{"background", "default", "critical"}[p]
}

// Query is what one page or offer asks its downstreams.
type Query struct {
	ID        ID
	RequestID string      // 1 to 128 unreserved characters
	Header    http.Header // the inbound request's; each downstream sees only what its row of the table lets through
	Offer     bool        // asked on the money path: may use the part of a bulkhead that is kept for offers
	Shortened bool        // the caller allowed less than the default deadline
}

// Times of a request that more than one package goes by.
const (
	// LeastTime is what must be left of it for any work to be worth beginning.
	LeastTime = 20 * time.Millisecond
	// RecallReserve is how long before a page's end the live price call ends, so that a remembered price can be read.
	RecallReserve = 25 * time.Millisecond
)

// Source asks one downstream. It returns when it has an answer or when ctx ends, whichever is first; the value is
// meaningful only if the call's Outcome is OK. It never panics.
type Source[T any] func(ctx context.Context, q *Query) (T, Call)

// AttemptKind tells why an exchange was made.
type AttemptKind uint8

// The kinds of attempt.
const (
	First AttemptKind = iota
	Retry
	Hedge
	NumAttemptKinds = 3
)

func (k AttemptKind) String() string { return [NumAttemptKinds]string{"first", "retry", "hedge"}[k] }

// Attempt is one exchange with a downstream.
type Attempt struct {
	Kind     AttemptKind
	Outcome  Outcome
	Start    time.Time
	Duration time.Duration // from before the dial until the body was read or given up; 0 while it runs
}

// Call is how one call went: what the record of its page says of it. The zero value is a call that was never made.
type Call struct {
	Asked     bool          // false: this page or offer does not ask this downstream, or ended before it could
	Outcome   Outcome       // judged once, from the caller's point of view
	Start     time.Time     // when the page asked
	Duration  time.Duration // until the page had its answer or stopped waiting
	Queued    time.Duration // of it, waiting for a bulkhead slot
	Coalesced bool          // shared a call that another page had begun
	Attempts  []Attempt     // of the shared call, as far as it had come
	// RetryAfter is, for a failed call, when asking again makes sense: the larger of the breaker's remaining cool-down
	// and what the downstream itself asked for (at most 60 s). 0 when neither said anything.
	RetryAfter time.Duration
}
