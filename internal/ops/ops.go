package ops

import (
	"sync"
	"sync/atomic"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// Options are what the page tells beside what is reported. All are required.
type Options struct {
	Version, Revision string            // of the build
	Config            []string          // what holds, a line each, secrets masked
	Deadline          time.Duration     // of a page
	State             func() string     // "serving", "draining" or "stopped"
	Objectives        func() slo.Report // how each objective stands
}

// AdmissionState is what is asked of admission while somebody looks.
type AdmissionState struct {
	InFlight int `json:"inFlight"` // pages and offers
	Queued   int `json:"queued"`   // that wait
	Limit    int `json:"limit"`    // what may be in flight now
	Max      int `json:"max"`      // and when this process is well
}

// DownstreamState is what is asked of a downstream's client while somebody looks.
type DownstreamState struct {
	Breaker  page.BreakerState
	CoolDown time.Duration // until an open breaker lets a probe through
	InFlight int           // calls that hold a slot of the bulkhead
	Limit    int           // slots of the bulkhead
	Tokens   float64       // retries and hedges in the budget
}

// watched is one downstream as it was configured, and how to ask for its state.
type watched struct {
	timeout time.Duration
	read    func() DownstreamState
}

// Ops collects what is reported and shows it. Make one with New. Its methods may be called from any goroutine.
type Ops struct {
	options   Options
	start     time.Time
	slowAfter time.Duration
	document  document
	report    report

	downstreams [page.NumDependencies]atomic.Pointer[watched]
	admission   atomic.Pointer[func() AdmissionState]
	overrides   atomic.Pointer[func() []Override]

	watchers atomic.Int32
	closed   chan struct{}
	close    sync.Once

	mu       sync.Mutex // held for moments only
	past     past
	pages    [numKinds]ring[page.Record]
	sampled  time.Time // when a usual page was last kept
	events   ring[event]
	episodes [numEpisodes]episode
	outages  [page.NumDependencies]outage
}

// New begins to collect. It starts no goroutine.
func New(options Options) *Ops {
	o := &Ops{
		options:   options,
		start:     time.Now(),
		slowAfter: options.Deadline * 2 / 3,
		document:  newDocument(),
		report:    report{read: options.Objectives},
		closed:    make(chan struct{}),
		events:    newRing[event](keptEvents),
	}
	o.past.start = o.start
	for k := range o.pages {
		o.pages[k] = newRing[page.Record](keptPages)
	}
	nothing := func() AdmissionState { return AdmissionState{} }
	o.admission.Store(&nothing)
	o.WatchOverrides(func() []Override { return nil })
	for _, d := range page.Dependencies {
		o.WatchDownstream(d, 0, func() DownstreamState { return DownstreamState{} })
	}
	o.note(event{o.start, aboutInstance, info, "This instance began."})
	return o
}

// WatchAdmission has the page ask read for admission's state. read must not block.
func (o *Ops) WatchAdmission(read func() AdmissionState) { o.admission.Store(&read) }

// WatchOverrides has the page ask read for what operators have in force. read must not block.
func (o *Ops) WatchOverrides(read func() []Override) { o.overrides.Store(&read) }

// WatchDownstream has the page ask read for a downstream's state. timeout is that of one attempt. read must not block.
func (o *Ops) WatchDownstream(d page.Dependency, timeout time.Duration, read func() DownstreamState) {
	o.downstreams[d].Store(&watched{timeout, read})
}

// Served enters one page or offer. It does not keep r.
func (o *Ops) Served(r *page.Record) {
	now := r.Start.Add(r.Duration)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.past.at(now).add(r)
	if k, keep := o.kindOf(r, now); keep {
		o.keepPage(k, r)
	}
	o.follow(r, now)
}

// Remembered enters one write of a remembered price.
func (o *Ops) Remembered(result page.MemoryResult) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.past.at(now).learned[result]++
}

// Close ends every stream, and refuses new ones. Those of clients that read end at once, others within seconds.
func (o *Ops) Close() { o.close.Do(func() { close(o.closed) }) }
