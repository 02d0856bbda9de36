package downstreams_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
	"example.com/bff/internal/pipenet"
)

const addr = "downstream:80"

// place is a real downstream and a real client of it, in a bubble.
type place[T any] struct {
	*testing.T
	net    *pipenet.Network
	client *downstreams.Client[T]
	server *http.Server
}

func overNetwork[T any](t *testing.T, d page.Dependency, decode downstreams.Decode[T], h http.HandlerFunc,
	change func(*downstreams.Settings), test func(p *place[T])) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := downstreams.Table()[d]
		s.URL = "http://downstream/things/{id}"
		if change != nil {
			change(&s)
		}
		p := &place[T]{T: t, net: pipenet.New()}
		if h != nil {
			p.server = p.net.Serve(t, addr, h)
		}
		transport := downstreams.NewTransport(s, p.net.DialContext)
		client, err := downstreams.New(s, decode, downstreams.Options[T]{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		p.client = client
		test(p)
		client.Close()
		transport.CloseIdleConnections()
		time.Sleep(time.Second)
		if n := client.State().InFlight; n != 0 {
			t.Errorf("%d slots were not given back", n)
		}
		if n := p.net.Open(addr); n != 0 {
			t.Errorf("%d connections stay open", n)
		}
	})
}

func (p *place[T]) ask(left time.Duration, id string) (T, page.Call) {
	ctx, cancel := context.WithTimeout(p.Context(), left)
	defer cancel()
	return p.client.Ask(ctx, query(id))
}

func TestAnswersThatAreNotUsedCostNoConnection(t *testing.T) {
	for _, status := range []int{200, 201, 204, 302, 400, 404, 429, 500, 503} {
		h := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://downstream/elsewhere")
			w.WriteHeader(status)
			if status != http.StatusNoContent {
				_, _ = io.WriteString(w, strings.Repeat("an error page. ", 2000))
			}
		}
		overNetwork(t, page.Reviews, decodeText, h, nil, func(p *place[string]) {
			for range 15 {
				p.ask(pageDeadline, "p")
			}
			if n := p.net.Dials(addr); n != 1 {
				p.Errorf("status %d: 15 calls dialled %d times", status, n)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int64
	h := func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/things/other", http.StatusFound)
	}
	overNetwork(t, page.Catalog, decodeText, h, nil, func(p *place[string]) {
		if _, call := p.ask(pageDeadline, "p"); call.Outcome != page.UpstreamError || asked.Load() != 1 {
			p.Errorf("%v after %d requests", call.Outcome, asked.Load())
		}
	})
}

// Every kept connection is dead after a restart; no call that comes when that is known may notice. (One that is under way
// on such a connection fails: it is not sent a second time behind the budget's back.)
func TestARestartedDownstreamCostsNoCall(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) { time.Sleep(5 * ms); _, _ = io.WriteString(w, "fine") }
	overNetwork(t, page.Reviews, decodeText, h, func(s *downstreams.Settings) { s.Coalesce = false }, func(p *place[string]) {
		burst := func() {
			done := make(chan page.Call)
			for range 20 {
				go func() { _, call := p.ask(pageDeadline, "p"); done <- call }()
			}
			for range 20 {
				if call := <-done; call.Outcome != page.OK {
					p.Errorf("%v", call.Outcome)
				}
			}
		}
		burst()
		for range 3 {
			_ = p.server.Close()
			synctest.Wait()
			p.server = p.net.Serve(p.T, addr, http.HandlerFunc(h))
			burst()
			p.net.Reset(addr) // and the connections that are there break
			synctest.Wait()
			burst()
		}
	})
}

// net/http would copy the body that is not there through 32 KiB, for each call.
func TestARequestWithoutABodyCostsNoBuffer(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }
	overNetwork(t, page.Catalog, decodeText, h, nil, func(p *place[string]) {
		var before, after runtime.MemStats
		p.ask(pageDeadline, "warm-up")
		runtime.ReadMemStats(&before)
		const n = 100
		for range n {
			p.ask(pageDeadline, "p")
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 28<<10 {
			p.Errorf("a call takes %d KiB, both ends together", each>>10)
		}
	})
}

// The bubble ends only when every goroutine has.
func TestAfterAMinuteOfResetsAndHangingDialsAllIsAsBefore(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) { time.Sleep(5 * ms); _, _ = io.WriteString(w, "fine") }
	overNetwork(t, page.Reviews, decodeText, h, nil, func(p *place[string]) {
		for i := range 300 {
			p.net.SetFault(addr, pipenet.Fault{Hang: i%3 == 0, Refuse: i%3 == 1})
			p.net.Reset(addr)
			p.ask(pageDeadline, "p")
			time.Sleep(200 * ms)
		}
		p.net.SetFault(addr, pipenet.Fault{})
		time.Sleep(40 * time.Second)
		for range 4 {
			p.ask(pageDeadline, "p")
		}
		if got := p.client.State(); got.Breaker != page.StateClosed || got.InFlight != 0 {
			p.Errorf("%+v", got)
		}
		if n := p.net.Open(addr); n > 1 {
			p.Errorf("%d connections are open", n)
		}
	})
}

func TestAHangingDialTakesTheAttemptsTimeAndEnds(t *testing.T) {
	overNetwork(t, page.Catalog, decodeText, nil, nil, func(p *place[string]) {
		p.net.SetFault(addr, pipenet.Fault{Hang: true})
		if _, call := p.ask(pageDeadline, "p"); call.Outcome != page.Timeout || call.Attempts[0].Duration != 200*ms {
			p.Errorf("%v, %+v", call.Outcome, call.Attempts)
		}
		p.net.SetFault(addr, pipenet.Fault{Refuse: true})
		if _, call := p.ask(pageDeadline, "p"); call.Outcome != page.UpstreamError || len(call.Attempts) != 2 {
			p.Errorf("%v, %+v", call.Outcome, call.Attempts)
		}
	})
}

func TestTransportHasItsOwnLimits(t *testing.T) {
	s := downstreams.Table()[page.Recommendations]
	a, b := downstreams.NewTransport(s, nil), downstreams.NewTransport(s, nil)
	if a == b || a.MaxIdleConnsPerHost != 64 || a.MaxConnsPerHost != 128 || a.IdleConnTimeout == 0 || a.TLSHandshakeTimeout == 0 ||
		a.ResponseHeaderTimeout == 0 || a.MaxResponseHeaderBytes == 0 || a.Proxy != nil || a.DialContext == nil {
		t.Errorf("%+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.DialContext(ctx, "tcp", "127.0.0.1:1"); err == nil {
		t.Error("it dialled although its context had ended")
	}
}

// No text of a host, a library or a body can get out: a call is enums and times.
func TestACallCarriesNoText(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "password=hunter2", 500) }
	overNetwork(t, page.Catalog, decodeText, h, nil, func(p *place[string]) {
		v, call := p.ask(pageDeadline, "p")
		if text := fmt.Sprintf("%+v %+v", v, call); strings.Contains(text, "hunter2") || strings.Contains(text, "downstream:") {
			p.Error(text)
		}
	})
}
