package downstreams_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

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

// An answer that came whole, and is half a gzip, was spoilt by whoever made it: asking again is no use. One that the
// connection cut off is asked for again.
func TestHalfAGzip(t *testing.T) {
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	_, _ = io.WriteString(z, `{"id":"p","name":"Lamp"}`)
	_ = z.Close()
	half := whole.Bytes()[:whole.Len()-10]
	tests := map[string]struct {
		announced, attempts int
		outcome             page.Outcome
	}{
		"whole in HTTP": {len(half), 1, page.InvalidResponse},
		"cut off":       {whole.Len(), 2, page.UpstreamError},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", tt.announced, half)
			overNetwork(t, page.Catalog, downstreams.DecodeCatalog, cutOff(answer), nil, func(p *place[page.Product]) {
				if _, call := p.ask(pageDeadline, "p"); call.Outcome != tt.outcome || len(call.Attempts) != tt.attempts {
					p.Errorf("%v after %d attempts, want %v after %d", call.Outcome, len(call.Attempts), tt.outcome, tt.attempts)
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
		if call.Outcome != page.UpstreamError || call.Duration > ms {
			p.Errorf("%v after %v", call.Outcome, call.Duration)
		}
	})
}
