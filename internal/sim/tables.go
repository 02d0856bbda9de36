package sim

import (
	"fmt"
	"strconv"
	"time"
)

// PatternsTable is the first experiment's.
func PatternsTable(all []Pattern) Table {
	t := Table{Name: "patterns", Header: []string{"", "p50", "p99", "most in flight", "calls", "outcomes"}}
	for _, p := range all {
		t.Rows = append(t.Rows, []string{
			p.Name, millis(p.P50), millis(p.P99), strconv.Itoa(p.MostInFlight), strconv.Itoa(p.Calls), counts(p.Outcomes),
		})
	}
	return t
}

// MetastableTable is the second's.
func MetastableTable(all []Metastable) Table {
	t := Table{Name: "metastable", Header: []string{
		"", "most calls in a second", "calls while it is slow", "calls after the repair", "all is well *",
	}}
	for _, m := range all {
		t.Rows = append(t.Rows, []string{
			m.Name, times(m.Peak), times(m.LoadDuring), times(m.LoadAfter), recovered(m.Recovery),
		})
	}
	return t
}

func recovered(d time.Duration) string {
	if d == Never {
		return "never"
	}
	return fmt.Sprintf("after %.0f s", d.Seconds())
}

// EveningTable is the third's.
func EveningTable(all []Evening) Table {
	t := Table{Name: "evening", Header: []string{
		"", "pages answered", "p50", "p99 *", "degraded", "offers answered", "their p99", "most held at recommendations",
	}}
	for _, e := range all {
		t.Rows = append(t.Rows, []string{
			e.Name, percent(e.Answered), millis(e.P50), millis(e.P99), percent(e.Degraded),
			percent(e.OffersAnswered), millis(e.OffersP99), strconv.Itoa(e.MostHeld),
		})
	}
	return t
}

// AmplificationTable is the fourth's.
func AmplificationTable(all []Amplification) Table {
	t := Table{Name: "amplification", Header: []string{"", "requests", "calls", "calls a request"}}
	for _, a := range all {
		t.Rows = append(t.Rows, []string{a.Name, strconv.Itoa(a.Requests), strconv.Itoa(a.Calls), fmt.Sprintf("%.2f", a.Factor())})
	}
	return t
}

// MonthTable is the sixth's: all clients together.
func MonthTable(counted, told []Standing) Table {
	t := Table{Name: "month", Header: []string{"", "good", "counted", "budget left, counted", "budget left, as /slo tells"}}
	for i, s := range counted {
		if s.Client == "" {
			t.Rows = append(t.Rows, []string{
				s.Objective, strconv.FormatUint(s.Good, 10), strconv.FormatUint(s.Valid, 10),
				percent(s.BudgetLeft), percent(told[i].BudgetLeft),
			})
		}
	}
	return t
}
