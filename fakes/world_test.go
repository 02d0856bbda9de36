package fakes_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is the fakes behind a real server and a real client, in a bubble.
type world struct {
	*fakes.Server
	t      *testing.T
	client *http.Client
}

func inBubble(t *testing.T, o fakes.Options, f func(t *testing.T, w world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n, s := pipenet.New(), fakes.New(o)
		n.Serve(t, "fakes:80", s)
		f(t, world{s, t, n.Client(t)})
	})
}

// answer is what came back of a request, and when.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // instead of an answer, or in the midst of its body
	took   time.Duration
}

func (w world) do(ctx context.Context, method, path, body string, header ...string) answer {
	req, err := http.NewRequestWithContext(ctx, method, "http://fakes"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return ask(w.client, req)
}

// patience is how much of a body is read.
const patience = 2 << 20

func ask(client *http.Client, req *http.Request) answer {
	begin := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err, took: time.Since(begin)}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, patience))
	return answer{resp.StatusCode, resp.Header, string(text), err, time.Since(begin)}
}

func (w world) get(path string, header ...string) answer {
	return w.do(w.t.Context(), "GET", path, "", header...)
}

// within is a caller that leaves when d has passed.
func (w world) within(d time.Duration, path string, header ...string) answer {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	return w.do(ctx, "GET", path, "", header...)
}

// withoutKeepAlive gives each request a connection of its own. On one that was used before, http.Transport sends a GET
// again by itself when the server closes or resets before the answer.
func (w world) withoutKeepAlive() { w.client.Transport.(*http.Transport).DisableKeepAlives = true }

// set sets a fault as people do, and wants it to be taken.
func (w world) set(downstream, fault string) {
	w.t.Helper()
	if a := w.do(w.t.Context(), "PUT", "/_fault/"+downstream, fault); a.status != 200 {
		w.t.Fatalf("PUT %s: %d %s", fault, a.status, a.body)
	}
}

func (w world) clear(downstream string) {
	w.t.Helper()
	if a := w.do(w.t.Context(), "DELETE", "/_fault/"+downstream, ""); a.status != 204 {
		w.t.Fatalf("DELETE: %d %s", a.status, a.body)
	}
}

// settled is what a downstream has counted once everybody has come to rest.
func (w world) settled(downstream string) fakes.Stats {
	w.t.Helper()
	synctest.Wait()
	a := w.get("/_stats")
	var all map[string]fakes.Stats
	if err := json.Unmarshal([]byte(a.body), &all); err != nil {
		w.t.Fatalf("stats %d %q: %v", a.status, a.body, err)
	}
	return all[downstream]
}

// wellAgain wants nothing to be left behind of what was done to a downstream.
func (w world) wellAgain(downstream string) {
	w.t.Helper()
	if a := w.get("/" + downstream + "/p-1"); a.status != 200 || a.took > 40*time.Millisecond || !json.Valid([]byte(a.body)) {
		w.t.Errorf("not well again: %+v", a)
	}
	if s := w.settled(downstream); s.InFlight != 0 || s.Queued != 0 {
		w.t.Errorf("%d in flight and %d queued at rest", s.InFlight, s.Queued)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func contains(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("%s: %.300q does not contain %q", what, got, part)
		}
	}
}
