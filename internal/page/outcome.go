package page

// Outcome is how one call to a downstream ended, judged once. The zero value is OK.
type Outcome uint8

// What a call can come to. Those for which Failed is true are also the reasons that a page or a problem tells.
const (
	OK              Outcome = iota // 200 with a valid body
	Absent                         // 404 or 204: there is nothing
	Timeout                        // an attempt's own timeout, or the page deadline
	UpstreamError                  // any other status, refused, reset
	InvalidResponse                // a 200 that is not what was agreed
	BreakerOpen                    // not asked: the breaker said no
	BulkheadFull                   // not asked: no slot came free in time
	Cancelled                      // the caller, or the page it was made for, needed no answer any more
	NumOutcomes     = 8
)

var outcomeNames = [NumOutcomes]string{
	"ok", "absent", "timeout", "upstream_error", "invalid_response", "breaker_open", "bulkhead_full", "cancelled",
}

// String is the label that metrics, sections and problems use.
func (o Outcome) String() string { return outcomeNames[o] }

// Failed tells whether the call brought neither a value nor the certainty that there is none.
func (o Outcome) Failed() bool { return o >= Timeout }

// Result is how a page or an offer as a whole was answered: the outcome label of its metrics.
type Result uint8

// The results, in the order in which metrics list them.
const (
	Full           Result = iota // every section ok or absent
	Degraded                     // some section stale or unavailable
	NotModified                  // a full page that the client has
	NotFound                     // no such product
	Invalid                      // the request was wrong
	Unavailable                  // a critical section could not be had
	Deadline                     // spent, or missed because the caller allowed less than 300 ms
	Shed                         // refused before any work
	ShedBackground               // likewise, background traffic
	RateLimited                  // over the client's rate
	ClientLeft                   // cancelled: the client left before the deadline
	Internal                     // a defect of ours
	NumResults     = 12
)

var resultNames = [NumResults]string{
	"full", "degraded", "not_modified", "not_found", "invalid", "unavailable",
	"deadline", "shed", "shed_background", "rate_limited", "cancelled", "error",
}

// String is the label that metrics and logs use.
func (r Result) String() string { return resultNames[r] }
