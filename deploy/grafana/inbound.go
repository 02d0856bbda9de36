package main

var inbound = dashboard{
	uid: "bff-inbound", title: "2 Pages and offers",
	about: "What callers ask and get: rate, errors and duration, by client; and what is shed before any work.",
	rows: []row{
		{title: "Pages", panels: []panel{
			{
				title: "Pages, by outcome", unit: perSecond, draw: stacked,
				about:   "Every answer of the page resource. full, degraded, not_modified and not_found are what callers came for.",
				queries: []query{{`sum by (outcome) (rate(bff_page_requests_total[$__rate_interval]))`, "{{outcome}}"}},
			},
			{
				title: "Pages, by client", unit: perSecond, draw: stacked,
				about:   "Who asks, as X-Client tells it. other is everybody whom BFF_CLIENTS does not name.",
				queries: []query{{`sum by (client) (rate(bff_page_requests_total[$__rate_interval]))`, "{{client}}"}},
			},
			{
				title: "Pages, by market", unit: perSecond, draw: stacked,
				about:   "For which market, as X-Market tells it. other is whatever BFF_MARKETS does not name.",
				queries: []query{{`sum by (market) (rate(bff_page_requests_total[$__rate_interval]))`, "{{market}}"}},
			},
			{
				title: "Failed pages, by client", unit: share, then: "bff-downstreams",
				about:   "The share of counted pages that were unavailable, shed or an error. The objective allows 0.1 %.",
				queries: []query{shareBy("client", `bff_page_requests_total{`+failed+`}`, `bff_page_requests_total{`+counted+`}`)},
				colours: []colour{{"green", lowest}, {"red", 0.001}},
			},
			{
				title: "Degraded pages, by client", unit: share, then: "bff-downstreams",
				about:   "The share of answered pages that lacked something, or showed a remembered price. The objective allows 2 %.",
				queries: []query{shareBy("client", `bff_page_requests_total{outcome="degraded"}`, `bff_page_requests_total{`+served+`}`)},
				colours: []colour{{"green", lowest}, {"red", 0.02}},
			},
			{
				title: "Not counted, by outcome", unit: perSecond, draw: stacked,
				about:   "Answers that no objective counts: the request was wrong, came too often, left too little time, was background, or its client left. Many at once are a client's trouble.",
				queries: []query{{`sum by (outcome) (rate(bff_page_requests_total{outcome=~"invalid|rate_limited|deadline|shed_background|cancelled"}[$__rate_interval]))`, "{{outcome}}"}},
			},
			{
				title: "Duration of answered pages", unit: seconds, traces: true,
				about:   "From handler entry to the answer. A page ends by its deadline (0.45 s) whatever the downstreams do: beyond it, time is lost in the service itself.",
				queries: quantiles(`bff_page_duration_seconds_bucket{` + served + `}`),
				colours: []colour{{"green", lowest}, {"red", 0.5}},
			},
			{
				title: "Duration of answered pages, 99th percentile by client", unit: seconds, traces: true,
				about:   "One client alone has heavier products, or a market with a slow downstream.",
				queries: []query{{`histogram_quantile(0.99, sum by (client, le) (rate(bff_page_duration_seconds_bucket{` + served + `}[$__rate_interval])))`, "{{client}}"}},
				colours: []colour{{"green", lowest}, {"red", 0.5}},
			},
			{
				title: "Slow pages, by client", unit: share,
				about:   "The share of answered pages that took over half a second. The objective allows 1 %.",
				queries: []query{{`1 - sum by (client) (rate(bff_page_duration_seconds_bucket{le="0.5",` + served + `}[$__rate_interval])) / (sum by (client) (rate(bff_page_duration_seconds_count{` + served + `}[$__rate_interval])) > 0)`, "{{client}}"}},
				colours: []colour{{"green", lowest}, {"red", 0.01}},
			},
		}},
		{title: "Offers", panels: []panel{
			{
				title: "Offers, by outcome", unit: perSecond, draw: stacked,
				about:   "What carts and checkouts ask: live price and live stock, or nothing.",
				queries: []query{{`sum by (outcome) (rate(bff_offer_requests_total[$__rate_interval]))`, "{{outcome}}"}},
			},
			{
				title: "Failed offers, by client", unit: share, then: "bff-downstreams",
				about:   "The share of counted offers that were unavailable, shed or an error: lost orders. The objective allows 0.05 %.",
				queries: []query{shareBy("client", `bff_offer_requests_total{`+failed+`}`, `bff_offer_requests_total{`+counted+`}`)},
				colours: []colour{{"green", lowest}, {"red", 0.0005}},
			},
			{
				title: "Duration of answered offers", unit: seconds, traces: true,
				about:   "From handler entry to the answer.",
				queries: quantiles(`bff_offer_duration_seconds_bucket{` + served + `}`),
			},
		}},
		{title: "Shedding", panels: []panel{
			{
				title: "In flight, and how many may be", unit: count, then: "bff-instances",
				about: "Pages and offers being answered by all instances, and the sum of their limits. A limit below BFF_MAX_IN_FLIGHT times the instances: a process lacks CPU.",
				queries: []query{
					{`sum(bff_in_flight)`, "in flight"},
					{`sum(bff_in_flight_limit)`, "limit"},
				},
			},
			{
				title: "Fullest instance", unit: share, then: "bff-instances",
				about:   "In flight as a share of the limit, on the instance where it is highest. At 100 % it queues, then sheds.",
				queries: []query{{`max(bff_in_flight / bff_in_flight_limit)`, "in flight"}},
				colours: []colour{{"green", lowest}, {"red", 1}},
			},
			{
				title: "Shed, by reason and priority", unit: perSecond, draw: stacked,
				about:   "Refused before any work. full: no place, not even in the queue. age: too long in the queue. deadline: its caller left too little time. override: somebody of us asked for it. background goes first, critical (offers) last.",
				queries: []query{{`sum by (reason, priority) (rate(bff_shed_total[$__rate_interval]))`, "{{priority}} {{reason}}"}},
			},
			{
				title: "Shed pages, by client", unit: perSecond, draw: stacked,
				about:   "Who was refused. shed_background burns no budget.",
				queries: []query{{`sum by (client, outcome) (rate(bff_page_requests_total{outcome=~"shed|shed_background"}[$__rate_interval]))`, "{{client}} {{outcome}}"}},
			},
			{
				title: "Over their rate, by client", unit: perSecond, draw: stacked,
				about: "Pages and offers that were answered with 429, where BFF_RATE_LIMIT is set. unjudged passed, because Redis did not tell their client's rate.",
				queries: []query{
					{`sum by (client) (rate(bff_page_requests_total{outcome="rate_limited"}[$__rate_interval]))`, "pages {{client}}"},
					{`sum by (client) (rate(bff_offer_requests_total{outcome="rate_limited"}[$__rate_interval]))`, "offers {{client}}"},
					{`sum(rate(bff_rate_limit_passed_total[$__rate_interval]))`, "unjudged"},
				},
			},
			{
				title: "Overrides in force", unit: count,
				about:   "On how many instances an operator's override is in force: of a downstream open or no-retry; of shed the highest priority that is shed. The instances' logs tell why, GET /override for how long.",
				queries: []query{{`sum by (target, mode) (bff_override_active) > 0`, "{{target}} {{mode}}"}},
			},
		}},
	},
}

// shareBy is the rate of some as a share of all. Where there are none at all it has no sample.
func shareBy(label, some, all string) query {
	sum := func(series string) string { return "sum by (" + label + ") (rate(" + series + "[$__rate_interval]))" }
	return query{sum(some) + " / (" + sum(all) + " > 0)", "{{" + label + "}}"}
}

// quantiles of a histogram's buckets, over all instances.
func quantiles(buckets string) []query {
	of := func(q, legend string) query {
		return query{"histogram_quantile(" + q + ", sum by (le) (rate(" + buckets + "[$__rate_interval])))", legend}
	}
	return []query{of("0.5", "half"), of("0.95", "95 %"), of("0.99", "99 %")}
}
