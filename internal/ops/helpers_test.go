package ops_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/slo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// bubble runs a test in virtual time.
func bubble(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newWorld(t)) })
}

// world is an Ops behind a server like the admin listener's, in a bubble.
type world struct {
	*testing.T
	ops    *ops.Ops
	net    *pipenet.Network
	server *http.Server
	state  atomic.Value // of the instance: a string
	client *http.Client
}

func newOps(state func() string) *ops.Ops {
	return ops.New(ops.Options{
		Version: "v1", Revision: "abc", Config: []string{"BFF_ADDR=:8080", "BFF_REDIS_URL=***"}, Deadline: 450 * ms,
		State: state, Objectives: slo.NewLedger([]string{"web"}).Report,
	})
}

// serveOps serves o at a URL until the test ends.
func serveOps(t *testing.T, o *ops.Ops) (url string) {
	server := httptest.NewServer(o.Handler())
	t.Cleanup(func() {
		o.Close()
		server.Close()
	})
	return server.URL
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, net: pipenet.New()}
	w.state.Store("serving")
	w.ops = newOps(func() string { return w.state.Load().(string) })
	w.server = handlers.NewServer(w.ops.Handler(), 0, nil)
	w.server.WriteTimeout = 0
	l := w.net.Listen("admin:80")
	go w.server.Serve(l)
	w.client = w.net.Client(t)
	t.Cleanup(func() {
		w.ops.Close()
		if err := w.server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// frame is what this test knows of the protocol.
type frame struct {
	Fixed *struct {
		Version, Revision  string
		Config             []string
		DeadlineMs, SlowMs float64
		Downstreams        []struct {
			Name      string
			Critical  bool
			TimeoutMs float64
		}
		KeptPages, Slots int
	}
	At             int64
	State          string
	Admission      struct{ InFlight, Queued, Limit, Max int }
	Overrides      []ops.Override
	SLO            struct{ Objectives []struct{ Name string } }
	Recent, Lately counts
	Downstreams    []struct {
		Breaker            string
		CoolDownMs, Tokens float64
		InFlight, Limit    int
	}
	Timeline []struct{ Number, Whole, Less, Failed, Refused int }
	Pages    []trace
	Missed   int
	Events   []struct {
		Number              int
		Subject, Tone, Text string
	}
}

type counts struct {
	Pages, Offers, Recalls, Learned map[string]int
	Stale                           int
	OldestMs                        float64
	Shed                            map[string]map[string]int
	Took                            quantiles
	Downstreams                     []struct {
		Outcomes, Attempts map[string]int
		Coalesced          int
		Took               quantiles
	}
}

type quantiles struct{ P50, P95, P99 float64 }

type trace struct {
	Key, Kind, Resource, Result, ID, RequestID, Priority, Shed string
	Ms, QueuedMs, AllowedMs                                    float64
	Notes                                                      []struct {
		Status, Reason string
		AgeMs          float64
	}
	Calls []struct {
		Downstream          int
		Outcome             string
		Start, Ms, QueuedMs float64
		Coalesced           bool
		Attempts            []struct {
			Kind, Outcome string
			Start, Ms     float64
		}
	}
	Recall *struct {
		Result    string
		Start, Ms float64
	}
}

// watcher reads a stream.
type watcher struct {
	t      testing.TB
	leave  context.CancelFunc
	status int
	header http.Header
	lines  *bufio.Reader
}

func (w *world) watch() *watcher {
	w.Helper()
	return watch(w, w.client)
}

func watch(t testing.TB, client *http.Client) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://admin:80/ops/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		resp.Body.Close()
	})
	return &watcher{t, cancel, resp.StatusCode, resp.Header, bufio.NewReader(resp.Body)}
}

// event waits for the next one and tells its name and data; the name is empty when the stream has ended.
func (v *watcher) event() (name, data string) {
	name = "message"
	for {
		line, err := v.lines.ReadString('\n')
		if err != nil {
			return "", ""
		}
		line = strings.TrimSuffix(line, "\n")
		if value, ok := strings.CutPrefix(line, "event: "); ok {
			name = value
		}
		if value, ok := strings.CutPrefix(line, "data: "); ok {
			data = value
		}
		if line == "" {
			return name, data
		}
	}
}

// frame waits for the next one.
func (v *watcher) frame() (f frame) {
	v.t.Helper()
	name, data := v.event()
	if name != "message" {
		v.t.Fatalf("the stream has %q instead of a frame", name)
	}
	if err := json.Unmarshal([]byte(data), &f); err != nil {
		v.t.Fatalf("%v in %.300s", err, data)
	}
	return f
}

func (w *world) now() frame {
	w.Helper()
	return now(w, w.client)
}

// now is the first frame of a new stream: all that there is to know.
func now(t testing.TB, client *http.Client) frame {
	t.Helper()
	v := watch(t, client)
	defer v.leave()
	return v.frame()
}

// answered is a page that ends now.
func answered(result page.Result, took time.Duration) *page.Record {
	return &page.Record{
		Result: result, Status: 200, Client: "web", Market: "other", Priority: page.Default, Allowed: 450 * ms,
		ID: "p-1001", RequestID: fmt.Sprint("r-", result), Start: time.Now().Add(-took), Duration: took,
	}
}

// call is one attempt of a page that took as long.
func call(r *page.Record, d page.Dependency, o page.Outcome, took time.Duration) *page.Record {
	r.Calls[d] = page.Call{
		Asked: true, Outcome: o, Start: r.Start, Duration: took,
		Attempts: []page.Attempt{{Outcome: o, Start: r.Start, Duration: took}},
	}
	return r
}

func (f frame) of(kind string) (pages []trace) {
	for _, p := range f.Pages {
		if p.Kind == kind {
			pages = append(pages, p)
		}
	}
	return pages
}

func (f frame) texts() (texts []string) {
	for _, e := range f.Events {
		texts = append(texts, e.Text)
	}
	return texts
}
