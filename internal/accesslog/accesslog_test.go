package accesslog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/accesslog"
	"example.com/bff/internal/page"
)

const ms = time.Millisecond

// lines serves the records to a JSON log and reads what it wrote.
func lines(t *testing.T, share float64, records ...*page.Record) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	l := accesslog.New(slog.New(slog.NewJSONHandler(&out, nil)), share)
	for _, r := range records {
		l.Served(r)
	}
	var all []map[string]any
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, fields)
	}
	return all
}

func degraded() *page.Record {
	r := &page.Record{
		Result: page.Degraded, Status: 200, Client: "web", Market: "de", ID: "p-1", RequestID: "req-1",
		TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", Priority: page.Default, Duration: 187250 * time.Microsecond,
		Allowed: 450 * ms, Queued: 2 * ms, HasNotes: true,
		Recall: page.Recall{Asked: true, Result: page.MemoryHit, Duration: ms},
	}
	r.Notes[page.Price] = page.Note{Status: page.StatusStale, Reason: page.Timeout, Age: 61234 * ms}
	r.Notes[page.Recommendations] = page.Note{Status: page.StatusUnavailable, Reason: page.BreakerOpen}
	r.Calls[page.Catalog] = page.Call{Asked: true, Duration: 12400 * time.Microsecond, Coalesced: true,
		Attempts: []page.Attempt{{Duration: 12 * ms}}}
	r.Calls[page.Price] = page.Call{Asked: true, Outcome: page.Timeout, Duration: 180 * ms, Queued: 3 * ms,
		Attempts: []page.Attempt{{Outcome: page.Timeout, Duration: 150 * ms}, {Kind: page.Retry}}}
	r.Calls[page.Recommendations] = page.Call{Asked: true, Outcome: page.BreakerOpen}
	return r
}

func TestALineTellsThePage(t *testing.T) {
	got := lines(t, 0, degraded())
	if len(got) != 1 {
		t.Fatalf("%d lines", len(got))
	}
	delete(got[0], "time")
	var want map[string]any
	err := json.Unmarshal([]byte(`{
		"level": "WARN", "msg": "page", "outcome": "degraded", "status": 200, "duration_ms": 187.25, "allowed_ms": 450,
		"client": "web", "market": "de", "priority": "default", "request_id": "req-1",
		"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "id": "p-1", "queued_ms": 2,
		"memory": {"result": "hit", "ms": 1},
		"sections": {
			"product": {"status": "ok"},
			"price": {"status": "stale", "reason": "timeout", "age_ms": 61234},
			"stock": {"status": "ok"},
			"reviews": {"status": "ok"},
			"recommendations": {"status": "unavailable", "reason": "breaker_open"}
		},
		"calls": {
			"catalog": {"outcome": "ok", "ms": 12.4, "attempts": 1, "tried": "first ok 12", "coalesced": true},
			"price": {"outcome": "timeout", "ms": 180, "attempts": 2, "tried": "first timeout 150, retry running", "queued_ms": 3},
			"recommendations": {"outcome": "breaker_open", "ms": 0, "attempts": 0}
		}
	}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %v\nwant %v", got[0], want)
	}
}

func TestAShedOfferHasNoCallsAndNoSections(t *testing.T) {
	got := lines(t, 0, &page.Record{Resource: page.OfferResource, Result: page.Shed, Status: 503, Shed: page.ShedFull, Priority: page.Critical})
	if len(got) != 1 || got[0]["msg"] != "offer" || got[0]["shed"] != "full" || got[0]["priority"] != "critical" || got[0]["level"] != "WARN" {
		t.Fatalf("%v", got)
	}
	for _, name := range []string{"calls", "sections", "memory", "trace_id", "id", "defect"} {
		if _, there := got[0][name]; there {
			t.Errorf("%s: %v", name, got[0][name])
		}
	}
}

func TestWhatIsNotWholeIsAlwaysWrittenAtItsLevel(t *testing.T) {
	levels := map[page.Result]string{
		page.Degraded: "WARN", page.Invalid: "INFO", page.Unavailable: "WARN", page.Deadline: "INFO", page.Shed: "WARN",
		page.ShedBackground: "INFO", page.RateLimited: "INFO", page.ClientLeft: "INFO", page.Internal: "ERROR",
	}
	for result := range page.Result(page.NumResults) {
		r := &page.Record{Result: result, RequestID: "req"}
		none, all := lines(t, 0, r), lines(t, 1, r)
		if len(all) != 1 {
			t.Errorf("%s: %d lines of a log that samples nothing away", result, len(all))
		}
		level, always := levels[result]
		if always != (len(none) == 1) || (always && none[0]["level"] != level) {
			t.Errorf("%s: %v", result, none)
		}
	}
}

func TestAShareOfWholeAnswersIsWrittenTheSameEverywhere(t *testing.T) {
	var records []*page.Record
	for i := range 20000 {
		records = append(records, &page.Record{RequestID: fmt.Sprintf("request-%d", i)})
	}
	one, two := lines(t, 0.1, records...), lines(t, 0.1, records...)
	if len(one) < 1800 || len(one) > 2200 {
		t.Errorf("%d of 20000 lines at a share of 0.1", len(one))
	}
	for i := range one {
		if one[i]["request_id"] != two[i]["request_id"] {
			t.Fatal("two instances chose differently")
		}
	}
}

func TestALogThatIsTurnedDownCostsNothing(t *testing.T) {
	l := accesslog.New(slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError})), 1)
	r := degraded()
	if allocs := testing.AllocsPerRun(100, func() { l.Served(r) }); allocs != 0 {
		t.Errorf("%v allocations for a line that is not written", allocs)
	}
}
