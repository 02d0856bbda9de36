package slo

import (
	"encoding/json"
	"net/http"
	"time"
)

// burnWindows are those over which the ledger tells a burn rate, the shorter first.
var burnWindows = [numWindows]struct {
	name   string
	length time.Duration
}{
	{"5m", 5 * time.Minute}, {"30m", 30 * time.Minute}, {"1h", time.Hour}, {"6h", longestWindow},
}

const (
	numWindows    = 4
	longestWindow = 6 * time.Hour
)

// scope says what the figures are about, lest they be taken for the service's.
const scope = "this instance alone, since it started; Prometheus has the figures of the whole service over 30 days"

// Report is what /slo tells.
type Report struct {
	Scope         string            `json:"scope"`
	Since         time.Time         `json:"since"`
	UptimeSeconds int64             `json:"uptimeSeconds"`
	Objectives    []ObjectiveReport `json:"objectives"`
}

// ObjectiveReport is one objective as this instance has kept it.
type ObjectiveReport struct {
	Name      string  `json:"name"`
	Title     string  `json:"title"`
	Resource  string  `json:"resource"`
	Objective float64 `json:"objective"`          // the share that shall be good
	WithinMs  int64   `json:"withinMs,omitempty"` // how long a good answer may take
	Standing
	Clients map[string]Standing `json:"clients"`
}

// Standing is how an objective stands.
type Standing struct {
	Good  uint64 `json:"good"`
	Valid uint64 `json:"valid"` // good and bad: what is counted
	// BudgetLeft is 1 when nothing was bad, 0 when as much was bad as the objective allows of what was valid, and under
	// 0 beyond that.
	BudgetLeft float64 `json:"budgetLeft"`
	// BurnRates is how fast the budget goes, by window: at 1 it lasts exactly its 30 days. 0 when nothing was valid. A
	// window longer than the uptime covers the uptime.
	BurnRates map[string]float64 `json:"burnRates"`
	// Bad is how many were bad, by the same windows: alerts do not mind fewer than ten.
	Bad map[string]uint64 `json:"bad"`
}

// Report tells how each objective stands, over all clients and for each.
func (l *Ledger) Report() Report {
	totals, windows := l.standing()
	uptime := time.Since(l.start)
	report := Report{Scope: scope, Since: l.start, UptimeSeconds: int64(uptime.Seconds())}
	for i := range Objectives {
		o := &Objectives[i]
		of := ObjectiveReport{
			Name: o.Name, Title: o.Title, Resource: o.Resource.String(), Objective: o.Target,
			WithinMs: o.Within.Milliseconds(),
			Standing: o.standing(i, totals, windows),
			Clients:  make(map[string]Standing, len(totals)),
		}
		for c, name := range l.clients.names {
			var ofClient [numWindows][]counts
			for w := range windows {
				ofClient[w] = windows[w][c : c+1]
			}
			of.Clients[name] = o.standing(i, totals[c:c+1], ofClient)
		}
		report.Objectives = append(report.Objectives, of)
	}
	return report
}

// standing adds up the clients given; i is the objective's row.
func (o *Objective) standing(i int, totals []counts, windows [numWindows][]counts) Standing {
	total := sum(totals)[i]
	s := Standing{
		Good: total.good, Valid: total.good + total.bad, BudgetLeft: 1 - o.burn(total),
		BurnRates: make(map[string]float64, numWindows), Bad: make(map[string]uint64, numWindows),
	}
	for w, of := range windows {
		name, c := burnWindows[w].name, sum(of)[i]
		s.BurnRates[name], s.Bad[name] = o.burn(c), c.bad
	}
	return s
}

// burn is the share of bad answers as a multiple of what the objective allows.
func (o *Objective) burn(c count) float64 {
	if c.bad == 0 {
		return 0
	}
	return float64(c.bad) / float64(c.good+c.bad) / o.Budget()
}

func sum(clients []counts) (all counts) {
	for i := range clients {
		all.plus(&clients[i])
	}
	return all
}

// Handler serves /slo.
func (l *Ledger) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		body := json.NewEncoder(w)
		body.SetIndent("", "  ")
		_ = body.Encode(l.Report()) // all that can fail is the reader
	})
}
