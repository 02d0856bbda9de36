package handlers_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
	"example.com/bff/internal/pipenet"
)

// serving runs f in a bubble in which the real server serves what e makes, at bff:80.
func serving(t *testing.T, e func() *edge, f func(t *testing.T, e *edge, n *pipenet.Network)) {
	synctest.Test(t, func(t *testing.T) {
		n, e := pipenet.New(), e()
		server := handlers.NewServer(e, 0, slog.New(slog.DiscardHandler))
		listener := n.Listen("bff:80")
		go func() { _ = server.Serve(listener) }()
		defer func() {
			_ = server.Close()
			time.Sleep(time.Second) // net/http lets a refused client read its answer before it closes
		}()
		f(t, e, n)
	})
}

func plainEdge() *edge { return newEdge() }

func dial(t *testing.T, n *pipenet.Network) net.Conn {
	t.Helper()
	conn, err := n.DialContext(t.Context(), "tcp", "bff:80")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// h2c is a client that speaks HTTP/2 without TLS, from the first byte.
func h2c(t *testing.T, n *pipenet.Network) *http.Client {
	transport := &http.Transport{DialContext: n.DialContext, Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

var clients = map[string]func(*testing.T, *pipenet.Network) *http.Client{
	"HTTP/1.1": func(t *testing.T, n *pipenet.Network) *http.Client { return n.Client(t) },
	"HTTP/2.0": h2c,
}

// ask sends a request and returns its answer, body read.
func ask(t *testing.T, client *http.Client, method, path string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://bff"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		r.Header = header
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestServesBothProtocols(t *testing.T) {
	for proto, newClient := range clients {
		serving(t, plainEdge, func(t *testing.T, e *edge, n *pipenet.Network) {
			client := newClient(t, n)
			get, body := ask(t, client, http.MethodGet, "/products/p", nil)
			if get.Proto != proto || get.StatusCode != http.StatusOK || get.ContentLength != int64(len(body)) {
				t.Errorf("%s: %s %v", proto, get.Proto, get.Header)
			}
			synctest.Wait() // until the connection is free again
			head, nothing := ask(t, client, http.MethodHead, "/products/p", nil)
			if head.ContentLength != get.ContentLength || nothing != "" {
				t.Errorf("%s: HEAD: %d, GET: %d", proto, head.ContentLength, get.ContentLength)
			}
			synctest.Wait()
			e.onPage = func(context.Context, *page.Query, *page.Record) (*page.Page, error) { panic("broken") }
			if broken, _ := ask(t, client, http.MethodGet, "/products/p", nil); broken.StatusCode != http.StatusInternalServerError {
				t.Errorf("%s: a panic: %d", proto, broken.StatusCode)
			}
			if n.Dials("bff:80") != 1 {
				t.Errorf("%s: %d connections", proto, n.Dials("bff:80"))
			}
		})
	}
}

func TestHeadersAreAtMost32KiB(t *testing.T) {
	for proto, newClient := range clients {
		for lines, allowed := range map[int]bool{26: true, 33: false} {
			serving(t, plainEdge, func(t *testing.T, e *edge, n *pipenet.Network) {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://bff/products/p", nil)
				r.Header["X-Much"] = slices.Repeat([]string{strings.Repeat("x", 1000)}, lines)
				response, err := newClient(t, n).Do(r)
				if err == nil {
					_ = response.Body.Close()
				}
				// HTTP/2's client may refuse by itself, having been told the limit.
				refused := err != nil || response.StatusCode == http.StatusRequestHeaderFieldsTooLarge
				if refused == allowed || (e.calls.Load() > 0) != allowed {
					t.Errorf("%s: %d kB: refused: %v, %d calls", proto, lines, refused, e.calls.Load())
				}
			})
		}
	}
}

func TestHalfARequestIsCutOff(t *testing.T) {
	serving(t, plainEdge, func(t *testing.T, _ *edge, n *pipenet.Network) {
		start := time.Now()
		for range 100 {
			_, _ = io.WriteString(dial(t, n), "GET /products/p HTTP/1.1\r\nHost: bff\r\nX-Slow: ")
		}
		if whole, _ := ask(t, n.Client(t), http.MethodGet, "/products/p", nil); whole.StatusCode != http.StatusOK || time.Since(start) > 0 {
			t.Errorf("meanwhile: %d after %v", whole.StatusCode, time.Since(start))
		}
		half := dial(t, n)
		_, _ = io.WriteString(half, "GET /")
		if _, _ = io.ReadAll(half); time.Since(start) != 5*time.Second {
			t.Errorf("cut off after %v", time.Since(start))
		}
	})
}

func TestBodyIsNotWaitedFor(t *testing.T) {
	for _, head := range []string{"Content-Length: 10", "Transfer-Encoding: chunked", "Content-Length: 10\r\nExpect: 100-continue"} {
		serving(t, plainEdge, func(t *testing.T, _ *edge, n *pipenet.Network) {
			start, conn := time.Now(), dial(t, n)
			fmt.Fprintf(conn, "GET /products/p HTTP/1.1\r\nHost: bff\r\n%s\r\n\r\n", head)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != http.StatusBadRequest || !response.Close || time.Since(start) > 0 {
				t.Errorf("%s: %d after %v", head, response.StatusCode, time.Since(start))
			}
		})
	}
}

func TestBodyOverHTTP2CostsNoConnection(t *testing.T) {
	serving(t, plainEdge, func(t *testing.T, _ *edge, n *pipenet.Network) {
		client, start := h2c(t, n), time.Now()
		endless, writer := io.Pipe()
		defer writer.Close()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://bff/products/p", endless)
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest || time.Since(start) > 0 {
			t.Errorf("%d after %v", response.StatusCode, time.Since(start))
		}
		if next, _ := ask(t, client, http.MethodGet, "/products/p", nil); next.StatusCode != 200 || n.Dials("bff:80") != 1 {
			t.Errorf("then %d, over %d connections", next.StatusCode, n.Dials("bff:80"))
		}
	})
}

func TestClientThatHangsUp(t *testing.T) {
	for proto, newClient := range clients {
		serving(t, plainEdge, func(t *testing.T, e *edge, n *pipenet.Network) {
			e.onPage = untilEnd(isEnded)
			ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
			defer cancel()
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://bff/products/p", nil)
			if _, err := newClient(t, n).Do(r); err == nil {
				t.Errorf("%s: answered", proto)
			}
			synctest.Wait()
			if rec := e.served(t); rec.Result != page.ClientLeft || rec.Duration != 100*ms {
				t.Errorf("%s: %v after %v", proto, rec.Result, rec.Duration)
			}
		})
	}
}

func TestDrainMovesClientsAway(t *testing.T) {
	for proto, newClient := range clients {
		serving(t, plainEdge, func(t *testing.T, e *edge, n *pipenet.Network) {
			client := newClient(t, n)
			ask(t, client, http.MethodGet, "/products/p", nil)
			e.Drain()
			for range 2 {
				if got, _ := ask(t, client, http.MethodGet, "/products/p", nil); got.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", proto, got.StatusCode)
				}
				time.Sleep(time.Second) // HTTP/2 says goodbye, then lets what is on its way arrive
			}
			if n.Dials("bff:80") != 2 {
				t.Errorf("%s: %d connections", proto, n.Dials("bff:80"))
			}
		})
	}
}

func TestServersOwnWordsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		server := handlers.NewServer(nil, 0, slog.New(slog.NewTextHandler(&log, nil)))
		for range 100 {
			server.ErrorLog.Print("http: " + strings.Repeat("x", 2000) + "\nlevel=ERROR forged")
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 || log.Len() > 1000 {
			t.Errorf("%d lines, %d bytes", lines, log.Len())
		}
		time.Sleep(10 * time.Second)
		log.Reset()
		server.ErrorLog.Print("http: again")
		if !strings.Contains(log.String(), "again") || !strings.Contains(log.String(), "suppressed=99") {
			t.Errorf("%s", &log)
		}
	})
}
