package chaos

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// rules are what must hold of every answer. A rule returns what is wrong, or nothing.
var rules = []struct {
	name  string
	check func(r *run, x *exchange) string
}{
	{"every caller who waits is answered, within the deadline", inTime},
	{"an answer is one of those that the contract knows", known},
	{"no 5xx when only optional parts failed", unavailable},
	{"nothing is refused without a crowd", refused},
	{"a refusal is quick", quick},
	{"a section fails only when its downstream does", sections},
	{"degraded exactly when a section says so", degraded},
	{"purchasable exactly when price and stock are live and it is available", purchasable},
	{"a price is the product's, in its market, and live or not too old", price},
	{"a section holds what the downstream says", content},
	{"only a full page may be kept", kept},
}

func (r *run) judge(x *exchange) {
	for _, rule := range rules {
		if wrong := rule.check(r, x); wrong != "" {
			r.stage.violate(rule.name, "at %.3f s: %s\n    %v", x.start.Sub(r.start).Seconds(), wrong, x)
		}
	}
}

// end is when the answer was there.
func (x *exchange) end() time.Time { return x.start.Add(x.Took) }

// isPage tells a whole page with a body from everything else.
func (x *exchange) isPage() bool { return x.Status == 200 && !x.offer && !x.head }

func inTime(_ *run, x *exchange) string {
	switch {
	case x.left():
		return ""
	case x.Err != nil:
		return "no answer"
	case x.Took > x.limit():
		return fmt.Sprintf("took %v of %v", x.Took, x.limit())
	}
	return ""
}

func known(r *run, x *exchange) string {
	missing := strings.HasPrefix(x.id, "missing-")
	nothing := missing || r.felt("catalog", x.start, x.end()) || x.offer && r.felt("price", x.start, x.end())
	ok := true
	switch x.Status {
	case 0:
		ok = x.left()
	case 200:
		ok = !x.malformed
	case 304:
		ok = x.etag != "" && !x.malformed
	case 400:
		ok = x.malformed
	case 404:
		ok = nothing && !x.malformed
	case 429:
		ok = r.config.rateLimit
	case 503:
	default:
		ok = false
	}
	if missing && x.Status == 200 && !r.felt("catalog", x.start, x.end()) {
		ok = false
	}
	if !ok {
		return "this status"
	}
	return ""
}

// unavailable wants a critical downstream's trouble, or a caller's hurry, behind each page and offer that failed.
func unavailable(r *run, x *exchange) string {
	if x.Status < 500 || x.head || x.Type != "/problems/dependency-unavailable" {
		return ""
	}
	if r.gentle {
		return "all that is critical is well"
	}
	for _, d := range x.Dependencies {
		if !critical(d.Name) {
			return d.Name + " is not critical"
		}
		if wrong := r.unexplained(x, d.Name, d.Reason); wrong != "" {
			return wrong
		}
	}
	if len(x.Dependencies) == 0 {
		return "no dependency is told"
	}
	return ""
}

// unexplained tells why a downstream's failure is not to be expected; it is empty when it is.
func (r *run) unexplained(x *exchange, downstream, reason string) string {
	switch {
	case r.felt(downstream, x.start, x.end()),
		reason == "breaker_open" && r.unprobed(downstream, x.start),
		reason == "timeout" && x.allows > 0 && x.Took >= x.limit()-recallReserve-ms,
		reason == "bulkhead_full" && r.crowded(x.start, x.end()):
		return ""
	}
	return fmt.Sprintf("%s is well, and yet %s", downstream, reason)
}

// recallReserve is how long before a page's end the live price is given up.
const recallReserve = 25 * ms

func refused(r *run, x *exchange) string {
	if x.Status != 503 || x.head {
		return ""
	}
	switch seconds, _ := strconv.Atoi(x.Header.Get("Retry-After")); {
	case seconds < 1 || seconds != x.RetryAfter:
		return "no Retry-After, or not the one that the problem tells"
	case x.Type == "/problems/dependency-unavailable":
	case x.Type == "/problems/overloaded" && r.crowded(x.start, x.end()):
	case x.Type == "/problems/deadline-exhausted" && (x.allows > 0 || r.crowded(x.start, x.end()) || r.anyFelt(x)):
	default:
		return "this problem"
	}
	return ""
}

// quick bounds how long whoever is not served waits to be told: no longer than the queue lasts, and else their own time.
func quick(_ *run, x *exchange) string {
	refusal := x.Type == "/problems/overloaded" || x.Type == "/problems/rate-limited" ||
		x.Type == "/problems/deadline-exhausted" && x.Took < x.limit()-ms
	if refusal && x.Took > queueAge {
		return fmt.Sprintf("took %v", x.Took)
	}
	return ""
}

func (r *run) anyFelt(x *exchange) bool {
	return slices.ContainsFunc(fakes.Names(), func(name string) bool { return r.felt(name, x.start, x.end()) })
}

func sections(r *run, x *exchange) string {
	if !x.isPage() {
		return ""
	}
	for i, name := range fakes.Names() {
		s, ok := x.Sections[sectionNames[i]]
		switch {
		case !ok:
			return "no section for " + name
		case s.Status == "ok":
		case s.Status == "absent" && r.felt(name, x.start, x.end()):
		case s.Status == "stale" && name == "price" || s.Status == "unavailable" && !critical(name):
			if wrong := r.unexplained(x, name, s.Reason); wrong != "" {
				return wrong
			}
		case s.Status == "absent" && strings.HasPrefix(x.id, "missing-"):
		default:
			return fmt.Sprintf("%s is %+v", name, s)
		}
	}
	return ""
}

var sectionNames = []string{"product", "price", "stock", "reviews", "recommendations"}

func degraded(_ *run, x *exchange) string {
	if !x.isPage() {
		return ""
	}
	var lacking []string
	for i, name := range fakes.Names() {
		if s := x.Sections[sectionNames[i]].Status; s == "stale" || s == "unavailable" {
			lacking = append(lacking, name)
		}
	}
	if told := strings.Join(lacking, ", "); x.Header.Get("X-Degraded") != told || x.Degraded != (told != "") {
		return fmt.Sprintf("degraded is %v, X-Degraded %q", x.Degraded, x.Header.Get("X-Degraded"))
	}
	return ""
}

func purchasable(_ *run, x *exchange) string {
	if x.Status != 200 || x.head {
		return ""
	}
	available := x.Stock != nil && x.Stock.Available
	if !x.offer {
		available = available && x.Sections["price"].Status == "ok" && x.Sections["stock"].Status == "ok"
	}
	if x.Purchasable != available {
		return fmt.Sprintf("purchasable is %v", x.Purchasable)
	}
	return ""
}

func price(r *run, x *exchange) string {
	if x.Status != 200 || x.head || x.Price == nil {
		return ""
	}
	p, want, stale := x.Price, r.reference.of(x.request), x.Sections["price"].Status == "stale"
	age := x.end().Sub(p.AsOf)
	switch {
	case p.Amount != want.Amount || p.Currency != want.Currency:
		return "not this price, but " + want.Amount + " " + want.Currency
	case p.Stale != stale || p.DisplayOnly != stale:
		return "the price says otherwise than its section"
	case !r.taps["price"].askedAt(x.id, x.market, p.AsOf, r.config.timeout["price"]):
		return "asOf is no instant at which it was asked for"
	case stale && age > r.config.staleFor+deadline:
		return fmt.Sprintf("it is %v old, over %v", age, r.config.staleFor)
	case !stale && x.start.Sub(p.AsOf) > r.config.timeout["price"]+ms:
		return fmt.Sprintf("it is said to be live, and was %v old when it was asked for", x.start.Sub(p.AsOf))
	case stale && abs(age-time.Duration(x.Sections["price"].AgeMs)*ms) > deadline:
		return fmt.Sprintf("it is %v old", age)
	}
	return ""
}

func abs(d time.Duration) time.Duration { return max(d, -d) }

func content(r *run, x *exchange) string {
	if x.Status != 200 || x.head {
		return ""
	}
	want := r.reference.of(x.request)
	is := func(section string) bool { return x.Sections[section].Status == "ok" }
	switch {
	case x.ID != x.id:
		return "another id"
	case (x.offer || is("stock")) && !sameStock(x.Answer, want) && !r.felt("stock", x.start, x.end()):
		return fmt.Sprintf("another stock, not %v %v", want.Available, want.Quantity)
	case x.offer:
	case is("product") && !bytes.Equal(x.Product, want.Product):
		return fmt.Sprintf("another product, not %s", want.Product)
	case is("reviews") && !bytes.Equal(x.Reviews, want.Reviews):
		return fmt.Sprintf("other reviews, not %s", want.Reviews)
	case is("recommendations") && !bytes.Equal(x.Recommendations, want.Recommendations):
		return fmt.Sprintf("other recommendations, not %s", want.Recommendations)
	}
	return ""
}

func sameStock(a world.Answer, want answers) bool {
	if a.Stock == nil || a.Stock.Available != want.Available || (a.Stock.Quantity == nil) != (want.Quantity == nil) {
		return false
	}
	return want.Quantity == nil || *want.Quantity == *a.Stock.Quantity
}

func kept(_ *run, x *exchange) string {
	if x.left() || x.Err != nil {
		return ""
	}
	full := !x.offer && (x.Status == 304 || x.Status == 200 && x.Header.Get("X-Degraded") == "")
	control, tag := x.Header.Get("Cache-Control"), x.Header.Get("Etag")
	if full && (control != "private, no-cache" || tag == "") || !full && (control != "no-store" || tag != "") {
		return fmt.Sprintf("Cache-Control is %q, ETag %q", control, tag)
	}
	return ""
}
