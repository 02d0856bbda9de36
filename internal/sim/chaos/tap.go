package chaos

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"example.com/bff/fakes"
)

// tap counts what reaches a downstream, before the fake does.
type tap struct {
	name     string
	limit    int // at once
	attempts int // of one call
	broken   func(rule, format string, args ...any)

	mu       sync.Mutex
	arrivals int
	open     int
	calls    map[string]int         // arrivals by the id of the request that they are made for
	asked    map[string][]time.Time // when, by id and market; of price alone
}

func (t *tap) before(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.arrived(r)
		defer t.left()
		h.ServeHTTP(w, r)
	})
}

func (t *tap) arrived(r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.arrivals++
	if t.open++; t.open > t.limit {
		// At one instant a place is given back and taken anew, and this end may not have heard yet of the first.
		time.AfterFunc(time.Microsecond, t.settled)
	}
	call := r.Header.Get("X-Request-Id")
	if t.calls[call]++; t.calls[call] > t.attempts {
		t.broken("a call makes no more than its attempts", "%s was asked %d times for one call", t.name, t.calls[call])
	}
	if t.name == "price" {
		key := r.URL.Path[len("/price/"):] + "|" + r.Header.Get("X-Market")
		t.asked[key] = append(t.asked[key], time.Now())
	}
}

func (t *tap) left() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
}

func (t *tap) settled() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open > t.limit {
		t.broken("in flight", "%s has %d calls in flight, more than %d", t.name, t.open, t.limit)
	}
}

// seen is how many have arrived.
func (t *tap) seen() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.arrivals
}

// askedAt tells whether that price was asked for at an instant told to the millisecond, or within the attempt that began then.
func (t *tap) askedAt(id, market string, asOf time.Time, timeout time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range t.asked[id+"|"+market] {
		if !at.Before(asOf) && at.Sub(asOf) <= timeout+ms {
			return true
		}
	}
	return false
}

// reference is fakes to which nothing happens: what a good answer says.
type reference struct {
	fakes *fakes.Server

	mu    sync.Mutex
	known map[string]answers
}

// answers are what the five say of one product in one market and language.
type answers struct {
	Product, Reviews, Recommendations json.RawMessage
	Amount, Currency                  string
	Available                         bool
	Quantity                          *int64
}

func newReference() *reference {
	return &reference{
		fakes: fakes.New(fakes.Options{Latency: func(string, string) time.Duration { return 0 }}),
		known: map[string]answers{},
	}
}

func (r *reference) of(q request) answers {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.known[q.variant()]; ok {
		return a
	}
	var a answers
	var price struct {
		Amount   json.Number // a string or a number
		Currency string
	}
	var recommendations struct{ Items json.RawMessage }
	a.Product, a.Reviews = r.ask("catalog", q), r.ask("reviews", q)
	for body, into := range map[string]any{"price": &price, "stock": &a, "recommendations": &recommendations} {
		if err := json.Unmarshal(r.ask(body, q), into); err != nil {
			panic(err) // the fakes answer JSON
		}
	}
	a.Amount, a.Currency, a.Recommendations = price.Amount.String(), price.Currency, recommendations.Items
	r.known[q.variant()] = a
	return a
}

func (r *reference) ask(downstream string, q request) []byte {
	req := httptest.NewRequest(http.MethodGet, "/"+downstream+"/"+q.id, nil)
	req.Header.Set("X-Market", q.market)
	req.Header.Set("Accept-Language", q.language)
	answer := httptest.NewRecorder()
	r.fakes.ServeHTTP(answer, req)
	return answer.Body.Bytes()
}
