package downstreams_test

import (
	"bytes"
	"compress/gzip"
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

func TestASlowErrorBodyDelaysNothingMuch(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(5 * ms)
		}
	}
	overNetwork(t, page.Catalog, decodeText, h, nil, func(p *place[string]) {
		_, call := p.ask(pageDeadline, "p")
		if call.Outcome != page.UpstreamError || call.Duration > 15*ms {
			p.Errorf("%v after %v", call.Outcome, call.Duration)
		}
	})
}

// One body each, and what a strict reader of reviews makes of it, how soon.
func TestHostileBodies(t *testing.T) {
	write := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := map[string]struct {
		does    http.HandlerFunc
		outcome page.Outcome
		within  time.Duration
	}{
		"an object":         {write(` {"average":4.4} `), page.OK, 0},
		"HTML":              {write("<!doctype html><title>502</title>"), page.InvalidResponse, 0},
		"half a document":   {write(`{"average":4.4,"items":[`), page.InvalidResponse, 0},
		"two documents":     {write(`{}{}`), page.InvalidResponse, 0},
		"trailing garbage":  {write(`{} x`), page.InvalidResponse, 0},
		"null":              {write(`null`), page.InvalidResponse, 0},
		"an array":          {write(`[]`), page.InvalidResponse, 0},
		"1,000 deep":        {write(deep(1000)), page.OK, 0},
		"1,001 deep":        {write(deep(1001)), page.InvalidResponse, 0},
		"40,000 deep":       {write(deep(40_000)), page.InvalidResponse, 0},
		"40,000 open":       {write(strings.Repeat("[", 40_000)), page.InvalidResponse, 0},
		"invalid UTF-8":     {write("{\"a\":\"\xff\"}"), page.InvalidResponse, 0},
		"a byte order mark": {write("\ufeff{}"), page.InvalidResponse, 0},
		"empty":             {write(""), page.InvalidResponse, 0},
		"just 1 MiB":        {write(`{"a":"` + strings.Repeat("x", 1<<20-8) + `"}`), page.OK, 0},
		"over 1 MiB":        {write(`{"a":"` + strings.Repeat("x", 1<<20-7) + `"}`), page.InvalidResponse, 0},
		"204":               {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, page.Absent, 0},
		"a byte every 45 ms": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(45 * ms)
			}
		}, page.Timeout, 150 * ms},
		"headers alone": {func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, page.Timeout, 150 * ms},
		"an endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		}, page.InvalidResponse, 0},
		"announced, not sent": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000000")
			_, _ = io.WriteString(w, "{")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, page.Timeout, 150 * ms},
		"announced too long": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1048577")
			_, _ = io.WriteString(w, "{")
		}, page.InvalidResponse, 0},
		"reset at once":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, page.UpstreamError, 0},
		"reset half-way": {cutOff(`HTTP/1.1 200 OK` + "\r\nContent-Length: 9\r\n\r\n{"), page.UpstreamError, 0},
		"no HTTP":        {cutOff("SSH-2.0-OpenSSH_9.2\r\n\r\n"), page.UpstreamError, 0},
		"broken gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "this is no gzip at all")
		}, page.InvalidResponse, 0},
		"endless headers": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 2000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
			}
		}, page.UpstreamError, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			overNetwork(t, page.Reviews, downstreams.DecodeReviews, tt.does, nil, func(p *place[page.ReviewSummary]) {
				_, call := p.ask(pageDeadline, "p")
				if call.Outcome != tt.outcome || call.Duration != tt.within {
					p.Errorf("%v after %v, want %v after %v", call.Outcome, call.Duration, tt.outcome, tt.within)
				}
			})
		})
	}
}

// cutOff sends raw bytes and closes the connection.
func cutOff(raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, raw)
			_ = conn.Close()
		}
	}
}

// A gigabyte of white space in a megabyte of gzip.
func TestAGzipBombCostsNoMemory(t *testing.T) {
	var megabyte bytes.Buffer
	z := gzip.NewWriter(&megabyte)
	_, _ = io.WriteString(z, strings.Repeat(" ", 1<<20))
	_ = z.Close()
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		for range 1024 {
			if _, err := w.Write(megabyte.Bytes()); err != nil {
				return
			}
		}
	}
	overNetwork(t, page.Reviews, downstreams.DecodeReviews, bomb, nil, func(p *place[page.ReviewSummary]) {
		var before, after runtime.MemStats
		p.ask(pageDeadline, "warm-up")
		runtime.ReadMemStats(&before)
		const n = 10
		for range n {
			if _, call := p.ask(pageDeadline, "p"); call.Outcome != page.InvalidResponse {
				p.Errorf("%v", call.Outcome)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 8<<20 {
			p.Errorf("a bomb costs %d KiB, both ends together", each>>10)
		}
	})
}

func TestGzipIsUnpacked(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("it accepts %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"count":1}`)
		_ = z.Close()
	}
	overNetwork(t, page.Reviews, downstreams.DecodeReviews, h, nil, func(p *place[page.ReviewSummary]) {
		if v, call := p.ask(pageDeadline, "p"); call.Outcome != page.OK || string(v) != `{"count":1}` {
			p.Errorf("%s, %v", v, call.Outcome)
		}
	})
}

// Every kept connection is dead after a restart; no call may notice.
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
			burst()
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
