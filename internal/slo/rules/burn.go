package rules

import (
	"fmt"
	"strings"
	"time"

	"example.com/bff/internal/slo"
)

// speed is one way to spend a budget too fast. The long window says that it matters, the short one that it still goes on.
type speed struct {
	factor      float64 // how many times faster than a budget that lasts its period
	long, short time.Duration
	severity    string
	hold        time.Duration // how long it must go on before anybody is told
}

var speeds = [...]speed{
	{14.4, time.Hour, 5 * time.Minute, page, time.Minute},
	{6, 6 * time.Hour, 30 * time.Minute, page, 5 * time.Minute},
	{3, day, 2 * time.Hour, ticket, 15 * time.Minute},
	{1, 3 * day, 6 * time.Hour, ticket, 30 * time.Minute},
}

// The severities: somebody gets up, or somebody looks in the morning.
const (
	page   = "page"
	ticket = "ticket"
)

// fewest is how many bad answers the long window must hold: at night one of three says nothing.
const fewest = 10

// BurnAlert is the name of the alerts on an objective's budget.
func BurnAlert(o *slo.Objective) string {
	name := "Bff"
	for word := range strings.SplitSeq(o.Name, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "Burn"
}

// burnAlerts has, for each objective, one alert per speed for all clients together and one for each client.
func (s scale) burnAlerts() []group {
	groups := make([]group, 0, len(slo.Objectives))
	for i := range slo.Objectives {
		o := &slo.Objectives[i]
		g := group{Name: "bff-burn-" + o.Name, Interval: s.of(evaluateEvery)}
		for _, sp := range speeds {
			g.Rules = append(g.Rules, s.burnAlert(o, sp, "service"), s.burnAlert(o, sp, "client"))
		}
		groups = append(groups, g)
	}
	return groups
}

func (s scale) burnAlert(o *slo.Objective, sp speed, scope string) rule {
	level, whose := "slo", ""
	if scope == "client" {
		level, whose = "slo_client", " for client {{ $labels.client }}"
	}
	over := func(window time.Duration) string {
		return fmt.Sprintf("%s:bff_bad:ratio%s{slo=%q} > %v * %v", level, duration(window), o.Name, sp.factor, o.Budget())
	}
	enough := fmt.Sprintf("%s:bff_bad:increase%s{slo=%q} >= %d", level, duration(sp.long), o.Name, fewest)
	return rule{
		Alert: BurnAlert(o),
		Expr:  strings.Join([]string{over(sp.long), over(sp.short), enough}, "\nand\n"),
		For:   s.of(sp.hold),
		Labels: map[string]string{
			"severity": sp.severity, "scope": scope, "window": duration(sp.long), "burn": fmt.Sprint(sp.factor),
		},
		Annotations: annotations(BurnAlert(o),
			fmt.Sprintf("%q is missed%s: its budget burns at more than %v times the pace that lasts", o.Title, whose, sp.factor),
			fmt.Sprintf("{{ $value | humanizePercentage }} of what counts was bad over %s%s; %v%% may be. At this pace the budget of %s is gone in less than %s.",
				duration(sp.long), whose, o.Budget()*100, duration(slo.Period),
				duration(time.Duration(float64(slo.Period)/sp.factor)))),
	}
}

// runbook is where every alert has its section.
const runbook = "docs/runbook.md"

func annotations(alert, summary, description string) map[string]string {
	return map[string]string{
		"summary":     summary,
		"description": description,
		"runbook_url": runbook + "#" + strings.ToLower(alert),
	}
}
