package downstreams_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ms           = time.Millisecond
	pageDeadline = 450 * ms
)

// transport is a downstream in one func.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
}

// after answers when d has passed, or as net/http does when the request's context ends first.
func after(d time.Duration, status int, body string, header ...string) transport {
	return func(r *http.Request) (*http.Response, error) {
		if err := pause(r.Context(), d); err != nil {
			return nil, err
		}
		return respond(status, body, header...), nil
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

const forever = 24 * time.Hour

var (
	ok   = after(10*ms, http.StatusOK, "fine")
	hang = after(forever, http.StatusOK, "never")
	down = after(0, http.StatusInternalServerError, "")
)

// turns answers its first request with the first of ts, and so on; the last goes on for ever.
func turns(ts ...transport) transport {
	var mu sync.Mutex
	return func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		t := ts[0]
		if len(ts) > 1 {
			ts = ts[1:]
		}
		mu.Unlock()
		return t(r)
	}
}

// rig is a client of one downstream that answers text, and what its observer and its log were told.
type rig struct {
	*testing.T
	client *downstreams.Client[string]
	now    transport // what the downstream does

	mu        sync.Mutex
	attempts  []page.Attempt
	moves     []page.BreakerState
	coalesced int
	learned   []lesson
	order     page.Override // of an operator; no order has an end here
	log       bytes.Buffer
}

type lesson struct {
	key, value string
	absent     bool
	sent       time.Time
}

func (r *rig) Attempted(_ page.Dependency, a page.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts = append(r.attempts, a)
}

func (r *rig) BreakerMoved(_ page.Dependency, to page.BreakerState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moves = append(r.moves, to)
}

func (r *rig) Coalesced(page.Dependency) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coalesced++
}

var errGarbage = errors.New("garbage")

func decodeText(body []byte, _ time.Time) (string, error) {
	switch string(body) {
	case "":
		return "", errGarbage
	case "boom":
		panic("boom in decode")
	}
	return string(body), nil
}

// inBubble runs test in a synctest bubble, on a client for d. Every call must have given back what it took.
func inBubble(t *testing.T, d page.Dependency, now transport, change func(*downstreams.Settings), test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := downstreams.Table()[d]
		s.URL = "http://downstream/things/{id}"
		if change != nil {
			change(&s)
		}
		r := &rig{T: t, now: now}
		client, err := downstreams.New(s, decodeText, downstreams.Options[string]{
			Transport: transport(func(req *http.Request) (*http.Response, error) {
				r.mu.Lock()
				now := r.now
				r.mu.Unlock()
				return now(req)
			}),
			Observer: r,
			Logger:   slog.New(slog.NewTextHandler(&r.log, nil)),
			Override: func() page.Override {
				r.mu.Lock()
				defer r.mu.Unlock()
				return r.order
			},
			Learned: func(_ page.ID, key, v string, absent bool, sent time.Time) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.learned = append(r.learned, lesson{key, v, absent, sent})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.client = client
		test(r)
		client.Close()
		if n := client.State().InFlight; n != 0 {
			t.Errorf("%d slots were not given back", n)
		}
	})
}

// becomes changes what the downstream does from now on.
func (r *rig) becomes(now transport) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

// orders is an operator's word.
func (r *rig) orders(m page.OverrideMode, left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = page.Override{Mode: m, Left: left}
}

func query(id string, change ...func(*page.Query)) *page.Query {
	parsed, err := page.ParseID(id)
	if err != nil {
		panic(err)
	}
	q := &page.Query{ID: parsed, RequestID: "request-1", Header: http.Header{}}
	for _, c := range change {
		c(q)
	}
	return q
}

func offer(q *page.Query)     { q.Offer = true }
func shortened(q *page.Query) { q.Shortened = true }

func header(name, value string) func(*page.Query) {
	return func(q *page.Query) { q.Header.Add(name, value) }
}

// ask asks with so much time left.
func (r *rig) ask(left time.Duration, q *page.Query) (string, page.Call) {
	ctx, cancel := context.WithTimeout(r.Context(), left)
	defer cancel()
	return r.client.Ask(ctx, q)
}

// asks asks in a goroutine.
func (r *rig) asks(left time.Duration, q *page.Query) <-chan page.Call {
	done := make(chan page.Call, 1)
	go func() {
		_, call := r.ask(left, q)
		done <- call
	}()
	return done
}

// hangsUp asks and leaves after so long.
func (r *rig) hangsUp(after time.Duration, q *page.Query) page.Call {
	ctx, cancel := context.WithTimeout(r.Context(), pageDeadline)
	defer cancel()
	defer time.AfterFunc(after, cancel).Stop()
	_, call := r.client.Ask(ctx, q)
	return call
}

// wants checks a call's outcome and how long it took.
func (r *rig) wants(call page.Call, o page.Outcome, took time.Duration) {
	r.Helper()
	if call.Outcome != o || call.Duration != took {
		r.Errorf("%v after %v, want %v after %v", call.Outcome, call.Duration, o, took)
	}
}

// made is the number of exchanges that have ended.
func (r *rig) made() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.attempts)
}

// madeAs is the number of those of one kind.
func (r *rig) madeAs(kind page.AttemptKind) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.attempts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

func (r *rig) wantsMade(n int) {
	r.Helper()
	if got := r.made(); got != n {
		r.Errorf("%d exchanges, want %d", got, n)
	}
}

func (r *rig) wantsBreaker(want page.BreakerState) {
	r.Helper()
	if got := r.client.State().Breaker; got != want {
		r.Errorf("the breaker is %v, want %v", got, want)
	}
}

// fails makes n failing calls, one after the other.
func (r *rig) fails(n int) {
	r.Helper()
	for range n {
		if _, call := r.ask(pageDeadline, query("p")); !call.Outcome.Failed() {
			r.Fatalf("a call was %v", call.Outcome)
		}
	}
}

// opens makes the breaker open, by a downstream that is down, and waits its cool-down out.
func (r *rig) opensAndCoolsDown() {
	r.Helper()
	r.becomes(down)
	r.fails(20)
	r.wantsBreaker(page.StateOpen)
	time.Sleep(r.client.State().CoolDown)
}

func unixMilli(t testing.TB, s string) time.Time {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Error(err)
	}
	return time.UnixMilli(n)
}
