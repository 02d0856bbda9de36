// Package app is the composition root: a Config goes in, running servers come out. cmd/bff, the demo and the tests all
// start the service through it, so that what is tested is what runs.
package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/bff/internal/accesslog"
	"example.com/bff/internal/config"
	"example.com/bff/internal/handlers"
	"example.com/bff/internal/merge"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
	"example.com/bff/internal/tracing"
)

// Options are what stands in for the machine's own in tests and in the demo. The zero value is the machine's.
type Options struct {
	Logger    *slog.Logger  // nil: nothing is logged
	LostLines func() uint64 // how many of Logger's lines were lost so far; nil: none
	Version   string        // of this build
	Revision  string        // of the source it was made from

	Listen  func(network, address string) (net.Listener, error)                  // nil: net.Listen
	Dial    func(ctx context.Context, network, address string) (net.Conn, error) // to downstreams and collector; nil: a net.Dialer
	Latency func() time.Duration                                                 // p99 scheduling latency; nil: the runtime's
}

// App is one instance of the service. New makes it, Run runs it, once.
type App struct {
	cfg      *config.Config
	log      *slog.Logger
	handlers *handlers.Handlers
	public   server
	admin    server
	people   *ops.Ops
	closers  []func(context.Context) // what ends after the last request, the last made first
	closed   sync.Once
}

// New builds the service and starts nothing that talks to the outside; Run does. The error is one of configuration that
// only the parts themselves can judge.
func New(cfg *config.Config, o Options) (*App, error) {
	o = o.orDefault()
	a := &App{cfg: cfg, log: o.Logger}
	if err := a.build(o); err != nil {
		a.close(context.Background())
		return nil, err
	}
	return a, nil
}

// build makes the parts in the order in which they need each other. What it has made when it fails is closed by New.
func (a *App) build(o Options) error {
	cfg := a.cfg
	metrics := slo.New(slo.Options{Clients: cfg.Clients, Markets: cfg.Markets, Version: o.Version, Revision: o.Revision})
	if o.LostLines != nil {
		metrics.WatchLog(o.LostLines)
	}
	ledger := slo.NewLedger(cfg.Clients)
	a.people = a.pageForPeople(o, ledger)
	a.closing(func(context.Context) { a.people.Close() })

	overrides := a.overrides(o, metrics)
	traces, err := tracing.New(tracing.Options{Env: cfg.OTel, Version: o.Version, Dial: o.Dial, Logger: o.Logger})
	if err != nil {
		return err
	}
	a.closing(traces.Close)
	memory, err := a.memory(metrics)
	if err != nil {
		return err
	}
	five := &five{}
	if err := (wiring{a, o, overrides, metrics, traces, five}).all(memory); err != nil {
		return err
	}
	limiter, err := a.rateLimit(metrics)
	if err != nil {
		return err
	}
	access := accesslog.New(o.Logger, cfg.LogSample)
	a.handlers = handlers.New(handlers.Config{
		Pages:    merge.New(five.sources(traces), five.recall(memory)),
		Deadline: cfg.Deadline,
		Served: func(ctx context.Context, r *page.Record) {
			traces.Served(ctx, r)
			metrics.Served(r)
			ledger.Served(r)
			a.people.Served(r)
			access.Served(r)
		},
		Log:     o.Logger,
		Clients: cfg.Clients, Markets: cfg.Markets,
		Vary:             forwarded(cfg),
		ServerTiming:     cfg.ServerTiming,
		PageCacheControl: cfg.PageCacheControl,
		CORSOrigins:      cfg.CORSOrigins,
		TrustedProxies:   cfg.TrustedProxies,
		Admission:        a.admission(o, metrics, overrides),
		RateLimit:        limiter,
	})
	a.public = a.newServer(traces.Handler(a.handlers.Public()), "BFF_ADDR", cfg.Addr, o)
	a.admin = a.newServer(handlers.NoBodies(a.adminRoutes(metrics, ledger, overrides)), "BFF_ADMIN_ADDR", cfg.AdminAddr, o)
	return nil
}

// closing has end run when the app ends, before what was made before it.
func (a *App) closing(end func(context.Context)) { a.closers = append(a.closers, end) }

func (o Options) orDefault() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Listen == nil {
		o.Listen = net.Listen
	}
	return o
}

// forwarded lists every request header that some downstream sees.
func forwarded(cfg *config.Config) []string {
	var names []string
	for _, d := range cfg.Downstreams {
		for _, name := range d.ForwardHeaders {
			names = append(names, http.CanonicalHeaderKey(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
