package world_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// dial opens a connection to the service and says something on it.
func dial(t *testing.T, w *world.World, says string) net.Conn {
	t.Helper()
	return dialTo(t, w, world.Public, says)
}

func dialTo(t *testing.T, w *world.World, host, says string) net.Conn {
	t.Helper()
	conn, err := w.Net.DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, says); err != nil {
		t.Fatal(err)
	}
	return conn
}

// overHTTP2 has the world's client speak HTTP/2 without TLS, from the first byte.
func overHTTP2(w *world.World) {
	transport := &http.Transport{DialContext: w.Net.DialContext, Protocols: new(http.Protocols), DisableCompression: true}
	transport.Protocols.SetUnencryptedHTTP2(true)
	w.Client = &http.Client{Transport: transport}
}

func TestBothProtocolsAreServed(t *testing.T) {
	for name, use := range map[string]func(*world.World){"HTTP/1.1": func(*world.World) {}, "HTTP/2": overHTTP2} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			use(w)
			page := w.Get("/products/p-1001")
			want(t, page, 200)
			want(t, w.Get("/products/p-1001", "If-None-Match", page.Header.Get("ETag")), 304)
			want(t, w.Get("/products/p-1001/offer"), 200)
			want(t, w.Get("/products/%2e"), 400)
			want(t, w.Do(t.Context(), http.MethodPost, world.Public, "/products/p-1"), 405)
			before := w.Net.Dials(world.Public)
			for _, a := range w.All(50, func(i int) world.Answer { return w.Get(product(i)) }) {
				want(t, a, 200)
			}
			if dialled := w.Net.Dials(world.Public) - before; name == "HTTP/2" && dialled != 0 {
				t.Errorf("50 pages at once cost %d connections", dialled)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
			defer cancel()
			if a := w.Do(ctx, http.MethodGet, world.Public, "/products/p-3"); a.Err == nil {
				t.Errorf("%s: answered %d to a client that has left", name, a.Status)
			}
			synctest.Wait()
			if n := w.Scrape().Sum("bff_page_requests_total", `outcome="cancelled"`); n != 1 {
				t.Errorf("%s: %v pages are counted as cancelled", name, n)
			}
		})
	}
}

func TestHalfSentRequestsAreCutOffAndHarmNobody(t *testing.T) {
	const half = "GET /products/p-1 HTTP/1.1\r\nHost: bff\r\nX-Slow: "
	for name, opening := range map[string]string{
		"nothing": "", "half a line": "GET /", "half a header": half,
		"half an HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM",
	} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			usual := w.Get("/products/p-1")
			want(t, usual, 200)
			opened := w.Net.Open(world.Public)
			start := time.Now()
			var held []net.Conn
			for range 100 {
				held = append(held, dial(t, w, opening))
			}
			for i, a := range w.Every(100*ms, 4*time.Second, func(int) world.Answer { return w.Get("/products/p-1") }) {
				want(t, a, 200)
				if a.Took != usual.Took {
					t.Errorf("%s: page %d took %v, not %v", name, i, a.Took, usual.Took)
				}
			}
			for i, conn := range held {
				if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(start) > 5*time.Second {
					t.Fatalf("%s: connection %d lasted %v, and ended with %v", name, i, time.Since(start), err)
				}
				_ = conn.Close()
			}
			synctest.Wait()
			if n := w.Net.Open(world.Public); n > opened {
				t.Errorf("%s: %d connections are left", name, n)
			}
			if n := w.Scrape().Sum("bff_page_requests_total"); n != 41 {
				t.Errorf("%s: %v pages are counted", name, n)
			}
		})
	}
}

func TestHalfSentHTTP2RequestsAreCutOff(t *testing.T) {
	for name, frame := range map[string]string{
		"half a frame header":       "\x00\x00",
		"half a frame":              "\x00\x00\x20\x01\x05\x00\x00\x00\x01\x82",
		"headers that are to go on": "\x00\x00\x01\x01\x01\x00\x00\x00\x01\x82",
	} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			start := time.Now()
			conn := dial(t, w, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"+frame)
			if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(start) > 6*time.Second {
				t.Errorf("%s: lasted %v, and ended with %v", name, time.Since(start), err)
			}
		})
	}
}

func TestABodyOnAGETIsRefusedUnread(t *testing.T) {
	for _, framing := range []string{"Content-Length: 1000000", "Transfer-Encoding: chunked"} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			start := time.Now()
			conn := dial(t, w, "GET /products/p-1 HTTP/1.1\r\nHost: bff\r\n"+framing+"\r\n\r\n")
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(answer.Body)
			if answer.StatusCode != 400 || !strings.Contains(string(body), "/problems/invalid-request") || time.Since(start) != 0 {
				t.Errorf("%s: %d after %v: %s", framing, answer.StatusCode, time.Since(start), body)
			}
			if n := calls(w, "catalog"); n != 0 {
				t.Errorf("%s: %d calls", framing, n)
			}
		})
	}
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		overHTTP2(w)
		endless, writer := io.Pipe()
		defer writer.Close()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+world.Public+"/products/p-1", endless)
		answer, err := w.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != 400 || calls(w, "catalog") != 0 {
			t.Errorf("HTTP/2: %d after %d calls", answer.StatusCode, calls(w, "catalog"))
		}
	})
}

// A body that is announced and does not come delays no answer, whatever the answer is.
func TestNobodyWaitsForABody(t *testing.T) {
	for request, status := range map[string]int{
		"POST /products/p-1": 405, "DELETE /products/p-1/offer": 405, "GET /readyz": 200, "GET /livez": 200, "POST /livez": 405,
		"GET /nothing": 404, "POST /nothing": 404, "GET /problems/overloaded": 200, "GET /products/": 400,
	} {
		bubble(t, func(t *testing.T) { neverSends(t, world.Public, request, status) })
	}
	for request, status := range map[string]int{
		"GET /metrics": 200, "GET /slo": 200, "GET /ops": 200, "GET /override": 200, "GET /nothing": 404, "GET /": 302, "GET /readyz": 200,
	} {
		bubble(t, func(t *testing.T) { neverSends(t, world.Admin, request, status) })
	}
}

// neverSends announces a body and wants the answer at once.
func neverSends(t *testing.T, host, request string, status int) {
	w := world.Start(t)
	start := time.Now()
	conn := dialTo(t, w, host, request+" HTTP/1.1\r\nHost: bff\r\nContent-Length: 1000\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != status || time.Since(start) != 0 {
		t.Errorf("%s: %d after %v, want %d at once", request, answer.StatusCode, time.Since(start), status)
	}
}

// The server's own timeouts do not cut off a page that may take longer.
func TestALongDeadlineIsServed(t *testing.T) {
	for name, use := range map[string]func(*world.World){"HTTP/1.1": func(*world.World) {}, "HTTP/2": overHTTP2} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t, "BFF_DEADLINE=20s", "BFF_CATALOG_TIMEOUT=15s")
			use(w)
			w.Fault("catalog", fakes.Fault{LatencyMs: new(14_000)})
			if a := w.Get("/products/p-1"); a.Status != 200 || a.Took != 14*time.Second {
				t.Errorf("%s: %d after %v: %v", name, a.Status, a.Took, a.Err)
			}
		})
	}
}

func TestHeadersOver32KiBAreRefused(t *testing.T) {
	for name, use := range map[string]func(*world.World){"HTTP/1.1": func(*world.World) {}, "HTTP/2": overHTTP2} {
		bubble(t, func(t *testing.T) {
			w := world.Start(t)
			use(w)
			want(t, w.Get("/products/p-1", "X-Much", strings.Repeat("x", 20_000)), 200)
			made := calls(w, "catalog")
			if a := w.Get("/products/p-2", "X-Much", strings.Repeat("x", 40_000)); a.Err == nil && a.Status != 431 {
				t.Errorf("%s: %d", name, a.Status)
			}
			if calls(w, "catalog") != made {
				t.Errorf("%s: it was served", name)
			}
			want(t, w.Get("/products/p-3"), 200)
		})
	}
}

func TestMoreConnectionsThanThereMayBeHarmNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const most = 4096
		w := world.Start(t, "BFF_MAX_IN_FLIGHT=10")
		overHTTP2(w) // on a connection that is never without a request for long
		var silent []net.Conn
		for i := range most + 500 {
			if silent = append(silent, dial(t, w, "")); i%64 == 0 {
				synctest.Wait() // as many as a machine accepts before the next come
				want(t, w.Get("/products/p-1"), 200)
			}
		}
		if dials := w.Net.Dials(world.Public); dials != most+501 {
			t.Errorf("%d dials: a page's connection was closed", dials)
		}
		synctest.Wait()
		if kept := open(silent); kept != most-1 { // and the page's
			t.Errorf("of the others %d are kept, not %d", kept, most-1)
		}
		if !strings.Contains(w.Log.String(), "too many connections") {
			t.Errorf("%.300s", w.Log)
		}
	})
}

// open is how many of the connections the other end has not closed.
func open(conns []net.Conn) int {
	var kept atomic.Int64
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(ms))
		go func() {
			if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
				kept.Add(1)
			}
		}()
	}
	time.Sleep(2 * ms)
	return int(kept.Load())
}

// An order that does not come to its end holds nothing up for long, and is none.
func TestAHalfSentOrderIsCutOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		start := time.Now()
		conn := dialTo(t, w, world.Admin, "PUT /override/stock HTTP/1.1\r\nHost: bff\r\nContent-Length: 100\r\n\r\n{")
		_ = conn.SetDeadline(start.Add(time.Minute))
		if answer, err := io.ReadAll(conn); err != nil || time.Since(start) != 10*time.Second || bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) {
			t.Errorf("%q after %v, %v", answer, time.Since(start), err)
		}
		if n := w.Scrape().Sum("bff_override_active"); n != 0 {
			t.Errorf("%v in force", n)
		}
	})
}

func TestAConnectionThatNobodyUsesEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		conn, start := dial(t, w, "GET /livez HTTP/1.1\r\nHost: bff\r\n\r\n"), time.Now()
		if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(start) != 2*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}
