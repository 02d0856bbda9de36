package main

import "fmt"

const firing = `ALERTS{alertname=~"Bff.*",alertstate="firing"}`

var objectives = dashboard{
	uid: "bff-objectives", title: "1 Objectives and budgets",
	about: "Where to begin: what fires, what is left of each budget, how fast it goes, and through what. Each alert has its section in docs/runbook.md.",
	rows: []row{
		{title: "Now", perLine: 5, height: 5, panels: []panel{
			{
				title: "Alerts that page", unit: count, draw: number,
				about:   "Alerts of severity page that fire. Each has its section in docs/runbook.md.",
				queries: []query{{`count(ALERTS{alertname=~"Bff.*",alertstate="firing",severity="page"}) or vector(0)`, "firing"}},
				colours: []colour{{"green", lowest}, {"red", 1}},
			},
			{
				title: "Alerts that can wait", unit: count, draw: number,
				about:   "Alerts of severity ticket that fire: for the morning.",
				queries: []query{{`count(ALERTS{alertname=~"Bff.*",alertstate="firing",severity="ticket"}) or vector(0)`, "firing"}},
				colours: []colour{{"green", lowest}, {"orange", 1}},
			},
			{
				title: "Instances", unit: count, draw: number, then: "bff-instances",
				about: "Instances that Prometheus can scrape, of those that it knows.",
				queries: []query{
					{`sum(up{job="bff"}) or vector(0)`, "up"},
					{`count(up{job="bff"}) or vector(0)`, "known"},
				},
				colours: []colour{{"red", lowest}, {"green", 1}},
			},
			{
				title: "Answers per second", unit: perSecond, draw: number, then: "bff-inbound",
				about: "All answers of each resource, whatever their outcome.",
				queries: []query{
					{`sum(rate(bff_page_requests_total[$__rate_interval]))`, "pages"},
					{`sum(rate(bff_offer_requests_total[$__rate_interval]))`, "offers"},
				},
			},
			{
				title: "What fires", unit: count, draw: list,
				about:   "Every alert of the service that fires now. The runbook's section has its name.",
				queries: []query{{`max by (alertname, severity, scope, client, downstream, window) (` + firing + `) or on () label_replace(vector(0), "alertname", "none", "", "")`, "{{alertname}}"}},
			},
		}},
		{title: "Budgets of 30 days", perLine: 2, panels: []panel{
			{
				title: "Budget left", unit: share, draw: number,
				about:   "What is left of the failures that 30 days allow. Under 0 the objective is missed. A budget of which nothing was counted is whole.",
				queries: []query{{`slo:bff_budget_left:ratio30d or on (slo) 1 + 0 * slo:bff_error_budget:ratio`, "{{slo}}"}},
				colours: []colour{{"red", lowest}, {"orange", 0}, {"green", 0.25}},
			},
			{
				title: "Budget left, by client", unit: share,
				about:   "The same for each client, so that no average hides one. A client without traffic has no line.",
				queries: []query{{`slo_client:bff_budget_left:ratio30d`, "{{slo}} {{client}}"}},
				colours: []colour{{"green", lowest}, {"red", 0}},
			},
		}},
		{title: "How fast the budgets go", panels: []panel{
			burn("1h", "5m", 14.4, "page", "The budget is gone in two days."),
			burn("6h", "30m", 6, "page", "The budget is gone in five days."),
			burn("1d", "2h", 3, "ticket", "The budget is gone in ten days."),
			burn("3d", "6h", 1, "ticket", "The budget is gone before its 30 days are over."),
			{
				title: "Burn over 1h, by client", unit: times,
				about:   "How many times faster than allowed each client's budget goes. One client alone: ask first what it changed.",
				queries: []query{{`slo_client:bff_bad:ratio1h / on (slo) group_left () slo:bff_error_budget:ratio`, "{{slo}} {{client}}"}},
				colours: []colour{{"green", lowest}, {"red", 14.4}}, then: "bff-inbound",
			},
		}},
		{title: "Through what they go", panels: []panel{
			{
				title: "Failed pages, by outcome", unit: perSecond, draw: stacked, then: "bff-downstreams",
				about:   "What burns availability. unavailable: a critical downstream could not be had. shed: more than the instances can do. error: a defect of ours.",
				queries: []query{{`sum by (outcome) (rate(bff_page_requests_total{` + failed + `}[$__rate_interval]))`, "{{outcome}}"}},
			},
			{
				title: "Failed offers, by outcome", unit: perSecond, draw: stacked, then: "bff-downstreams",
				about:   "What burns the offers' availability: carts and checkouts that got no live price or no live stock.",
				queries: []query{{`sum by (outcome) (rate(bff_offer_requests_total{` + failed + `}[$__rate_interval]))`, "{{outcome}}"}},
			},
			{
				title: "Bad share over 5m, by objective", unit: share, then: "bff-inbound",
				about:   "Of the answers that each objective counts, those that break it. For latency they took over half a second, for quality they were degraded.",
				queries: []query{{`slo:bff_bad:ratio5m`, "{{slo}}"}},
			},
		}},
	},
}

// burn is a panel for one of the alerts' pairs of windows.
func burn(long, short string, limit float64, severity, pace string) panel {
	over := func(window string) query {
		return query{`slo:bff_bad:ratio` + window + ` / on (slo) slo:bff_error_budget:ratio`, "{{slo}} " + window}
	}
	return panel{
		title: fmt.Sprintf("Burn over %s and %s", long, short), unit: times,
		about: fmt.Sprintf("How many times faster than allowed each budget goes. Both windows over %v: %s. %s An objective of which nothing was counted has no line.",
			limit, severity, pace),
		queries: []query{over(long), over(short)},
		colours: []colour{{"green", lowest}, {map[string]string{"page": "red", "ticket": "orange"}[severity], limit}},
	}
}
