package app

import (
	"context"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/ops"
	"example.com/bff/internal/override"
	"example.com/bff/internal/slo"
)

// overrides is what operators can order while the service runs.
func (a *App) overrides(o Options, metrics *slo.Metrics) *override.Board {
	board := override.New(o.Logger)
	a.closing(func(context.Context) { board.Close() })
	metrics.WatchOverrides(func() slo.OverrideState { return slo.OverrideState(board.State()) })
	return board
}

func (a *App) admission(o Options, metrics *slo.Metrics, overrides *override.Board) *admission.Admission {
	limit := a.cfg.MaxInFlight
	admit := admission.New(admission.Options{Max: limit, Latency: o.Latency, Override: overrides.Sheds})
	a.closing(func(context.Context) { admit.Close() })
	metrics.WatchAdmission(func() slo.AdmissionState {
		return slo.AdmissionState{InFlight: admit.InFlight(), Limit: admit.Limit()}
	})
	a.people.WatchAdmission(func() ops.AdmissionState {
		return ops.AdmissionState{InFlight: admit.InFlight(), Queued: admit.Queued(), Limit: admit.Limit(), Max: limit}
	})
	return admit
}
