package world_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms       = time.Millisecond
	deadline = 450 * ms
)

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func product(i int) string { return fmt.Sprintf("/products/p-%d", 1000+i) }

// want fails the test for an answer of another status.
func want(t *testing.T, a world.Answer, status int) {
	t.Helper()
	if a.Err != nil || a.Status != status {
		t.Fatalf("got %d %v %.400s, want %d", a.Status, a.Err, a.Body, status)
	}
}

func TestAHealthyPageTakesWhatTheSlowestTakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(name, _ string) time.Duration {
			return map[string]time.Duration{"catalog": 30 * ms, "reviews": 70 * ms}[name]
		}}}.Start(t)
		a := w.Get("/products/p-1001")
		want(t, a, 200)
		if a.Degraded || !a.Purchasable || a.Took != 70*ms {
			t.Errorf("took %v: %s", a.Took, a.Body)
		}
		for _, name := range fakes.Names() {
			if !strings.Contains(a.Header.Get("Server-Timing"), name+";dur=") {
				t.Errorf("Server-Timing lacks %s: %s", name, a.Header.Get("Server-Timing"))
			}
		}
	})
}

func TestSlowRecommendations(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("recommendations", fakes.Fault{LatencyMs: new(8000)})
		answers := w.Every(10*ms, 4*time.Second, func(i int) world.Answer { return w.Get(product(i)) })
		for i, a := range answers {
			want(t, a, 200)
			section := a.Sections["recommendations"]
			if !a.Degraded || a.Took > deadline || string(a.Recommendations) != "[]" || section.Status != "unavailable" {
				t.Fatalf("page %d took %v: %s", i, a.Took, a.Body)
			}
			if i > 100 && (section.Reason != "breaker_open" || a.Took > 45*ms) {
				t.Fatalf("with the breaker open, page %d took %v: %+v", i, a.Took, section)
			}
		}
		if got := w.Scrape().Breaker("recommendations"); got != "open" {
			t.Errorf("the breaker is %s", got)
		}
		if got := w.Fakes.Stats()["recommendations"]; got.MostInFlight > 64 {
			t.Errorf("%d calls at once", got.MostInFlight)
		}

		w.Heal("recommendations")
		time.Sleep(7 * time.Second) // more than the longest cool-down
		for i := range 3 {
			w.Get(product(i))
		}
		if got := w.Scrape().Breaker("recommendations"); got != "closed" {
			t.Errorf("after the recovery the breaker is %s", got)
		}
		if a := w.Get("/products/p-1"); a.Degraded {
			t.Errorf("after the recovery: %s", a.Body)
		}
	})
}

func TestACriticalFailureEndsThePageAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 0 }}}.Start(t)
		for _, name := range []string{"catalog", "price", "reviews", "recommendations"} {
			w.Fault(name, fakes.Fault{Hang: true})
		}
		w.Fault("stock", fakes.Fault{LatencyMs: new(1), Status: 500}) // a moment, in which the others have been reached
		a := w.Get("/products/p-1001")
		want(t, a, 503)
		if a.Took != ms {
			t.Errorf("took %v", a.Took)
		}
		if a.Header.Get("Content-Type") != "application/problem+json" || a.Type != "/problems/dependency-unavailable" ||
			len(a.Dependencies) != 1 || a.Dependencies[0].Name != "stock" || a.Dependencies[0].Reason != "upstream_error" {
			t.Errorf("%s", a.Body)
		}
		synctest.Wait()
		for _, name := range []string{"catalog", "price", "reviews", "recommendations"} {
			if got := w.Fakes.Stats()[name]; got.Calls != 1 || got.Abandoned != 1 || got.InFlight != 0 {
				t.Errorf("%s: %d calls, %d abandoned, %d in flight", name, got.Calls, got.Abandoned, got.InFlight)
			}
		}
	})
}

func TestNoSuchProductIsAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(name, _ string) time.Duration {
			if name == "catalog" {
				return 5 * ms
			}
			return 140 * ms
		}}}.Start(t)
		for _, a := range w.Every(10*ms, time.Second, func(i int) world.Answer {
			return w.Get(fmt.Sprintf("/products/missing-%d", i))
		}) {
			want(t, a, 404)
			if a.Took != 5*ms || a.Header.Get("Retry-After") != "" || a.Type != "/problems/product-not-found" {
				t.Fatalf("took %v: %v %s", a.Took, a.Header, a.Body)
			}
		}
		m := w.Scrape()
		for _, name := range fakes.Names() {
			if m.Breaker(name) != "closed" {
				t.Errorf("the breaker of %s is %s", name, m.Breaker(name))
			}
		}
	})
}

func TestRetryAfterComesFromTheBreaker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("stock", fakes.Fault{Status: 500})
		for i := range 20 {
			w.Get(product(i))
		}
		if got := w.Scrape().Breaker("stock"); got != "open" {
			t.Fatalf("the breaker is %s", got)
		}
		time.Sleep(time.Second)
		for i := range 50 {
			a := w.Get(product(i))
			want(t, a, 503)
			// 5 to 6.25 s of cool-down, of which one has passed, rounded up, and a spread of 0 to 2.
			if a.RetryAfter < 4 || a.RetryAfter > 8 || a.Header.Get("Retry-After") != fmt.Sprint(a.RetryAfter) {
				t.Errorf("retryAfter %d, header %q", a.RetryAfter, a.Header["Retry-After"])
			}
		}
	})
}

func TestRememberedPrice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		first := w.Get("/products/p-1001", "X-Market", "de")
		want(t, first, 200)
		asOf := first.Price.AsOf
		w.Fault("price", fakes.Fault{Hang: true})
		time.Sleep(time.Minute)

		a := w.Get("/products/p-1001", "X-Market", "de")
		want(t, a, 200)
		section := a.Sections["price"]
		if !a.Degraded || a.Purchasable || !a.Price.Stale || !a.Price.DisplayOnly || !a.Price.AsOf.Equal(asOf) ||
			a.Price.Amount != first.Price.Amount || section.Status != "stale" || section.Reason != "timeout" {
			t.Errorf("%s", a.Body)
		}
		if age := time.Since(asOf).Milliseconds(); section.AgeMs < age-100 || section.AgeMs > age {
			t.Errorf("ageMs is %d, the price is %d ms old", section.AgeMs, age)
		}
		if a.Took > deadline || a.Header.Get("X-Degraded") != "price" || a.Header.Get("ETag") != "" {
			t.Errorf("took %v, %v", a.Took, a.Header)
		}
		want(t, w.Get("/products/p-1001/offer", "X-Market", "de"), 503)
		want(t, w.Get("/products/p-1001", "X-Market", "at"), 503) // another market's is another price
		time.Sleep(15 * time.Minute)
		want(t, w.Get("/products/p-1001", "X-Market", "de"), 503)
	})
}

func TestAnInvalidPriceIsNoPrice(t *testing.T) {
	for _, garbage := range []string{"missing-amount", "missing-currency", "null-amount", "empty-currency", "duplicate-amount"} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			known := w.Get("/products/p-1001").Price
			w.Fault("price", fakes.Fault{Garbage: garbage})
			a := w.Get("/products/p-1001")
			want(t, a, 200)
			if a.Sections["price"].Reason != "invalid_response" || a.Price.Amount != known.Amount || !a.Price.AsOf.Equal(known.AsOf) {
				t.Errorf("%s: %s", garbage, a.Body)
			}
			want(t, w.Get("/products/p-2"), 503)
		})
	}
}

func TestAnOfferIsLiveOrNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		a := w.Get("/products/p-1001/offer")
		want(t, a, 200)
		if !a.Purchasable || a.Price.Amount == "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%v %s", a.Header, a.Body)
		}
		for _, name := range []string{"catalog", "reviews", "recommendations"} {
			if calls := w.Fakes.Stats()[name].Calls; calls != 0 {
				t.Errorf("%s was asked %d times", name, calls)
			}
		}
		want(t, w.Get("/products/noprice-1/offer"), 404)
		for _, name := range []string{"price", "stock"} {
			w.Fault(name, fakes.Fault{Status: 503})
			want(t, w.Get("/products/p-1001/offer"), 503)
			w.Heal(name)
		}
	})
}

func TestConditionalPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		first := w.Get("/products/p-1001")
		tag := first.Header.Get("ETag")
		if again := w.Get("/products/p-1001", "If-None-Match", tag); again.Status != 304 || len(again.Body) != 0 || again.Header.Get("ETag") != tag {
			t.Errorf("%d %v %s", again.Status, again.Header, again.Body)
		}
		w.Fault("reviews", fakes.Fault{Status: 500})
		if degraded := w.Get("/products/p-1001", "If-None-Match", tag); degraded.Status != 200 || degraded.Header.Get("ETag") != "" {
			t.Errorf("%d %v", degraded.Status, degraded.Header)
		}
		head := w.Do(context.Background(), http.MethodHead, world.Public, "/products/p-2")
		get := w.Do(context.Background(), http.MethodGet, world.Public, "/products/p-2")
		if len(head.Body) != 0 || head.Header.Get("Content-Length") != fmt.Sprint(len(get.Body)) {
			t.Errorf("HEAD brings %d bytes and %v; GET %d", len(head.Body), head.Header, len(get.Body))
		}
	})
}

func TestALive404ForgetsThePrice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		want(t, w.Get("/products/p-1001"), 200)
		time.Sleep(ms)
		w.Fault("price", fakes.Fault{Status: 404})
		if a := w.Get("/products/p-1001"); a.Status != 200 || a.Price != nil || a.Degraded {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		w.Fault("price", fakes.Fault{Status: 500})
		want(t, w.Get("/products/p-1001"), 503)
	})
}

func TestVaryNamesWhatDownstreamsSee(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_REVIEWS_FORWARD_HEADERS=X-Tenant")
		if got := w.Get("/products/p-1001").Header.Get("Vary"); got != "Accept, Accept-Language, X-Market, X-Tenant" {
			t.Errorf("Vary: %s", got)
		}
	})
}
