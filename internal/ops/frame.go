package ops

import (
	"math"
	"sync"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/slo"
)

// fixed is what a stream begins with: what does not change.
type fixed struct {
	Version     string            `json:"version"`
	Revision    string            `json:"revision"`
	Started     int64             `json:"started"` // Unix ms
	Config      []string          `json:"config"`
	DeadlineMs  float64           `json:"deadlineMs"`
	SlowMs      float64           `json:"slowMs"`
	SlotMs      float64           `json:"slotMs"`
	Slots       int               `json:"slots"`
	LatelyMs    float64           `json:"latelyMs"`
	KeptPages   int               `json:"keptPages"`
	KeptEvents  int               `json:"keptEvents"`
	Downstreams []fixedDownstream `json:"downstreams"`
}

type fixedDownstream struct {
	Name      string  `json:"name"`
	Critical  bool    `json:"critical"`
	TimeoutMs float64 `json:"timeoutMs"`
}

func (o *Ops) fixed() *fixed {
	f := &fixed{
		Version: o.options.Version, Revision: o.options.Revision, Started: o.start.UnixMilli(), Config: o.options.Config,
		DeadlineMs: ms(o.options.Deadline), SlowMs: ms(o.slowAfter),
		SlotMs: ms(slotLength), Slots: slots, LatelyMs: ms(lately * slotLength),
		KeptPages: keptPages, KeptEvents: keptEvents,
	}
	for i, d := range page.Dependencies {
		timeout := o.downstreams[i].Load().timeout
		f.Downstreams = append(f.Downstreams, fixedDownstream{d.String(), d.Critical(), ms(timeout)})
	}
	return f
}

// frame is one message of a stream. Members that only the first one has are left out of the others.
type frame struct {
	Fixed       *fixed          `json:"fixed,omitempty"`
	At          int64           `json:"at"` // Unix ms
	State       string          `json:"state"`
	Admission   AdmissionState  `json:"admission"`
	Overrides   []Override      `json:"overrides"` // in force
	Objectives  slo.Report      `json:"slo"`
	Recent      *counts         `json:"recent"`
	Lately      *counts         `json:"lately"`
	Downstreams []downstreamNow `json:"downstreams"`
	Timeline    []slot          `json:"timeline"` // the newest last
	Pages       []pageTrace     `json:"pages"`
	Missed      uint64          `json:"missed"` // that were kept since the frame before, but displaced before they could be sent
	Events      []eventLine     `json:"events"`
}

// downstreamNow is a downstream's state.
type downstreamNow struct {
	Breaker    string  `json:"breaker"`
	CoolDownMs float64 `json:"coolDownMs"`
	InFlight   int     `json:"inFlight"`
	Limit      int     `json:"limit"`
	Tokens     float64 `json:"tokens"`
}

// eventLine is an event on the wire.
type eventLine struct {
	Number  uint64 `json:"number"`
	At      int64  `json:"at"` // Unix ms
	Subject string `json:"subject"`
	Tone    string `json:"tone"`
	Text    string `json:"text"`
}

// slot is one step of the timeline: how many pages and offers came to what.
type slot struct {
	Number  int    `json:"number"`
	Whole   uint32 `json:"whole"`
	Less    uint32 `json:"less"` // degraded
	Failed  uint32 `json:"failed"`
	Refused uint32 `json:"refused"`
}

func (o *Ops) downstreamsNow() []downstreamNow {
	all := make([]downstreamNow, page.NumDependencies)
	for i := range all {
		s := o.downstreams[i].Load().read()
		all[i] = downstreamNow{s.Breaker.String(), ms(s.CoolDown), s.InFlight, s.Limit, math.Round(s.Tokens*10) / 10}
	}
	return all
}

// ms is d in milliseconds, to the tenth.
func ms(d time.Duration) float64 { return math.Round(float64(d)/float64(time.Millisecond)*10) / 10 }

// report keeps the objectives' report for a moment: it costs the ledger a lock that pages want too, however many look.
type report struct {
	read func() slo.Report

	mu   sync.Mutex
	at   time.Time
	kept slo.Report
}

const reportEvery = time.Second

func (r *report) now() slo.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at.IsZero() || time.Since(r.at) >= reportEvery {
		r.kept, r.at = r.read(), time.Now()
	}
	return r.kept
}
