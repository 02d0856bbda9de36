package main

var instances = dashboard{
	uid: "bff-instances", title: "4 Instances",
	about: "Each instance beside the others: is one alone in its trouble? Then take it out, keep a profile from /debug/pprof/, and restart it.",
	rows: []row{
		{title: "Instances", perLine: 5, panels: []panel{
			{
				title: "Versions", unit: count, draw: list,
				about:   "How many instances run which build. Two versions: a deploy is under way, or stuck.",
				queries: []query{{`count by (version, revision, goversion) (bff_build_info)`, "{{version}}"}},
			},
			{
				title: "Up, per instance", unit: yesOrNo,
				about:   "Whether the last scrape came through.",
				queries: []query{{`up{job="bff"}`, "{{instance}}"}},
			},
			{
				title: "Running for, per instance", unit: seconds,
				about:   "Since the process began. A restart forgets breakers and, without Redis, remembered prices.",
				queries: []query{{`time() - process_start_time_seconds{job="bff"}`, "{{instance}}"}},
			},
			{
				title: "Log lines lost, per instance", unit: perSecond,
				about:   "Lines that standard output did not take: whatever reads the log is too slow, or its disk is full.",
				queries: []query{{`rate(bff_log_lines_lost_total[$__rate_interval])`, "{{instance}}"}},
				colours: []colour{{"green", lowest}, {"red", 0.001}},
			},
			{
				title: "Duration of scrapes, per instance", unit: seconds,
				about:   "How long it takes an instance to tell its metrics. It grows when the process lacks CPU.",
				queries: []query{{`scrape_duration_seconds{job="bff"}`, "{{instance}}"}},
			},
		}},
		{title: "Traffic", panels: []panel{
			{
				title: "Pages, per instance", unit: perSecond,
				about:   "They differ when the balancer favours one, or leaves one out.",
				queries: []query{{`sum by (instance) (rate(bff_page_requests_total[$__rate_interval]))`, "{{instance}}"}},
			},
			{
				title: "Failed pages, per instance", unit: share,
				about:   "The share of counted pages that were unavailable, shed or an error.",
				queries: []query{shareBy("instance", `bff_page_requests_total{`+failed+`}`, `bff_page_requests_total{`+counted+`}`)},
			},
			{
				title: "Duration of answered pages, 99th percentile per instance", unit: seconds, traces: true,
				about:   "From handler entry to the answer.",
				queries: []query{{`histogram_quantile(0.99, sum by (instance, le) (rate(bff_page_duration_seconds_bucket{` + served + `}[$__rate_interval])))`, "{{instance}}"}},
				colours: []colour{{"green", lowest}, {"red", 0.5}},
			},
			{
				title: "In flight, per instance", unit: count,
				about:   "Pages and offers being answered.",
				queries: []query{{`bff_in_flight`, "{{instance}}"}},
			},
			{
				title: "How many may be in flight, per instance", unit: count,
				about:   "BFF_MAX_IN_FLIGHT, or less while the process is in distress: its goroutines wait for a processor.",
				queries: []query{{`bff_in_flight_limit`, "{{instance}}"}},
			},
			{
				title: "Open breakers, per instance", unit: count, then: "bff-downstreams",
				about:   "Of five. One instance alone with them has a network problem of its own.",
				queries: []query{{`sum by (instance) (bff_breaker_state{state="open"})`, "{{instance}}"}},
			},
		}},
		{title: "Runtime", panels: []panel{
			{
				title: "CPU, per instance", unit: cores,
				about:   "Processor seconds a second, against what the process may use.",
				queries: []query{{`rate(process_cpu_seconds_total{job="bff"}[$__rate_interval])`, "{{instance}}"}},
			},
			{
				title: "Resident memory, per instance", unit: octets,
				about:   "What the container's limit counts.",
				queries: []query{{`process_resident_memory_bytes{job="bff"}`, "{{instance}}"}},
			},
			{
				title: "Heap in use, per instance", unit: octets,
				about:   "Live objects and garbage not yet swept. Remembered prices are in it where there is no Redis: up to 64 MiB.",
				queries: []query{{`go_memstats_heap_inuse_bytes{job="bff"}`, "{{instance}}"}},
			},
			{
				title: "Goroutines, per instance", unit: count,
				about:   "In proportion to what is in flight. Growth that outlives the traffic is a leak.",
				queries: []query{{`go_goroutines{job="bff"}`, "{{instance}}"}},
			},
			{
				title: "Longest pause of garbage collection, per instance", unit: seconds,
				about:   "The longest stop of the world that the process remembers.",
				queries: []query{{`max by (instance) (go_gc_duration_seconds{job="bff"})`, "{{instance}}"}},
			},
			{
				title: "Open files, per instance", unit: share,
				about:   "Of those that the process may have, connections included.",
				queries: []query{{`process_open_fds{job="bff"} / process_max_fds{job="bff"}`, "{{instance}}"}},
				colours: []colour{{"green", lowest}, {"red", 0.8}},
			},
		}},
	},
}
