package world_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// idle fails the test unless every breaker is closed and nothing is in flight.
func idle(t *testing.T, w *world.World) world.Metrics {
	t.Helper()
	synctest.Wait()
	m := w.Scrape()
	for _, name := range fakes.Names() {
		if m.Breaker(name) != "closed" || m.InFlight(name) != 0 {
			t.Errorf("%s: the breaker is %s, in flight are %v", name, m.Breaker(name), m.InFlight(name))
		}
	}
	if n := m["bff_in_flight"]; n != 0 {
		t.Errorf("%v pages are in flight", n)
	}
	return m
}

func TestCallersWhoHangUpAreNobodysFault(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 140 * ms }}}.Start(t)
		w.Every(10*ms, time.Second, func(i int) world.Answer {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i)*ms)
			defer cancel()
			return w.Do(ctx, http.MethodGet, world.Public, product(i))
		})
		time.Sleep(time.Second)
		m := idle(t, w)
		if n := m.Sum("bff_page_requests_total", `outcome="cancelled"`); n != 100 {
			t.Errorf("%v of 100 pages are counted as cancelled", n)
		}
		for _, outcome := range []string{"unavailable", "degraded", "error", "deadline"} {
			if n := m.Sum("bff_page_requests_total", `outcome="`+outcome+`"`); n != 0 {
				t.Errorf("%v pages are counted as %s", n, outcome)
			}
		}
	})
}

func TestCallersInAHurryAreNobodysFault(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 140 * ms }}}.Start(t)
		for _, a := range w.Every(10*ms, time.Second, func(i int) world.Answer {
			return w.Get(product(i), "X-Request-Timeout-Ms", "100")
		}) {
			want(t, a, 503)
			if a.Took > 100*ms || a.Dependencies[0].Reason != "timeout" {
				t.Fatalf("took %v: %s", a.Took, a.Body)
			}
		}
		if n := idle(t, w).Sum("bff_page_requests_total", `outcome="deadline"`); n != 100 {
			t.Errorf("%v of 100 pages are counted as deadline", n)
		}
	})
}

func TestTooLittleTimeIsRefusedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, header := range [][]string{
			{"X-Request-Timeout-Ms", "19"}, {"X-Request-Timeout-Ms", "0"},
			{"X-Request-Deadline", "946684799000"}, // a second before the bubble's beginning
		} {
			a := w.Get("/products/p-1", header...)
			want(t, a, 503)
			if a.Took != 0 || a.Type != "/problems/deadline-exhausted" || a.RetryAfter < 1 {
				t.Errorf("%v: took %v: %s", header, a.Took, a.Body)
			}
		}
		if n := w.Fakes.Stats()["catalog"].Calls; n != 0 {
			t.Errorf("%d calls were made", n)
		}
	})
}

// 20 ms are enough to begin, and too little for anything that takes its time: that is the caller's doing.
func TestWhatTheCallerAllowedTooLittleForIsItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 30 * ms }}}.Start(t)
		for i, allowed := range []string{"20", "21", "24", "25", "26", "29"} {
			a := w.Get(product(i), "X-Request-Timeout-Ms", allowed)
			want(t, a, 503)
			if i > 0 && !strings.Contains(a.Header.Get("Server-Timing"), `price;dur=`) {
				t.Errorf("%s ms: Server-Timing: %s", allowed, a.Header.Get("Server-Timing"))
			}
		}
		m := idle(t, w)
		if n := m.Sum("bff_page_requests_total", `outcome="deadline"`); n != 6 {
			t.Errorf("%v of 6 pages are counted as deadline", n)
		}
		if n := m.Sum("bff_shed_total"); n != 0 {
			t.Errorf("%v are counted as shed", n)
		}
	})
}

func TestDownstreamsAreToldWhatIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("price", fakes.Fault{LatencyMs: new(1)})
		a := w.Get("/products/p-1", "X-Request-Timeout-Ms", "120", "X-Request-Id", "id-7", "X-Market", "de",
			"Accept-Language", "de", "Cookie", "secret", "Authorization", "secret",
			"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate", "a=1")
		want(t, a, 200)
		stats := w.Fakes.Stats()
		for name, told := range map[string]string{"catalog": "120", "price": "95", "stock": "120", "recommendations": "100"} {
			h := stats[name].LastHeaders
			if h["X-Request-Timeout-Ms"] != told {
				t.Errorf("%s is told %q ms, not %s", name, h["X-Request-Timeout-Ms"], told)
			}
			if h["X-Request-Id"] != "id-7" || !strings.HasPrefix(h["Traceparent"], "00-4bf92f3577b34da6a3ce929d0e0e4736-") ||
				h["Tracestate"] != "a=1" || h["X-Market"] != "de" {
				t.Errorf("%s sees %v", name, h)
			}
			if _, seen := h["Accept-Language"]; seen != (name == "catalog" || name == "recommendations") {
				t.Errorf("%s sees Accept-Language: %v", name, seen)
			}
			if h["Cookie"] != "" || h["Authorization"] != "" {
				t.Errorf("%s sees credentials: %v", name, h)
			}
		}
		if a.Header.Get("X-Request-Id") != "id-7" {
			t.Errorf("the answer's id is %q", a.Header.Get("X-Request-Id"))
		}
	})
}

func TestOneSharedCallManyCallers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Setup{Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 80 * ms }}}.Start(t)
		answers := w.All(50, func(i int) world.Answer {
			time.Sleep(time.Duration(i) * ms)
			ctx, cancel := context.WithCancel(t.Context())
			if i < 25 { // the one that began the call, and others, leave
				time.AfterFunc(50*ms, cancel)
			}
			defer cancel()
			header := []string{"X-Market", "de"}
			if i%5 == 4 { // some have little time of their own
				header = append(header, "X-Request-Timeout-Ms", "30")
			}
			return w.Do(ctx, http.MethodGet, world.Public, "/products/p-1", header...)
		})
		for i, a := range answers[25:] {
			if i := i + 25; i%5 == 4 {
				continue
			}
			want(t, a, 200)
			if a.Degraded {
				t.Errorf("page %d: %s", i, a.Body)
			}
		}
		if calls := w.Fakes.Stats()["catalog"].Calls; calls > 2 {
			t.Errorf("%d calls for one question", calls)
		}
		idle(t, w)
	})
}

func TestLanguagesAndMarketsAreNeverMixed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		ask := func(i int) world.Answer {
			lang, market := []string{"de", "en", "fr"}[i%3], []string{"de", "us", "jp"}[i/3%3]
			return w.Get("/products/p-1", "Accept-Language", lang, "X-Market", market)
		}
		var alone []world.Answer
		for i := range 9 {
			alone = append(alone, ask(i))
		}
		for i, a := range w.All(90, ask) {
			want(t, a, 200)
			expected := alone[i%9]
			if string(a.Product) != string(expected.Product) || a.Price.Amount != expected.Price.Amount || a.Price.Currency != expected.Price.Currency {
				t.Fatalf("caller %d got another's: %s\nnot %s", i, a.Body, expected.Body)
			}
		}
		if string(alone[0].Product) == string(alone[1].Product) || alone[0].Price.Currency == alone[3].Price.Currency {
			t.Error("the fakes answer all languages and markets alike: this test proves nothing")
		}
	})
}

func TestABadIDIsOneHoweverItIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, id := range []string{"a%2Fb", `a%2Fb"`, "a%2Fb|", "\xc3\xa4%2Fb", "%2F", "a%2F..%2Fb"} {
			conn := dial(t, w, "GET /products/"+id+" HTTP/1.1\r\nHost: bff\r\n\r\n")
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != 400 {
				t.Errorf("%q: %v, %v", id, answer, err)
			}
		}
	})
}

func TestIDsReachEachDownstreamAsOneSegment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for sent, seen := range map[string]string{
			"p-1001": "p-1001", "A.b_c~d-": "A.b_c~d-", "%41%2D1": "A-1", "...": "...", strings.Repeat("x", 64): strings.Repeat("x", 64),
		} {
			want(t, w.Get("/products/"+sent), 200)
			for _, name := range fakes.Names() {
				if got := w.Fakes.Stats()[name].LastPath; got != "/"+name+"/"+seen {
					t.Errorf("%s: %s sees %s", sent, name, got)
				}
			}
		}
		w.Fakes.ResetStats()
		for _, sent := range []string{
			".", "..", "%2e", "%2E%2e", "a%2Fb", "a%5Cb", "a%00b", "a%20b", "a+b", "a%2541", "%C3%A4", "a;b", "a:b", "a@b", "", strings.Repeat("x", 65),
		} {
			a := w.Get("/products/" + sent)
			want(t, a, 400)
			if a.Type != "/problems/invalid-request" || a.RequestID == "" || a.RequestID != a.Header.Get("X-Request-Id") {
				t.Errorf("%q: %s", sent, a.Body)
			}
		}
		synctest.Wait()
		for _, name := range fakes.Names() {
			if n := w.Fakes.Stats()[name].Calls; n != 0 {
				t.Errorf("%d calls to %s for ids that are not allowed", n, name)
			}
		}
	})
}
