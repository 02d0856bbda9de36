package chaos

import (
	"slices"
	"strings"
)

// What the service counts answers and calls by.
var (
	outcomes = []string{
		"full", "degraded", "not_modified", "not_found", "invalid", "unavailable", "deadline", "shed", "shed_background",
		"rate_limited", "cancelled", "error",
	}
	callOutcomes = []string{
		"ok", "absent", "timeout", "upstream_error", "invalid_response", "breaker_open", "bulkhead_full", "cancelled",
	}
)

// tally is what callers saw, by resource and client, and by outcome. What an answer must have been counted as is
// certain where there is one outcome; of a caller who left when the time was over, any is possible.
type tally struct {
	requests, certain, possible, calls map[string]int
	left, stale                        int
}

func (t *tally) add(x *exchange) {
	if t.requests == nil {
		t.requests, t.certain, t.possible, t.calls = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	}
	of := x.resource() + "|" + x.label()
	t.requests[of]++
	t.requests[""]++
	may := x.outcomes()
	for _, outcome := range may {
		if len(may) == 1 {
			t.certain[of+"|"+outcome]++
		} else {
			t.possible[of+"|"+outcome]++
		}
	}
	if x.left() {
		t.left++
		return
	}
	if x.isPage() && x.Sections["price"].Status == "stale" || x.head && slices.Contains(x.degradedBy(), "price") {
		t.stale++
	}
	for name, outcome := range x.timing() {
		t.calls[name+"|"+outcome]++
	}
}

func (q request) resource() string {
	if q.offer && !q.malformed {
		return "offer"
	}
	return "page"
}

func (q request) label() string {
	if q.client == "kiosk" {
		return "other"
	}
	return q.client
}

func (x *exchange) degradedBy() []string { return strings.Split(x.Header.Get("X-Degraded"), ", ") }

// outcomes are those that the answer can have been counted as.
func (x *exchange) outcomes() []string {
	switch {
	case x.left() && x.leaves < x.limit()-ms:
		return []string{"cancelled"}
	case x.left():
		return outcomes
	}
	may := map[int][]string{
		200: {"full"}, 304: {"not_modified"}, 404: {"not_found"}, 400: {"invalid"}, 429: {"rate_limited"}, 503: x.refusal(),
	}[x.Status]
	if x.Header.Get("X-Degraded") != "" {
		may = []string{"degraded"}
	}
	if x.allows > 0 && (may[0] == "degraded" || may[0] == "unavailable") {
		may = append(slices.Clone(may), "deadline")
	}
	if x.leaves > 0 { // at the instant of the answer
		may = append(slices.Clone(may), "cancelled")
	}
	return may
}

func (x *exchange) refusal() []string {
	switch {
	case x.head:
		return []string{"unavailable", "shed", "shed_background", "deadline"}
	case x.Type == "/problems/dependency-unavailable":
		return []string{"unavailable"}
	case x.Type == "/problems/overloaded" && x.background:
		return []string{"shed_background"}
	case x.Type == "/problems/overloaded":
		return []string{"shed"}
	}
	return []string{"deadline", "shed", "shed_background", "unavailable"}
}

// timing is each call's outcome, as Server-Timing tells it.
func (x *exchange) timing() map[string]string {
	all := map[string]string{}
	for metric := range strings.SplitSeq(x.Header.Get("Server-Timing"), ", ") {
		name, rest, _ := strings.Cut(metric, ";")
		if _, desc, ok := strings.Cut(rest, `desc="`); ok {
			all[name] = strings.TrimSuffix(desc, `"`)
		}
	}
	return all
}
