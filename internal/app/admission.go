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
	board := override.New(o.Logger, func(m override.Move, v override.View) { a.people.OverrideMoved(m.String(), shown(v)) })
	a.closing(func(context.Context) { board.Close() })
	metrics.WatchOverrides(func() slo.OverrideState { return slo.OverrideState(board.State()) })
	a.people.WatchOverrides(func() (all []ops.Override) {
		for _, v := range board.InForce() {
			all = append(all, shown(v))
		}
		return all
	})
	return board
}

// shown is an override as the page for people has it.
func shown(v override.View) ops.Override {
	return ops.Override{Target: v.Target, Mode: v.Mode, Percent: v.Percent, Priority: v.Priority, Reason: v.Reason, LeftMs: v.LeftMs}
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
