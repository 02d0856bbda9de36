package livecheck

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
)

// visit sends each instance a visitor who looks at pages, and now and then at an offer, until the test ends.
func (s *shop) visit(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	var visitors sync.WaitGroup
	for instance := range s.publics {
		visitors.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				s.ask(ctx, instance, path(i))
				if i%5 == 0 {
					s.ask(ctx, instance, path(i)+"/offer")
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	t.Cleanup(func() {
		leave()
		visitors.Wait()
	})
}

// path is one of few products, so that prices are remembered.
func path(i int) string { return fmt.Sprintf("/products/p-%d", i%10) }

// ask is one request; headers are names and values in turn. It tells the validator of the answer, if there is one.
func (s *shop) ask(ctx context.Context, instance int, path string, headers ...string) (validator string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.publics[instance]+path, nil)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get("ETag")
}

// trace is one that a caller began.
const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// storm is everything that can happen, on both instances.
func (s *shop) storm(t *testing.T) {
	ctx := context.Background()
	s.override(t)
	for i := range s.publics {
		for n, client := range []string{"web", "kiosk"} {
			tag := s.ask(ctx, i, path(n), "X-Client", client, "traceparent", trace)
			s.ask(ctx, i, path(n), "X-Client", client, "If-None-Match", tag)
			s.ask(ctx, i, path(n)+"/offer", "X-Client", client, "traceparent", trace)
		}
		s.ask(ctx, i, "/products/missing-1")
		s.ask(ctx, i, "/products/a%20b")
		s.ask(ctx, i, path(0), "X-Request-Timeout-Ms", "5")
	}

	s.fault(t, "stock", fakes.Fault{LatencyMs: new(400)})
	s.atOnce(60, func(i, instance int) {
		hurry, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		switch i % 3 {
		case 0:
			s.ask(ctx, instance, path(i/6), "X-Client", "web")
		case 1:
			s.ask(ctx, instance, path(i/6), "X-Priority", "background")
		case 2:
			s.ask(hurry, instance, path(i/6))
		}
	})
	s.heal(t, "stock")

	for _, f := range []struct {
		downstream string
		fakes.Fault
	}{{"recommendations", fakes.Fault{Status: 500}}, {"price", fakes.Fault{Status: 503}}} {
		s.fault(t, f.downstream, f.Fault)
		s.atOnce(40, func(i, instance int) {
			time.Sleep(time.Duration(i) * 25 * time.Millisecond)
			s.ask(ctx, instance, path(i))
			s.ask(ctx, instance, path(i)+"/offer")
		})
		s.heal(t, f.downstream)
	}
}

// override pulls a lever that changes nothing here: recommendations are not retried anyway.
func (s *shop) override(t *testing.T) {
	t.Helper()
	order := strings.NewReader(`{"mode":"no-retry","for":"10m","reason":"the live check"}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+s.admins[0]+"/override/recommendations", order)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		t.Fatalf("the lever answers %s", resp.Status)
	}
}

func (s *shop) atOnce(n int, ask func(i, instance int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { ask(i, i%len(s.publics)) })
	}
	all.Wait()
}

// stormy tells that the storm was one: each of these is counted at least once.
var stormy = map[string]string{
	`bff_page_requests_total{outcome="full",client="web"}`:   "pages of a client that has a name",
	`bff_page_requests_total{outcome="full",client="other"}`: "pages of others",
	`bff_page_requests_total{outcome="not_modified"}`:        "pages that callers had",
	`bff_page_requests_total{outcome="degraded"}`:            "degraded pages",
	`bff_page_requests_total{outcome="not_found"}`:           "products that are not",
	`bff_page_requests_total{outcome="invalid"}`:             "wrong ids",
	`bff_page_requests_total{outcome="unavailable"}`:         "failed pages",
	`bff_page_requests_total{outcome="deadline"}`:            "callers without time",
	`bff_override_active`:                                    "a lever that is pulled",
	`bff_page_requests_total{outcome="cancelled"}`:           "callers who left",
	`bff_page_requests_total{outcome="shed"}`:                "shed pages",
	`bff_page_requests_total{outcome="shed_background"}`:     "shed background",
	`bff_offer_requests_total{outcome="full"}`:               "offers",
	`bff_offer_requests_total{outcome="unavailable"}`:        "failed offers",
	`bff_downstream_attempts_total{kind="retry"}`:            "retries",
	`bff_downstream_attempts_total{kind="hedge"}`:            "hedges",
	`bff_downstream_calls_total{outcome="bulkhead_full"}`:    "full bulkheads",
	`bff_downstream_calls_total{outcome="breaker_open"}`:     "calls that a breaker refused",
	`bff_breaker_transitions_total{to="closed"}`:             "breakers that closed",
	`bff_coalesced_total`:                                    "shared calls",
	`bff_stale_price_age_seconds_count`:                      "remembered prices shown",
	`bff_price_memory_total{op="get",result="hit"}`:          "remembered prices read",
}
