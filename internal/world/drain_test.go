package world_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/world"
)

func TestSIGTERMLosesNoPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_DRAIN=2s")
		w.All(20, func(i int) world.Answer { return w.Get(product(i)) }) // kept-alive connections
		time.AfterFunc(500*ms, func() { w.Signal(syscall.SIGTERM) })
		for i, a := range w.Every(20*ms, 2*time.Second, func(i int) world.Answer {
			if i%2 == 0 { // every other one on a new connection
				return w.Do(t.Context(), http.MethodGet, world.Public, product(i), "Connection", "close")
			}
			return w.Get(product(i))
		}) {
			want(t, a, 200)
			if a.Degraded {
				t.Errorf("page %d: %s", i, a.Body)
			}
		}
		ready := w.Get("/readyz")
		want(t, ready, 503)
		if !strings.HasPrefix(string(ready.Body), "{") || ready.Header.Get("Retry-After") == "" {
			t.Errorf("%v %s", ready.Header, ready.Body)
		}
		want(t, w.Get("/livez"), 200)
		if err := w.Wait(); err != nil {
			t.Errorf("ended with %v", err)
		}
		if a := w.Get("/products/p-1"); !errors.Is(a.Err, syscall.ECONNREFUSED) {
			t.Errorf("after the end: %d %v", a.Status, a.Err)
		}
	})
}

func TestUnreadyAtOnceAndConnectionsClose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, host := range []string{world.Public, world.Admin} {
			want(t, w.Do(t.Context(), http.MethodGet, host, "/readyz"), 200)
		}
		w.Signal(syscall.SIGTERM)
		time.Sleep(ms)
		for _, host := range []string{world.Public, world.Admin} {
			want(t, w.Do(t.Context(), http.MethodGet, host, "/readyz"), 503)
		}
		dials := w.Net.Dials(world.Public)
		for i := range 5 {
			want(t, w.Get(product(i)), 200)
		}
		if got := w.Net.Dials(world.Public) - dials; got < 4 {
			t.Errorf("5 pages while draining used %d new connections: they were not told to close", got)
		}
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatIsInFlightIsFinished(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t, "BFF_DRAIN=0s")
			w.Fault("recommendations", fakes.Fault{LatencyMs: new(90)})
			time.AfterFunc(10*ms, func() { w.Signal(signal) })
			a := w.Get("/products/p-1")
			want(t, a, 200)
			if a.Degraded {
				t.Errorf("%v: %s", signal, a.Body)
			}
			start := time.Now()
			if err := w.Wait(); err != nil || time.Since(start) > time.Second {
				t.Errorf("%v: ended after %v with %v", signal, time.Since(start), err)
			}
		})
	}
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("catalog", fakes.Fault{Hang: true})
		go w.Get("/products/p-1")
		time.Sleep(10 * ms)
		start := time.Now()
		w.Signal(syscall.SIGTERM)
		time.Sleep(10 * ms)
		w.Signal(syscall.SIGINT)
		if err := w.Wait(); !errors.Is(err, app.ErrAborted) || time.Since(start) > 20*ms {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// Without a drain too: the admin listener is there until the last page is.
func TestUnreadyWhileTheLastPagesAreFinished(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Fault("catalog", fakes.Fault{LatencyMs: new(100)})
		go w.Get("/products/p-1")
		time.Sleep(10 * ms)
		w.Signal(syscall.SIGINT)
		time.Sleep(10 * ms)
		a := w.Do(t.Context(), http.MethodGet, world.Admin, "/readyz")
		want(t, a, 503)
		if a.Type != "/problems/shutting-down" || a.RetryAfter < 1 {
			t.Errorf("%s", a.Body)
		}
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// Whoever does not send what was announced does not make the end an error.
func TestADawdlerDoesNotSpoilTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_DRAIN=0s")
		conn, err := w.Net.DialContext(t.Context(), "tcp", world.Admin)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "PUT /override/shed HTTP/1.1\r\nHost: bff\r\nContent-Length: 1000\r\n\r\n{")
		time.Sleep(10 * ms)
		start := time.Now()
		w.Signal(syscall.SIGTERM)
		if err := w.Wait(); err != nil || time.Since(start) > 6*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// A probe outlives its page, but not the service.
func TestASecondSignalDoesNotWaitForAProbe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_DRAIN=1m")
		w.Fault("stock", fakes.Fault{Status: 500})
		for i := range 20 {
			w.Get(product(i))
		}
		w.Fault("stock", fakes.Fault{Hang: true})
		time.Sleep(7 * time.Second) // the cool-down
		go w.Get("/products/p-1")
		time.Sleep(10 * ms)
		if got := w.Scrape().Breaker("stock"); got != "half_open" {
			t.Fatalf("the breaker is %s", got)
		}
		w.Signal(syscall.SIGTERM)
		time.Sleep(10 * ms)
		start := time.Now()
		w.Signal(syscall.SIGTERM)
		if err := w.Wait(); !errors.Is(err, app.ErrAborted) || time.Since(start) != 0 {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestThePublicListenerShowsNothingOfTheInside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		for _, path := range []string{"/metrics", "/slo", "/ops", "/debug/pprof/", "/override", "/"} {
			a := w.Get(path)
			want(t, a, 404)
			if a.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %v", path, a.Header)
			}
		}
		for _, path := range []string{"/metrics", "/slo", "/livez", "/readyz", "/debug/pprof/"} {
			want(t, w.Do(context.Background(), http.MethodGet, world.Admin, path), 200)
		}
	})
}

func TestTheAdminListenersRootLeadsToThePageForPeople(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		a := w.Do(t.Context(), http.MethodGet, world.Admin, "/")
		want(t, a, 200)
		if !strings.Contains(string(a.Body), "<title>") {
			t.Errorf("%.100s", a.Body)
		}
		if a := w.Do(t.Context(), http.MethodGet, world.Admin, "/nothing"); a.Status != 404 || a.Type != "/problems/not-found" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
}

func TestOneLinePerPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		w.Get("/products/p-1001", "X-Request-Id", "find-me")
		time.Sleep(ms)
		if n := strings.Count(w.Log.String(), "find-me"); n != 1 {
			t.Errorf("%d lines:\n%s", n, w.Log)
		}
	})
}
