package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// Standing is an objective at the end of a month, of one client or, with Client empty, of all.
type Standing struct {
	Objective, Client string
	Good, Valid       uint64
	BudgetLeft        float64
}

// promised are the objectives of the contract, written down once more: the share that shall be good.
var promised = map[string]float64{"availability": 0.999, "latency": 0.99, "quality": 0.98, "offer_availability": 0.9995}

const day = 24 * time.Hour

// incident is a fault at a time of the month.
type incident struct {
	from, long time.Duration
	downstream string
	fault      fakes.Fault
}

var incidents = []incident{
	{4 * day, 10 * time.Minute, "catalog", fakes.Fault{Hang: true}},
	{9 * day, 6 * time.Hour, "recommendations", fakes.Fault{LatencyMs: new(8000)}},
	{13 * day, 20 * time.Minute, "price", fakes.Fault{Garbage: "null-amount"}},
	{18 * day, 5 * time.Minute, "stock", fakes.Fault{Status: http.StatusServiceUnavailable}},
	{23 * day, 5 * time.Hour, "reviews", fakes.Fault{LatencyMs: new(700)}},
}

// AMonth asks now and then for thirty days with a few incidents, counts what callers got by the contract's words, and
// returns that beside what /slo says. The deadline is a longer one here, so that a good answer can be a slow one.
func AMonth(t testing.TB, seed uint64) (counted, told []Standing) {
	w := world.Setup{Quiet: true, Env: []string{"BFF_DEADLINE=900ms", "BFF_REVIEWS_TIMEOUT=800ms"}}.Start(t)
	for _, in := range incidents {
		time.AfterFunc(in.from, func() { w.Fault(in.downstream, in.fault) })
		time.AfterFunc(in.from+in.long, func() { w.Heal(in.downstream) })
	}
	l := ledger{}
	dice := rand.New(rand.NewPCG(seed, 30))
	var etag string
	for start := time.Now(); time.Since(start) < 30*day; {
		r := draw(dice, etag)
		a := r.send(w)
		if tag := a.Header.Get("Etag"); tag != "" {
			etag = tag
		}
		l.count(t, r, a)
		time.Sleep(time.Duration(1+dice.IntN(300)) * time.Second)
	}
	return l.standings(), ofSLO(t, w)
}

// question is one request of the month.
type question struct {
	client string
	offer  bool
	id     string
	hurry  time.Duration // what the caller allows; 0: all there is
	leaves time.Duration // when the caller hangs up; 0: never
	etag   string
}

func draw(dice *rand.Rand, etag string) question {
	q := question{
		client: []string{"web", "web", "mobile", "television"}[dice.IntN(4)],
		offer:  dice.IntN(4) == 0,
		id:     fmt.Sprintf("p-%d", 1000+dice.IntN(5)),
	}
	switch dice.IntN(20) {
	case 0:
		q.id = "missing-1"
	case 1:
		q.id = "not%20an%20id"
	case 2:
		q.hurry = 100 * ms
	case 3:
		q.leaves = 5 * ms
	case 4:
		q.etag = etag
	}
	return q
}

func (q question) send(w *world.World) world.Answer {
	path, headers := "/products/"+q.id, []string{"X-Client", q.client}
	if q.offer {
		path += "/offer"
	}
	if q.hurry > 0 {
		headers = append(headers, "X-Request-Timeout-Ms", fmt.Sprint(q.hurry.Milliseconds()))
	}
	if q.etag != "" {
		headers = append(headers, "If-None-Match", q.etag)
	}
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if q.leaves > 0 {
		ctx, cancel = context.WithTimeout(ctx, q.leaves)
	}
	defer cancel()
	return w.Do(ctx, http.MethodGet, world.Public, path, headers...)
}

// ledger counts good and bad by objective and client.
type ledger map[Standing]*[2]uint64

func (l ledger) count(t testing.TB, q question, a world.Answer) {
	if q.leaves > 0 {
		return // a caller who leaves before the deadline does not count
	}
	if a.Err != nil {
		t.Errorf("%+v: %v", q, a.Err)
	}
	answered := slices.Contains([]int{http.StatusOK, http.StatusNotModified, http.StatusNotFound}, a.Status)
	whole := answered && !a.Degraded
	const recallReserve = 25 * ms
	switch {
	case a.Status == http.StatusBadRequest:
		return
	case q.hurry > 0 && !whole && a.Took >= q.hurry-recallReserve:
		return // time ran out because the caller allowed little of it
	case q.offer:
		l.add("offer_availability", q.client, answered)
		return
	}
	l.add("availability", q.client, answered)
	if answered {
		l.add("latency", q.client, a.Took <= 500*ms)
		l.add("quality", q.client, whole)
	}
}

func (l ledger) add(objective, client string, good bool) {
	if client == "television" {
		client = "other"
	}
	for _, c := range []string{"", client} {
		key := Standing{Objective: objective, Client: c}
		if l[key] == nil {
			l[key] = &[2]uint64{}
		}
		if good {
			l[key][0]++
		}
		l[key][1]++
	}
}

func (l ledger) standings() (all []Standing) {
	for s, n := range l {
		s.Good, s.Valid = n[0], n[1]
		allowed := (1 - promised[s.Objective]) * float64(s.Valid)
		s.BudgetLeft = 1 - float64(s.Valid-s.Good)/allowed
		all = append(all, s)
	}
	return sorted(all)
}

// ofSLO reads /slo.
func ofSLO(t testing.TB, w *world.World) (all []Standing) {
	type standing struct {
		Good, Valid uint64
		BudgetLeft  float64
	}
	var report struct {
		Objectives []struct {
			Name string
			standing
			Clients map[string]standing
		}
	}
	a := w.Do(context.Background(), http.MethodGet, world.Admin, "/slo")
	must(t, json.Unmarshal(a.Body, &report))
	for _, o := range report.Objectives {
		all = append(all, Standing{o.Name, "", o.Good, o.Valid, o.BudgetLeft})
		for client, s := range o.Clients {
			all = append(all, Standing{o.Name, client, s.Good, s.Valid, s.BudgetLeft})
		}
	}
	return sorted(all)
}

func sorted(all []Standing) []Standing {
	slices.SortFunc(all, func(a, b Standing) int {
		return slices.Compare([]string{a.Objective, a.Client}, []string{b.Objective, b.Client})
	})
	return all
}
