// Package world is the whole service against the fakes, over a network in memory: what the end-to-end tests and the
// simulations run inside testing/synctest bubbles. The service is started through internal/app, as cmd/bff does.
package world

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
	"example.com/bff/internal/pipenet"
)

// Where things are on the network in memory.
const (
	Public = "bff:80"
	Admin  = "admin:80"
)

// World is one instance of the service with its downstreams and a client. Make it inside a bubble, with Start.
type World struct {
	T     testing.TB
	Net   *pipenet.Network // each downstream listens at "<name>:80", the service at Public and Admin
	Fakes *fakes.Server
	Log   *Log

	Client  *http.Client // keeps its connections alive, as a browser or a gateway does
	signals chan os.Signal
	ended   chan error
	err     error // of Run, once ended
	stopped bool
	servers map[string]*http.Server
	wrap    func(string, http.Handler) http.Handler
}

// Setup is what a world differs in from the usual one.
type Setup struct {
	Env      []string                                             // of the service, beside the five URLs
	Fakes    fakes.Options                                        // Workers 0 is many: no bottleneck
	Wrap     func(downstream string, h http.Handler) http.Handler // between the network and a fake; nil: nothing
	Distress func() time.Duration                                 // the service's scheduling latency; nil: none
	Quiet    bool                                                 // the service logs nothing
}

// Start brings a world up, and takes it down when the test ends.
func Start(t testing.TB, env ...string) *World {
	t.Helper()
	return Setup{Env: env}.Start(t)
}

// Start brings a world up, and takes it down when the test ends.
func (s Setup) Start(t testing.TB) *World {
	t.Helper()
	if s.Fakes.Workers == 0 {
		s.Fakes.Workers = 2000
	}
	w := &World{
		T: t, Net: pipenet.New(), Fakes: fakes.New(s.Fakes), Log: &Log{}, wrap: s.Wrap,
		signals: make(chan os.Signal, 2), ended: make(chan error, 1), servers: map[string]*http.Server{},
	}
	w.Client = &http.Client{Transport: &http.Transport{
		DialContext: w.Net.DialContext, MaxIdleConnsPerHost: 1000, DisableCompression: true,
	}}
	env := slices.Concat(s.Env, []string{"BFF_ADDR=" + Public, "BFF_ADMIN_ADDR=" + Admin, "BFF_LOG_SAMPLE=1"})
	for _, name := range fakes.Names() {
		w.StartDownstream(name)
		env = append(env, "BFF_"+strings.ToUpper(name)+"_URL=http://"+name+"/"+name+"/{id}")
	}
	cfg, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	service, err := app.New(cfg, s.options(w))
	if err != nil {
		t.Fatal(err)
	}
	go func() { w.ended <- service.Run(context.Background(), w.signals) }()
	t.Cleanup(w.stop)
	time.Sleep(time.Millisecond) // until it listens: nothing else runs in the bubble
	return w
}

func (s Setup) options(w *World) app.Options {
	o := app.Options{
		Listen:  func(_, addr string) (net.Listener, error) { return w.Net.Listen(addr), nil },
		Dial:    w.Net.DialContext,
		Latency: s.Distress,
	}
	if !s.Quiet {
		o.Logger = slog.New(slog.NewJSONHandler(w.Log, nil))
	}
	if o.Latency == nil {
		o.Latency = func() time.Duration { return 0 }
	}
	return o
}

// StartDownstream lets a fake listen, as at the start or after StopDownstream.
func (w *World) StartDownstream(name string) {
	server := &http.Server{Handler: w.Fakes, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	if w.wrap != nil {
		server.Handler = w.wrap(name, w.Fakes)
	}
	l := w.Net.Listen(name + ":80")
	w.servers[name] = server
	go server.Serve(l)
}

// StopDownstream ends a fake as a crash does: its listener and all of its connections.
func (w *World) StopDownstream(name string) {
	w.servers[name].Close()
	delete(w.servers, name)
}

// Signal sends the service in a bubble a signal, once all that this moment began has come to rest: a connection whose
// answer has just been read is idle then, and http.Server.Shutdown does not look for it a second time.
func (w *World) Signal(s os.Signal) {
	synctest.Wait()
	w.signals <- s
}

// Wait returns when the service has ended, with the error of its Run.
func (w *World) Wait() error {
	if !w.stopped {
		w.err, w.stopped = <-w.ended, true
	}
	return w.err
}

func (w *World) stop() {
	if !w.stopped {
		w.signals <- syscall.SIGINT
		if err := w.Wait(); err != nil {
			w.T.Errorf("the service ended with: %v", err)
		}
	}
	w.Client.CloseIdleConnections()
	for _, s := range w.servers {
		s.Close()
	}
}

// Fault sets what is wrong with a downstream; the zero Fault is nothing.
func (w *World) Fault(downstream string, f fakes.Fault) {
	w.T.Helper()
	if err := w.Fakes.Set(downstream, f); err != nil {
		w.T.Fatal(err)
	}
}

// Heal clears a downstream's fault.
func (w *World) Heal(downstream string) {
	w.T.Helper()
	if err := w.Fakes.Clear(downstream); err != nil {
		w.T.Fatal(err)
	}
}

// Answer is what came back for one request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Took   time.Duration
	Err    error
	Page
}

// Page is what a front-end reads of a page, an offer or a problem.
type Page struct {
	ID          string
	Degraded    bool
	Purchasable bool
	Product     json.RawMessage
	Price       *Price
	Stock       *struct {
		Available bool
		Quantity  *int64
	}
	Reviews         json.RawMessage
	Recommendations json.RawMessage
	Sections        map[string]Section

	Type         string
	Detail       string
	Instance     string
	RequestID    string
	Dependencies []struct{ Name, Reason string }
	RetryAfter   int
}

// Price is a page's or an offer's.
type Price struct {
	Amount, Currency   string
	AsOf               time.Time
	Stale, DisplayOnly bool
}

// Section is what a page says of one of its parts.
type Section struct {
	Status, Reason string
	AgeMs          int64
}

// Get asks the service. headers are names and values in turn. It does not fail on an error: Answer tells it.
func (w *World) Get(path string, headers ...string) Answer {
	return w.Do(context.Background(), http.MethodGet, Public, path, headers...)
}

// Do asks host with any method, under ctx.
func (w *World) Do(ctx context.Context, method, host, path string, headers ...string) (a Answer) {
	start := time.Now()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+host+path, nil)
	if err != nil {
		return Answer{Err: err}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := w.Client.Do(req)
	if err != nil {
		return Answer{Err: err, Took: time.Since(start)}
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.Body, a.Err = io.ReadAll(resp.Body)
	a.Took = time.Since(start)
	if len(a.Body) > 0 && a.Body[0] == '{' {
		if err := json.Unmarshal(a.Body, &a.Page); err != nil {
			w.T.Errorf("%s answers what is not JSON: %v\n%.300s", path, err, a.Body)
		}
	}
	return a
}

// All asks n times at once and returns when all are answered.
func (w *World) All(n int, ask func(i int) Answer) []Answer {
	answers := make([]Answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i] = ask(i) })
	}
	all.Wait()
	return answers
}

// Every asks each interval for so long, whether or not the ones before are answered, as people do.
func (w *World) Every(interval, long time.Duration, ask func(i int) Answer) []Answer {
	return w.All(int(long/interval), func(i int) Answer {
		time.Sleep(time.Duration(i) * interval)
		return ask(i)
	})
}

// Log is what the service logged.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
