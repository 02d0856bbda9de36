package rules

import (
	"fmt"
	"strings"
	"time"

	"example.com/bff/internal/slo"
)

const day = 24 * time.Hour

// shortest is the window that counts raw samples and that the long windows add up.
const shortest = 5 * time.Minute

// windows are those that are recorded. The ones of a day and more would read every raw sample of every series each time;
// they add up the shortest window's counts instead.
var windows = [...]time.Duration{
	shortest, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, day, 3 * day, slo.Period,
}

// recording counts, per client and for all, the bad and the valid answers of each window, and their ratio.
func (s scale) recording() []group {
	groups := make([]group, 0, len(windows)+1)
	for _, window := range windows {
		name := duration(window)
		g := group{Name: "bff-slo-" + name, Interval: s.of(evaluateEvery)}
		if window < day {
			for i := range slo.Objectives {
				g.Rules = append(g.Rules, counted(&slo.Objectives[i], name, s.of(window))...)
			}
		} else {
			g.Rules = append(g.Rules, s.addedUp("bad", window), s.addedUp("valid", window))
		}
		for _, events := range [...]string{"bad", "valid"} {
			g.Rules = append(g.Rules, rule{
				Record: fmt.Sprintf("slo:bff_%s:increase%s", events, name),
				Expr:   fmt.Sprintf("sum by (slo) (slo_client:bff_%s:increase%s)", events, name),
			})
		}
		groups = append(groups, group{g.Name, g.Interval, append(g.Rules, ratio("slo", name), ratio("slo_client", name))})
	}
	return append(groups, s.budgets())
}

// counted are the answers of an objective in one window, from the counters themselves.
func counted(o *slo.Objective, window, length string) []rule {
	labels := map[string]string{"slo": o.Name}
	increase := func(metric, matchers string) string {
		return fmt.Sprintf("sum by (client) (increase(bff_%s_%s{%s}[%s]))", o.Resource, metric, matchers, length)
	}
	outcomes := func(r slo.Results) string { return fmt.Sprintf("outcome=~%q", strings.Join(r.Names(), "|")) }

	bad := increase("requests_total", outcomes(o.Bad))
	valid := increase("requests_total", outcomes(o.Good.Union(o.Bad)))
	if o.Within > 0 {
		valid = increase("duration_seconds_count", outcomes(o.Good.Union(o.Bad)))
		quick := fmt.Sprintf("le=%q,%s", fmt.Sprint(o.Within.Seconds()), outcomes(o.Good))
		bad = valid + "\n-\n" + increase("duration_seconds_bucket", quick)
	}
	return []rule{
		{Record: "slo_client:bff_bad:increase" + window, Expr: bad, Labels: labels},
		{Record: "slo_client:bff_valid:increase" + window, Expr: valid, Labels: labels},
	}
}

// addedUp is a long window: each sample of the shortest one speaks for the evaluation that made it.
func (s scale) addedUp(events string, window time.Duration) rule {
	return rule{
		Record: fmt.Sprintf("slo_client:bff_%s:increase%s", events, duration(window)),
		Expr: fmt.Sprintf("sum_over_time(slo_client:bff_%s:increase%s[%s]) * %v / %v", events, duration(shortest),
			s.of(window), s.shorten(evaluateEvery).Seconds(), s.shorten(shortest).Seconds()),
	}
}

// ratio has no sample where nothing was valid, rather than NaN.
func ratio(level, window string) rule {
	return rule{
		Record: fmt.Sprintf("%s:bff_bad:ratio%s", level, window),
		Expr:   fmt.Sprintf("%s:bff_bad:increase%s / (%s:bff_valid:increase%s > 0)", level, window, level, window),
	}
}

// budgets tell what each objective allows, and which share of that is left of the last 30 days.
func (s scale) budgets() group {
	const allowed, period = "slo:bff_error_budget:ratio", "30d"
	g := group{Name: "bff-slo-budget", Interval: s.of(evaluateEvery)}
	for i := range slo.Objectives {
		o := &slo.Objectives[i]
		g.Rules = append(g.Rules, rule{
			Record: allowed, Expr: fmt.Sprintf("vector(%v)", o.Budget()), Labels: map[string]string{"slo": o.Name},
		})
	}
	return group{g.Name, g.Interval, append(g.Rules,
		rule{
			Record: "slo:bff_budget_left:ratio" + period,
			Expr:   fmt.Sprintf("1 - slo:bff_bad:ratio%s / on (slo) %s", period, allowed),
		},
		rule{
			Record: "slo_client:bff_budget_left:ratio" + period,
			Expr:   fmt.Sprintf("1 - slo_client:bff_bad:ratio%s / on (slo) group_left () %s", period, allowed),
		})}
}
