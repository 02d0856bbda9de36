package page

import "time"

// Resource is what was asked for.
type Resource uint8

// The two resources.
const (
	PageResource Resource = iota
	OfferResource
)

func (r Resource) String() string { return [...]string{"page", "offer"}[r] }

// ShedReason tells why a request was refused before any work.
type ShedReason uint8

// The reasons of bff_shed_total. NotShed is the zero value.
const (
	NotShed      ShedReason = iota
	ShedFull                // the limit and the queue are full
	ShedAge                 // waited in the queue for too long
	ShedDeadline            // what is left of its time cannot suffice
	ShedOverride            // an operator asked for it
)

func (s ShedReason) String() string { return [...]string{"", "full", "age", "deadline", "override"}[s] }

// MemoryResult is how a read or a write of the remembered price ended.
type MemoryResult uint8

// The results of bff_price_memory_total.
const (
	MemoryHit MemoryResult = iota
	MemoryMiss
	MemoryExpired
	MemoryInvalid
	MemoryError
	MemoryTimeout
	MemoryDropped
	MemoryOK
	NumMemoryResults = 8
)

func (m MemoryResult) String() string {
	return [NumMemoryResults]string{"hit", "miss", "expired", "invalid", "error", "timeout", "dropped", "ok"}[m]
}

// Recall is one read of the remembered price, as the record of its page tells it. The zero value is none.
type Recall struct {
	Asked    bool
	Result   MemoryResult
	Start    time.Time
	Duration time.Duration
}

// Other is the client or market of a request that names none of the configured ones.
const Other = "other"

// Record is one page or offer, told once: the log line, the metrics, Server-Timing and the ops page all read it.
// Strings from outside in it were checked or replaced; only Client and Market are from closed sets.
type Record struct {
	Resource  Resource
	Result    Result
	Status    int    // the HTTP status of the answer
	Client    string // one of BFF_CLIENTS, or Other
	Market    string // one of BFF_MARKETS, or Other
	ID        string // empty when the id was not allowed
	RequestID string
	TraceID   string // of the inbound traceparent or our own span; empty when there is none
	Sampled   bool   // somebody keeps that trace
	Priority  Priority
	Shed      ShedReason
	Start     time.Time
	Duration  time.Duration
	Queued    time.Duration // of it, waiting for admission
	Allowed   time.Duration // what the deadline was at the start
	Shortened bool          // the caller made it shorter than the default
	Notes     [NumDependencies]Note
	HasNotes  bool // false when there was no page to tell sections of
	Calls     [NumDependencies]Call
	Recall    Recall
	Defect    string // for Result Internal: what broke, for the log alone
}
