package main

var downstreams = dashboard{
	uid: "bff-downstreams", title: "3 Downstreams",
	about: "The five downstreams as this service sees them, and what protects both sides. catalog, price and stock are critical; without reviews and recommendations a page is degraded.",
	rows: []row{
		{title: "Fan-out", panels: []panel{
			{
				title: "Calls, by downstream", unit: perSecond,
				about:   "Questions that pages and offers asked. Those that shared one exchange count each.",
				queries: []query{{`sum by (downstream) (rate(bff_downstream_calls_total[$__rate_interval]))`, "{{downstream}}"}},
			},
			{
				title: "Failed calls, by downstream", unit: share,
				about:   "The share of calls that brought neither a value nor the certainty that there is none; cancelled ones left out.",
				queries: []query{shareBy("downstream", `bff_downstream_calls_total{`+noAnswer+`}`, `bff_downstream_calls_total{outcome!="cancelled"}`)},
			},
			{
				title: "Failed calls, by downstream and reason", unit: perSecond, draw: stacked,
				about:   "timeout: slow. upstream_error: broken. invalid_response: it says something else than was agreed. breaker_open and bulkhead_full: not asked, see below.",
				queries: []query{{`sum by (downstream, outcome) (rate(bff_downstream_calls_total{` + noAnswer + `}[$__rate_interval]))`, "{{downstream}} {{outcome}}"}},
			},
			{
				title: "Duration of attempts, 95th percentile", unit: seconds,
				about:   "One exchange, its body included, up to the attempt's timeout (BFF_X_TIMEOUT). Near that, calls end in timeout.",
				queries: []query{{`histogram_quantile(0.95, sum by (downstream, le) (rate(bff_downstream_attempt_duration_seconds_bucket[$__rate_interval])))`, "{{downstream}}"}},
			},
			{
				title: "Duration of attempts, 99th percentile", unit: seconds,
				about:   "Likewise, the slowest of a hundred.",
				queries: []query{{`histogram_quantile(0.99, sum by (downstream, le) (rate(bff_downstream_attempt_duration_seconds_bucket[$__rate_interval])))`, "{{downstream}}"}},
			},
			{
				title: "Absent and cancelled, by downstream", unit: perSecond,
				about:   "absent: the downstream knows no such product, which is an answer. cancelled: nobody needed one any more, because the caller left or the page had failed already.",
				queries: []query{{`sum by (downstream, outcome) (rate(bff_downstream_calls_total{outcome=~"absent|cancelled"}[$__rate_interval]))`, "{{downstream}} {{outcome}}"}},
			},
		}},
		{title: "Breakers", panels: []panel{
			{
				title: "Instances with an open breaker", unit: count, then: "bff-instances",
				about:   "They ask that downstream for nothing but probes. All of them: the downstream fails. A few: they have a network problem of their own.",
				queries: []query{{`sum by (downstream) (bff_breaker_state{state="open"})`, "{{downstream}}"}},
			},
			{
				title: "Instances that probe", unit: count,
				about:   "Their breaker is half-open: a few attempts at once, and three good ones close it.",
				queries: []query{{`sum by (downstream) (bff_breaker_state{state="half_open"})`, "{{downstream}}"}},
			},
			{
				title: "Breakers that moved", unit: count, draw: stacked,
				about:   "Changes of state on all instances, by the state that followed. A breaker that opens again and again has a downstream that answers probes and fails under load.",
				queries: []query{{`sum by (downstream, to) (increase(bff_breaker_transitions_total[$__rate_interval]))`, "{{downstream}} {{to}}"}},
			},
		}},
		{title: "Bulkheads", panels: []panel{
			{
				title: "Fullest bulkhead", unit: share, then: "bff-instances",
				about:   "Calls in flight as a share of the slots, on the instance where it is highest. It fills when the downstream becomes slow.",
				queries: []query{{`max by (downstream) (bff_bulkhead_in_flight / bff_bulkhead_limit)`, "{{downstream}}"}},
				colours: []colour{{"green", lowest}, {"red", 1}},
			},
			{
				title: "Calls in flight", unit: count,
				about:   "Calls of all instances that hold a slot: what the downstream has to carry at once.",
				queries: []query{{`sum by (downstream) (bff_bulkhead_in_flight)`, "{{downstream}}"}},
			},
			{
				title: "Calls that found no slot", unit: perSecond, draw: stacked,
				about:   "They were not made. The downstream is slow, or the bulkhead too small for the traffic.",
				queries: []query{{`sum by (downstream) (rate(bff_downstream_calls_total{outcome="bulkhead_full"}[$__rate_interval]))`, "{{downstream}}"}},
			},
		}},
		{title: "Retries, hedges and their budgets", perLine: 4, panels: []panel{
			{
				title: "Retries and hedges", unit: perSecond, draw: stacked,
				about:   "Attempts beyond the first. A downstream has retries or hedges, never both.",
				queries: []query{{`sum by (downstream, kind) (rate(bff_downstream_attempts_total{kind=~"retry|hedge"}[$__rate_interval]))`, "{{downstream}} {{kind}}"}},
			},
			{
				title: "Load added by them", unit: share,
				about:   "Attempts beyond the first, as a share of first ones. In an outage the budget holds it at 10 % and one a second.",
				queries: []query{shareBy("downstream", `bff_downstream_attempts_total{kind=~"retry|hedge"}`, `bff_downstream_attempts_total{kind="first"}`)},
			},
			{
				title: "Lowest retry budget", unit: count,
				about:   "Retries and hedges that are still allowed, on the instance where they are fewest. Ten at most; under one they are refused, which is the protection at work.",
				queries: []query{{`min by (downstream) (bff_retry_budget_tokens)`, "{{downstream}}"}},
				colours: []colour{{"red", lowest}, {"green", 1}},
			},
			{
				title: "Shared calls", unit: share,
				about:   "Calls that joined one that another page had begun, as a share of all: exchanges saved.",
				queries: []query{shareBy("downstream", `bff_coalesced_total`, `bff_downstream_calls_total`)},
			},
		}},
		{title: "Remembered prices", panels: []panel{
			{
				title: "Pages with a remembered price", unit: perSecond,
				about:   "The live price failed. Such a page is for the eyes alone: nothing can be bought from it.",
				queries: []query{{`sum(rate(bff_stale_price_age_seconds_count[$__rate_interval]))`, "pages"}},
			},
			{
				title: "Age of the remembered prices shown", unit: seconds,
				about:   "From the instant at which the price was asked for. None is shown that is older than BFF_PRICE_STALE_FOR (15 minutes): what is left of that is left of the pages.",
				queries: quantiles(`bff_stale_price_age_seconds_bucket`),
			},
			{
				title: "Reads, by result", unit: perSecond, draw: stacked,
				about:   "The memory is read only when the live price failed. hit: shown. miss and expired: the page fails. error and timeout: Redis. invalid: something else was found there.",
				queries: []query{{`sum by (result) (rate(bff_price_memory_total{op="get"}[$__rate_interval]))`, "{{result}}"}},
			},
			{
				title: "Writes, by result", unit: perSecond, draw: stacked,
				about:   "Off the response path. dropped: they came faster than Redis takes them. Failed writes harm nobody until the live price fails.",
				queries: []query{{`sum by (result) (rate(bff_price_memory_total{op="set"}[$__rate_interval]))`, "{{result}}"}},
			},
			{
				title: "Connections to Redis", unit: count,
				about:   "Of all instances. None where prices are remembered in the process.",
				queries: []query{{`sum by (state) (bff_redis_pool_connections)`, "{{state}}"}},
			},
			{
				title: "Connections to Redis asked for", unit: perSecond, draw: stacked,
				about:   "hit: an idle one. miss: a new one. timeout: none came free in time, Redis is too slow.",
				queries: []query{{`sum by (result) (rate(bff_redis_pool_gets_total[$__rate_interval]))`, "{{result}}"}},
			},
		}},
	},
}

// noAnswer is what a call came to that brought nothing.
const noAnswer = `outcome=~"timeout|upstream_error|invalid_response|breaker_open|bulkhead_full"`
