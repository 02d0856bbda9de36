package slo

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/bff/internal/page"
)

// Options is what the metrics need to know before anything happens.
type Options struct {
	Clients  []string             // BFF_CLIENTS; "other" is always one more
	Markets  []string             // BFF_MARKETS; likewise
	Version  string               // of this build
	Revision string               // of the source it was made from
	Registry *prometheus.Registry // where the series live; nil: a new one
}

// Metrics are the series of one instance. Its methods may be called from any goroutine; none waits.
type Metrics struct {
	registry    *prometheus.Registry
	answers     [2]answers // by resource
	downstreams [page.NumDependencies]downstreamSeries
	memory      [page.NumMemoryOps][page.NumMemoryResults]prometheus.Counter
	staleAge    prometheus.Observer
	shed        [len(shedReasons)][page.NumPriorities]prometheus.Counter
	scraped     *scraped
}

// shedReasons are those of bff_shed_total.
var shedReasons = [...]page.ShedReason{page.ShedFull, page.ShedAge, page.ShedDeadline, page.ShedOverride}

// scrapesAtOnce bounds what scrapers can cost; more are told 503.
const scrapesAtOnce = 4

// New registers every series, at zero.
func New(o Options) *Metrics {
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	clients, markets := newClosedSet(o.Clients), newClosedSet(o.Markets)
	factory := promauto.With(o.Registry)
	m := &Metrics{
		registry:    o.Registry,
		downstreams: newDownstreamSeries(factory),
		scraped:     newScraped(),
	}
	for _, resource := range [...]page.Resource{page.PageResource, page.OfferResource} {
		m.answers[resource] = newAnswers(factory, resource, clients, markets)
	}
	m.registerMemory(factory)
	m.registerShed(factory)
	registerBuild(factory, o)
	o.Registry.MustRegister(m.scraped, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves /metrics, as OpenMetrics with exemplars to those who ask for it. A gauge that cannot be read costs
// that gauge, not the scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry:            m.registry,
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesAtOnce,
		EnableOpenMetrics:   true,
	})
}

// Served counts one page or offer and the calls it made.
func (m *Metrics) Served(r *page.Record) {
	m.answers[r.Resource].served(r)
	for i := range r.Calls {
		if r.Calls[i].Asked {
			m.downstreams[i].calls[r.Calls[i].Outcome].Inc()
		}
	}
	if r.HasNotes && r.Notes[page.Price].Status == page.StatusStale {
		m.staleAge.Observe(r.Notes[page.Price].Age.Seconds())
	}
	for i, reason := range shedReasons {
		if r.Shed == reason {
			m.shed[i][r.Priority].Inc()
		}
	}
}

// PriceMemory counts one read or write of the remembered price.
func (m *Metrics) PriceMemory(op page.MemoryOp, result page.MemoryResult) { m.memory[op][result].Inc() }

func (m *Metrics) registerMemory(factory promauto.Factory) {
	vec := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "bff_price_memory_total",
		Help: "Reads and writes of the remembered price, by how they ended.",
	}, []string{"op", "result"})
	for op := range m.memory {
		for result := range m.memory[op] {
			m.memory[op][result] = vec.WithLabelValues(page.MemoryOp(op).String(), page.MemoryResult(result).String())
		}
	}
	m.staleAge = factory.NewHistogram(histogram("bff_stale_price_age_seconds",
		"How old the remembered prices were that pages showed.",
		5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 21600, 86400))
}

func (m *Metrics) registerShed(factory promauto.Factory) {
	vec := factory.NewCounterVec(prometheus.CounterOpts{
		Name: "bff_shed_total",
		Help: "Requests refused before any work, by why and by how much they mattered.",
	}, []string{"reason", "priority"})
	for i, reason := range shedReasons {
		for priority := range m.shed[i] {
			m.shed[i][priority] = vec.WithLabelValues(reason.String(), page.Priority(priority).String())
		}
	}
}

func registerBuild(factory promauto.Factory, o Options) {
	factory.NewGauge(prometheus.GaugeOpts{
		Name: "bff_build_info",
		Help: "1, with what this instance was built from.",
		ConstLabels: prometheus.Labels{
			"version": o.Version, "revision": o.Revision, "goversion": runtime.Version(),
		},
	}).Set(1)
}

// histogram has classic buckets with the given bounds, in seconds, and native ones beside them. The rules read the
// classic ones; a scraper that can takes both.
func histogram(name, help string, bounds ...float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: bounds,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	}
}
