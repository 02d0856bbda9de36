package slo

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"example.com/bff/internal/page"
)

// answers are the series of one resource, looked up once so that counting a page needs no hashing of labels.
type answers struct {
	clients, markets closedSet
	requests         []prometheus.Counter          // by client, market and result
	durations        []prometheus.ExemplarObserver // by client and result
}

func newAnswers(factory promauto.Factory, resource page.Resource, clients, markets closedSet) answers {
	a := answers{clients: clients, markets: markets}
	requests := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "bff_" + resource.String() + "_requests_total",
		Help: "Answers of the " + resource.String() + " resource, by outcome.",
	}, []string{"client", "market", "outcome"})
	durations := factory.NewHistogramVec(histogram("bff_"+resource.String()+"_duration_seconds",
		"Time from handler entry to the answer of the "+resource.String()+" resource.",
		.005, .01, .025, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .6, .75, 1.5),
		[]string{"client", "outcome"})
	for _, client := range clients.names {
		for _, market := range markets.names {
			for result := range page.Result(page.NumResults) {
				a.requests = append(a.requests, requests.WithLabelValues(client, market, result.String()))
			}
		}
		for result := range page.Result(page.NumResults) {
			observer := durations.WithLabelValues(client, result.String())
			a.durations = append(a.durations, observer.(prometheus.ExemplarObserver))
		}
	}
	return a
}

func (a *answers) served(r *page.Record) {
	client, market, result := a.clients.number(r.Client), a.markets.number(r.Market), int(r.Result)
	a.requests[(client*len(a.markets.names)+market)*page.NumResults+result].Inc()
	a.durations[client*page.NumResults+result].ObserveWithExemplar(r.Duration.Seconds(), exemplar(r))
}

// traceIDLength is that of a W3C trace id, in hexadecimal digits.
const traceIDLength = 32

// exemplar points from a bucket to a trace that somebody keeps. Anything that is not a trace id gives none: the client
// panics at labels that are too long or are not UTF-8.
func exemplar(r *page.Record) prometheus.Labels {
	traceID := r.TraceID
	if !r.Sampled || len(traceID) != traceIDLength {
		return nil
	}
	for i := range len(traceID) {
		if c := traceID[i]; (c < '0' || '9' < c) && (c < 'a' || 'f' < c) {
			return nil
		}
	}
	return prometheus.Labels{"trace_id": traceID}
}
