package app

import (
	"log/slog"

	"example.com/bff/internal/ops"
	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// observer passes the downstreams' events on to the metrics, and the moves of breakers to the log and to the page for
// people as well: they are few, and what somebody looks for first at night.
type observer struct {
	*slo.Metrics
	people *ops.Ops
	log    *slog.Logger
}

// BreakerMoved implements downstreams.Observer.
func (o observer) BreakerMoved(d page.Dependency, to page.BreakerState) {
	o.Metrics.BreakerMoved(d, to)
	o.people.BreakerMoved(d, to)
	o.log.Warn("breaker", "downstream", d.String(), "state", to.String())
}
