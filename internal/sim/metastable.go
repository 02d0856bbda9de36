package sim

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

// The catalog that fails and is repaired: it can do 25 a second, is asked 15 times a second, and lets five seconds' worth
// of requests wait. It does not notice who hangs up.
const (
	catalogWorkers = 2
	catalogTakes   = 80 * ms
	catalogQueue   = 125
	catalogBase    = 15 // callers a second: 60 % of what it can do
	catalogSlow    = 2000
)

// BucketShare is the capacity of a retry budget as a multiple of the callers in a second.
const BucketShare = 10.0 / catalogBase

// Outage is how long a downstream is watched well, slow, and well again; whole seconds.
type Outage struct{ Before, Slow, After time.Duration }

func (o Outage) all() time.Duration { return o.Before + o.Slow + o.After }

// seconds are those in which the trouble begins, and ends, and in which watching ends.
func (o Outage) seconds() (slow, repaired, end int) {
	return int(o.Before.Seconds()), int((o.Before + o.Slow).Seconds()), int(o.all().Seconds())
}

// Metastable is how one kind of callers fares with that catalog, and the catalog with them.
type Metastable struct {
	Name                  string
	During, After         float64       // the share of callers who got what they asked for, 0 to 1
	Peak                  float64       // most calls that the catalog got in a second, as a multiple of the callers
	LoadDuring, LoadAfter float64       // calls that it got, likewise
	Recovery              time.Duration // after the repair, until all callers got what they asked for; Never
}

// Never is the recovery of what did not recover while it was watched.
const Never = time.Duration(-1)

// NaiveMetastable is callers with a timeout of 1 s and three retries, each half a second after the failure.
func NaiveMetastable(t testing.TB, o Outage) Metastable {
	network := pipenet.New()
	server := fakes.New(catalogOptions())
	m := newMeter(o, func(f fakes.Fault) { must(t, server.Set("catalog", f)) })
	network.Serve(t, "catalog:80", m.counting(deaf("catalog", server)))
	ask := withRetries(3, 500*ms, withTimeout(time.Second, plain(plainClient(t, network), "http://catalog/catalog/")))
	return m.run("naive callers", func(id string) bool { return ask(context.Background(), id) == nil })
}

// Layers are what of this service is taken away from one row of the table to the next.
type Layers struct {
	Name   string
	Untold bool     // the catalog is not told its deadline
	Env    []string // what takes the others away
}

var (
	noBreaker  = []string{"BFF_CATALOG_BREAKER_MIN_CALLS=1000000"}
	noBudget   = []string{"BFF_CATALOG_RETRIES=3", "BFF_CATALOG_RETRY_BUDGET=1"}
	noTimeout  = []string{"BFF_CATALOG_TIMEOUT=1s", "BFF_DEADLINE=5s"}
	noBulkhead = []string{"BFF_CATALOG_BULKHEAD=100000"}
)

// Stacks is this service whole, and with layers taken away.
func Stacks() []Layers {
	return []Layers{
		{Name: "this service"},
		{Name: "… without its bulkhead", Env: noBulkhead},
		{Name: "… without its short timeouts: 1 s an attempt, 5 s a page", Env: noTimeout},
		{Name: "… without its retry budget: 3 retries, a token a call", Env: noBudget},
		{Name: "… without its breaker", Env: noBreaker},
		{Name: "… without telling the catalog its deadline", Untold: true},
		{Name: "… without breaker and told deadline", Untold: true, Env: noBreaker},
		{Name: "… without breaker and retry budget", Env: slices.Concat(noBreaker, noBudget)},
		{Name: "… without all of these", Untold: true, Env: slices.Concat(noBreaker, noBudget, noTimeout, noBulkhead)},
	}
}

// OwnMetastable is this service, with what is left of it, whose pages need that catalog.
func OwnMetastable(t testing.TB, o Outage, l Layers) Metastable {
	var w *world.World
	m := newMeter(o, func(f fakes.Fault) { w.Fault("catalog", f) })
	w = world.Setup{
		Env: l.Env, Fakes: catalogOptions(), Quiet: true,
		Wrap: func(downstream string, h http.Handler) http.Handler {
			switch {
			case downstream != "catalog":
				return h
			case l.Untold:
				return m.counting(untold(downstream, h))
			}
			return m.counting(deaf(downstream, h))
		},
	}.Start(t)
	return m.run(l.Name, func(id string) bool {
		status, _, _ := visit(w.Client, "http://"+world.Public+"/products/"+id)
		return status == http.StatusOK
	})
}

func catalogOptions() fakes.Options {
	return fakes.Options{Workers: catalogWorkers, Queue: catalogQueue, Latency: func(downstream, _ string) time.Duration {
		return map[string]time.Duration{"catalog": catalogTakes}[downstream]
	}}
}

// meter lets an outage pass and counts by the second: what the downstream got, and who got what they had asked for.
type meter struct {
	outage               Outage
	fault                func(fakes.Fault)
	calls, asked, served *perSecond
}

func newMeter(o Outage, fault func(fakes.Fault)) *meter {
	return &meter{o, fault, newPerSecond(), newPerSecond(), newPerSecond()}
}

func (m *meter) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.calls.add()
		h.ServeHTTP(w, r)
	})
}

func (m *meter) run(name string, ask func(id string) bool) Metastable {
	slow := time.AfterFunc(m.outage.Before, func() { m.fault(fakes.Fault{LatencyMs: new(catalogSlow)}) })
	well := time.AfterFunc(m.outage.Before+m.outage.Slow, func() { m.fault(fakes.Fault{}) })
	defer slow.Stop()
	defer well.Stop()
	steady(time.Second/catalogBase, m.outage.all(), func(i int) {
		at := time.Now()
		m.asked.addAt(at)
		if ask(fmt.Sprintf("p-%d", i)) {
			m.served.addAt(at)
		}
	})
	time.Sleep(2 * catalogQueue / catalogWorkers * catalogTakes) // until it has done what nobody waits for
	return m.result(name)
}

func (m *meter) result(name string) Metastable {
	slow, repaired, end := m.outage.seconds()
	share := func(from, to int) float64 { return m.served.mean(from, to) / m.asked.mean(from, to) }
	load := func(calls float64) float64 { return calls / catalogBase }
	return Metastable{
		Name: name, During: share(slow, repaired), After: share(repaired, end),
		Peak:       load(float64(m.calls.most(0, end))),
		LoadDuring: load(m.calls.mean(slow, repaired)), LoadAfter: load(m.calls.mean(repaired, end)),
		Recovery: m.recovery(repaired, end),
	}
}

// recovery looks for the last second in which somebody asked in vain.
func (m *meter) recovery(repaired, end int) time.Duration {
	for s := end - 1; s >= repaired; s-- {
		if m.served.at(s) < m.asked.at(s) {
			if s == end-1 {
				return Never
			}
			return time.Duration(s+1-repaired) * time.Second
		}
	}
	return 0
}
