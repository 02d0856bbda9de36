package world_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// switches takes the connection over, as HTTP allows a server to, and says nothing more on it.
func switches(lasts time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n")
		time.AfterFunc(lasts, func() { _ = conn.Close() })
	}
}

// wrapped has the handler of one downstream replaced while it says so.
func wrapped(name string, by http.HandlerFunc, now *atomic.Bool) world.Setup {
	return world.Setup{Wrap: func(downstream string, h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if downstream == name && now.Load() {
				by(w, r)
				return
			}
			h.ServeHTTP(w, r)
		})
	}}
}

func TestADownstreamThatSwitchesProtocolsHoldsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var now atomic.Bool
		now.Store(true)
		w := wrapped("recommendations", switches(time.Hour), &now).Start(t)
		a := w.Get("/products/p-1")
		want(t, a, 200)
		if a.Sections["recommendations"].Reason != "upstream_error" || a.Took > 100*ms {
			t.Errorf("after %v: %+v", a.Took, a.Sections["recommendations"])
		}
		time.Sleep(time.Second)
		if n := w.Scrape().InFlight("recommendations"); n != 0 {
			t.Errorf("%v slots are held", n)
		}
		start := time.Now()
		w.Signal(syscall.SIGINT)
		if err := w.Wait(); err != nil || time.Since(start) > time.Second {
			t.Errorf("it ended after %v with %v", time.Since(start), err)
		}
	})
	bubble(t, func(t *testing.T) { // as the answer to probes
		var now atomic.Bool
		w := wrapped("stock", switches(time.Hour), &now).Start(t)
		w.Fault("stock", fakes.Fault{Status: 500})
		for i := range 25 {
			w.Get(product(i))
		}
		w.Heal("stock")
		now.Store(true)
		time.Sleep(7 * time.Second)
		w.All(3, func(i int) world.Answer { return w.Get(product(i)) })
		now.Store(false)
		time.Sleep(7 * time.Second)
		for i := range 3 {
			want(t, w.Get(product(i)), 200)
		}
	})
}

func TestARetryAfterOfAgesIsNotTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var calls atomic.Int32
		var now atomic.Bool
		now.Store(true)
		w := wrapped("stock", func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.Header().Set("Retry-After", "99999999999999999999999")
			w.WriteHeader(503)
		}, &now).Start(t)
		a := w.Get("/products/p-1")
		want(t, a, 503)
		if calls.Load() != 1 || a.RetryAfter < 60 || a.RetryAfter > 62 {
			t.Errorf("%d calls, Retry-After %d", calls.Load(), a.RetryAfter)
		}
	})
}

// Of two downstreams that are refused, both are told, and the longer wait.
func TestAllThatIsRefusedIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		lever(t, w, http.MethodPut, "price", `{"mode":"open","for":"1m","reason":"test"}`)
		lever(t, w, http.MethodPut, "stock", `{"mode":"open","for":"2m","reason":"test"}`)
		for range 50 {
			a := w.Get("/products/p-1/offer")
			want(t, a, 503)
			if len(a.Dependencies) != 2 || a.RetryAfter < 119 {
				t.Fatalf("%s", a.Body)
			}
		}
	})
}
