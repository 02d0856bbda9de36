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
	mux.Handle("/", a.handlers.Nothing())
	mux.Handle("/livez", a.handlers.Livez())
	mux.Handle("/readyz", a.handlers.Readyz())
	mux.Handle("/override", overrides.Handler())
	mux.Handle("/override/", overrides.Handler())
	for path, handler := range map[string]http.Handler{
		"/{$}":                 http.RedirectHandler("/ops", http.StatusFound), // where people who type the address alone want to be
		"/metrics":             metrics.Handler(),
		"/slo":                 ledger.Handler(),
		"/ops":                 a.people.Handler(),
		"/ops/events":          a.people.Handler(),
		"/debug/pprof/":        http.HandlerFunc(pprof.Index),
		"/debug/pprof/cmdline": http.HandlerFunc(pprof.Cmdline),
		"/debug/pprof/profile": http.HandlerFunc(pprof.Profile),
		"/debug/pprof/symbol":  http.HandlerFunc(pprof.Symbol),
		"/debug/pprof/trace":   http.HandlerFunc(pprof.Trace),
	} {
		mux.Handle(path, a.handlers.ReadOnly(handler))
	}
	return mux
}
