package slo

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/bff/internal/page"
)

// downstreamSeries are the counted series of one downstream.
type downstreamSeries struct {
	calls       [page.NumOutcomes]prometheus.Counter
	attempts    [page.NumAttemptKinds]prometheus.Counter
	durations   prometheus.Observer
	transitions [page.NumBreakerStates]prometheus.Counter
	coalesced   prometheus.Counter
}

// Attempted counts one exchange with a downstream, when it has ended.
func (m *Metrics) Attempted(d page.Dependency, a page.Attempt) {
	m.downstreams[d].attempts[a.Kind].Inc()
	m.downstreams[d].durations.Observe(a.Duration.Seconds())
}

// BreakerMoved counts one change of a breaker's state.
func (m *Metrics) BreakerMoved(d page.Dependency, to page.BreakerState) {
	m.downstreams[d].transitions[to].Inc()
}

// Coalesced counts one call that joined another.
func (m *Metrics) Coalesced(d page.Dependency) { m.downstreams[d].coalesced.Inc() }

func newDownstreamSeries(factory promauto.Factory) (all [page.NumDependencies]downstreamSeries) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"downstream"}, labels...))
	}
	calls := counter("bff_downstream_calls_total",
		"Questions that pages and offers asked a downstream, by outcome; those that shared one exchange count each.", "outcome")
	attempts := counter("bff_downstream_attempts_total", "Exchanges with a downstream, by why they were made.", "kind")
	transitions := counter("bff_breaker_transitions_total", "Changes of a breaker's state.", "to")
	coalesced := counter("bff_coalesced_total", "Calls that joined one that another page had begun.")
	durations := factory.NewHistogramVec(histogram("bff_downstream_attempt_duration_seconds",
		"Time of one exchange with a downstream, its body included.",
		.002, .005, .01, .025, .05, .075, .1, .125, .15, .2, .25, .3, .45), []string{"downstream"})

	for i, d := range page.Dependencies {
		name := d.String()
		s := &all[i]
		s.durations, s.coalesced = durations.WithLabelValues(name), coalesced.WithLabelValues(name)
		for outcome := range s.calls {
			s.calls[outcome] = calls.WithLabelValues(name, page.Outcome(outcome).String())
		}
		for kind := range s.attempts {
			s.attempts[kind] = attempts.WithLabelValues(name, page.AttemptKind(kind).String())
		}
		for state := range s.transitions {
			s.transitions[state] = transitions.WithLabelValues(name, page.BreakerState(state).String())
		}
	}
	return all
}
