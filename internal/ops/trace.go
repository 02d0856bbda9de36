package ops

import (
	"fmt"
	"time"

	"example.com/bff/internal/page"
)

// pageTrace is one page or offer on the wire: all that the waterfall draws and tells of it. Times are in milliseconds,
// those named start from the page's own start: under 0 when a shared call was begun by another page.
type pageTrace struct {
	Key       string       `json:"key"` // unlike any other's
	Kind      string       `json:"kind"`
	Resource  string       `json:"resource"`
	Result    string       `json:"result"`
	Status    int          `json:"status"`
	ID        string       `json:"id"`
	RequestID string       `json:"requestId"`
	TraceID   string       `json:"traceId"`
	Client    string       `json:"client"`
	Market    string       `json:"market"`
	Priority  string       `json:"priority"`
	Shed      string       `json:"shed"`
	At        int64        `json:"at"` // Unix ms
	Ms        float64      `json:"ms"`
	QueuedMs  float64      `json:"queuedMs"`
	AllowedMs float64      `json:"allowedMs"`
	Notes     []noteTrace  `json:"notes"` // by downstream; empty when there was no page
	Calls     []callTrace  `json:"calls"` // of those that were asked
	Recall    *recallTrace `json:"recall"`
}

type noteTrace struct {
	Status string  `json:"status"`
	Reason string  `json:"reason"`
	AgeMs  float64 `json:"ageMs"`
}

type callTrace struct {
	Downstream   int            `json:"downstream"`
	Outcome      string         `json:"outcome"`
	Start        float64        `json:"start"`
	Ms           float64        `json:"ms"`
	QueuedMs     float64        `json:"queuedMs"`
	Coalesced    bool           `json:"coalesced"`
	RetryAfterMs float64        `json:"retryAfterMs"`
	Attempts     []attemptTrace `json:"attempts"`
}

type attemptTrace struct {
	Kind    string  `json:"kind"`
	Outcome string  `json:"outcome"` // empty while it ran on without the page
	Start   float64 `json:"start"`
	Ms      float64 `json:"ms"`
}

type recallTrace struct {
	Result string  `json:"result"`
	Start  float64 `json:"start"`
	Ms     float64 `json:"ms"`
}

func newTrace(k kind, number uint64, r *page.Record) pageTrace {
	t := pageTrace{
		Key: fmt.Sprintf("%s-%d", k, number), Kind: k.String(),
		Resource: r.Resource.String(), Result: r.Result.String(), Status: r.Status,
		ID: r.ID, RequestID: r.RequestID, TraceID: r.TraceID, Client: r.Client, Market: r.Market,
		Priority: r.Priority.String(), Shed: r.Shed.String(),
		At: r.Start.UnixMilli(), Ms: ms(r.Duration), QueuedMs: ms(r.Queued), AllowedMs: ms(r.Allowed),
		Notes: []noteTrace{}, Calls: []callTrace{},
	}
	if r.HasNotes {
		for _, n := range r.Notes {
			t.Notes = append(t.Notes, newNote(n))
		}
	}
	for i := range r.Calls {
		if r.Calls[i].Asked {
			t.Calls = append(t.Calls, newCall(i, &r.Calls[i], r.Start))
		}
	}
	if r.Recall.Asked {
		t.Recall = &recallTrace{r.Recall.Result.String(), ms(r.Recall.Start.Sub(r.Start)), ms(r.Recall.Duration)}
	}
	return t
}

func newNote(n page.Note) noteTrace {
	if !n.Degrades() {
		return noteTrace{Status: n.Status.String()}
	}
	return noteTrace{n.Status.String(), n.Reason.String(), ms(n.Age)}
}

func newCall(downstream int, c *page.Call, pageStart time.Time) callTrace {
	t := callTrace{
		Downstream: downstream, Outcome: c.Outcome.String(), Start: ms(c.Start.Sub(pageStart)), Ms: ms(c.Duration),
		QueuedMs: ms(c.Queued), Coalesced: c.Coalesced, RetryAfterMs: ms(c.RetryAfter), Attempts: []attemptTrace{},
	}
	for _, a := range c.Attempts {
		attempt := attemptTrace{Kind: a.Kind.String(), Start: ms(a.Start.Sub(pageStart)), Ms: ms(a.Duration)}
		if a.Duration > 0 {
			attempt.Outcome = a.Outcome.String()
		}
		t.Attempts = append(t.Attempts, attempt)
	}
	return t
}
