package app

import (
	"net/http"
	"net/http/pprof"

	"example.com/bff/internal/override"
	"example.com/bff/internal/slo"
)

// adminRoutes is what operators and scrapers see, and the public never.
func (a *App) adminRoutes(metrics *slo.Metrics, ledger *slo.Ledger, overrides *override.Board) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("/ops", http.StatusFound)) // where people who type the address alone want to be
	mux.Handle("/", a.handlers.Nothing())
	mux.Handle("GET /livez", a.handlers.Livez())
	mux.Handle("GET /readyz", a.handlers.Readyz())
	mux.Handle("GET /metrics", metrics.Handler())
	mux.Handle("GET /slo", ledger.Handler())
	mux.Handle("GET /ops", a.people.Handler())
	mux.Handle("GET /ops/events", a.people.Handler())
	mux.Handle("/override", overrides.Handler())
	mux.Handle("/override/", overrides.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
