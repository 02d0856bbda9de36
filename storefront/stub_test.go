package storefront_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/storefront"
)

// stub is a service just good enough to have pages to look at: it asks the fakes and answers in the contract's form,
// without breakers, retries, or anything else that the storefront cannot see.
type stub struct {
	client  *http.Client
	fakes   string
	mu      sync.Mutex
	prices  map[string]map[string]any
	instead map[string]http.HandlerFunc // by path: answers of a test's own
	seen    map[string]int              // how often each path was asked for
}

var sectionOf = map[string]string{"catalog": "product", "price": "price", "stock": "stock", "reviews": "reviews", "recommendations": "recommendations"}

// part is what one downstream came to.
type part struct {
	value  map[string]any
	status string // ok, absent or unavailable
	reason string
	took   time.Duration
}

// world is the storefront before a stub of the service before real fakes.
type world struct {
	*stub
	shop string // its address
}

func newWorld(t *testing.T) *world {
	t.Helper()
	downstreams := serve(t, fakes.New(fakes.Options{}))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s := &stub{
		client: &http.Client{Transport: transport, Timeout: 150 * time.Millisecond}, fakes: downstreams.String(),
		prices: map[string]map[string]any{}, instead: map[string]http.HandlerFunc{}, seen: map[string]int{},
	}
	front := newStorefront(t, serve(t, s), downstreams)
	return &world{s, serve(t, front).String()}
}

func (s *stub) answer(path string, with http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead[path] = with
}

func (s *stub) asked(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.seen[r.URL.Path]++
	instead := s.instead[r.URL.Path]
	s.mu.Unlock()
	id, offer := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/products/"), "/offer")
	switch {
	case instead != nil:
		instead(w, r)
	case offer:
		s.offer(w, r, id)
	default:
		s.page(w, r, id)
	}
}

func (s *stub) page(w http.ResponseWriter, r *http.Request, id string) {
	parts := s.askAll(r.Context(), id)
	writeTimings(w, parts)
	if parts["catalog"].status == "absent" {
		problem(w, http.StatusNotFound, "product-not-found", 0)
		return
	}
	price, stale := s.price(id, parts["price"])
	if reasons := failed(parts, stale); len(reasons) > 0 {
		problem(w, http.StatusServiceUnavailable, "dependency-unavailable", 1, reasons...)
		return
	}
	sections, degraded := map[string]any{}, false
	for name, p := range parts {
		note := map[string]any{"status": p.status}
		if p.status == "unavailable" {
			degraded, note["reason"] = true, p.reason
		}
		sections[sectionOf[name]] = note
	}
	if stale {
		sections["price"] = map[string]any{"status": "stale", "reason": parts["price"].reason, "ageMs": 1}
	}
	items := parts["recommendations"].value["items"]
	if items == nil {
		items = []any{}
	}
	write(w, http.StatusOK, map[string]any{
		"id": id, "degraded": degraded, "purchasable": !stale && price != nil && parts["stock"].value["available"] == true,
		"product": parts["catalog"].value, "price": price, "stock": parts["stock"].value,
		"reviews": parts["reviews"].value, "recommendations": items, "sections": sections,
	})
}

func (s *stub) offer(w http.ResponseWriter, r *http.Request, id string) {
	price, stock := s.ask(r.Context(), "price", id), s.ask(r.Context(), "stock", id)
	if price.status != "ok" || stock.status != "ok" {
		problem(w, http.StatusServiceUnavailable, "dependency-unavailable", 1)
		return
	}
	write(w, http.StatusOK, map[string]any{"id": id, "price": price.value, "stock": stock.value, "purchasable": stock.value["available"]})
}

// price is the live one, or else the last one that was.
func (s *stub) price(id string, live part) (price map[string]any, stale bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if live.status == "ok" {
		shown := map[string]any{
			"amount": fmt.Sprint(live.value["amount"]), "currency": live.value["currency"],
			"asOf": time.Now().UTC().Format(time.RFC3339Nano), "stale": false, "displayOnly": false,
		}
		s.prices[id] = shown
		return shown, false
	}
	if s.prices[id] == nil || live.status == "absent" {
		return nil, false
	}
	old := map[string]any{"stale": true, "displayOnly": true}
	for _, member := range []string{"amount", "currency", "asOf"} {
		old[member] = s.prices[id][member]
	}
	return old, true
}

func failed(parts map[string]part, stale bool) (reasons []string) {
	for _, name := range []string{"catalog", "price", "stock"} {
		if parts[name].status == "unavailable" && !(name == "price" && stale) {
			reasons = append(reasons, name, parts[name].reason)
		}
	}
	return reasons
}

func (s *stub) askAll(ctx context.Context, id string) map[string]part {
	var mu sync.Mutex
	var all sync.WaitGroup
	parts := map[string]part{}
	for name := range sectionOf {
		all.Go(func() {
			p := s.ask(ctx, name, id)
			mu.Lock()
			defer mu.Unlock()
			parts[name] = p
		})
	}
	all.Wait()
	return parts
}

func (s *stub) ask(ctx context.Context, name, id string) (p part) {
	start := time.Now()
	defer func() { p.took = time.Since(start) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.fakes+"/"+name+"/"+id, nil)
	if err != nil {
		return part{status: "unavailable", reason: "upstream_error"}
	}
	res, err := s.client.Do(req)
	var late interface{ Timeout() bool }
	if errors.As(err, &late) && late.Timeout() {
		return part{status: "unavailable", reason: "timeout"}
	}
	if err != nil {
		return part{status: "unavailable", reason: "upstream_error"}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return part{status: "unavailable", reason: "timeout"}
	case res.StatusCode == http.StatusNotFound:
		return part{status: "absent"}
	case res.StatusCode != http.StatusOK:
		return part{status: "unavailable", reason: "upstream_error"}
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	if decoder.Decode(&p.value) != nil {
		return part{status: "unavailable", reason: "invalid_response"}
	}
	p.status = "ok"
	return p
}

func writeTimings(w http.ResponseWriter, parts map[string]part) {
	var metrics []string
	var total time.Duration
	for name, p := range parts {
		metrics = append(metrics, fmt.Sprintf(`%s;dur=%.1f;desc="%s"`, name, float64(p.took.Microseconds())/1000, p.status))
		total = max(total, p.took)
	}
	metrics = append(metrics, fmt.Sprintf("total;dur=%.1f", float64(total.Microseconds())/1000))
	w.Header().Set("Server-Timing", strings.Join(metrics, ", "))
}

// problem writes one; dependencies are pairs of a name and a reason, retryAfter is in seconds.
func problem(w http.ResponseWriter, status int, slug string, retryAfter int, dependencies ...string) {
	body := map[string]any{"type": "/problems/" + slug, "title": slug, "status": status}
	if retryAfter > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(retryAfter))
		body["retryAfter"] = retryAfter
	}
	list := []any{}
	for i := 0; i < len(dependencies); i += 2 {
		list = append(list, map[string]any{"name": dependencies[i], "reason": dependencies[i+1]})
	}
	body["dependencies"] = list
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Request-Id", "r-0123456789abcdef")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func serve(t *testing.T, h http.Handler) *url.URL {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return mustParse(t, server.URL)
}

// nowhere is an address where nobody listens any more.
func nowhere(t *testing.T) *url.URL {
	t.Helper()
	gone := httptest.NewServer(nil)
	defer gone.Close()
	return mustParse(t, gone.URL)
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newStorefront(t *testing.T, service, downstreams *url.URL) *storefront.Storefront {
	t.Helper()
	bases := map[string]*url.URL{}
	for _, name := range fakes.Names() {
		bases[name] = downstreams
	}
	s, err := storefront.New(storefront.Options{BFF: service, Fakes: bases, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
