package config

import (
	"regexp"
	"strings"
	"time"

	"example.com/bff/internal/page"
)

const (
	prefix = "BFF_"
	ms     = time.Millisecond
)

// setting is one name of the environment: what it means and what it may be.
type setting struct {
	name    string
	meaning string
	rule    rule
}

// settings are the service's own names, after BFF_, in the order in which people are told them.
var settings = []setting{
	{"ADDR", "where the public listener listens", address},
	{"ADMIN_ADDR", "where the admin listener listens", address},
	{"DEADLINE", "for a whole page or offer, queueing included; a caller may only shorten it", within(50*ms, 30*time.Second)},
	{"REDIS_URL", "where prices are remembered, and rates counted, for all instances; empty: in this process", redisURL},
	{"PRICE_STALE_FOR", "how old a remembered price may be and still be shown", within(time.Second, 24*time.Hour)},
	{"CLIENTS", "values of `X-Client` that metrics tell apart", labels},
	{"MARKETS", "values of `X-Market` that metrics tell apart", labels},
	{"MAX_IN_FLIGHT", "pages and offers at once; under distress the limit falls, to a tenth at the least", within(1, 1_000_000)},
	{"RATE_LIMIT", "for each client; empty: none", rateLimit},
	{"TRUSTED_PROXIES", "peers whose word on a client's address, name and priority counts", proxies},
	{"PAGE_CACHE_CONTROL", "`Cache-Control` of a full page; empty: `private, no-cache`", headerValue},
	{"SERVER_TIMING", "whether answers carry `Server-Timing`", boolean},
	{"CORS_ORIGINS", "pages of which origins may read the answers in a browser", origins},
	{"DRAIN", "how long to go on serving after SIGTERM", within(0, 10*time.Minute)},
	{"LOG", "form of the log lines", oneOf("json", "text")},
	{"LOG_SAMPLE", "share of full pages that are logged; degraded and failed ones always are", within(0.0, 1.0)},
}

// downstreamSettings are the names of each downstream, after BFF_X_. The fields are those of downstreams.Settings.
var downstreamSettings = []setting{
	{"URL", "where it is asked, with the product's id for `{id}`", urlTemplate},
	{"TIMEOUT", "of one attempt, body included", within(ms, 30*time.Second).and("shorter than BFF_DEADLINE")},
	{"BULKHEAD", "calls at once", within(1, 100_000)},
	{"RETRIES", "after the first attempt", within(0, 5)},
	{"HEDGE_AFTER", "when a second attempt is sent beside the first; replaces the default retry", hedgeAfter},
	{"RETRY_BUDGET", "retries or hedges earned per call, beside one a second", within(0.0, 1.0)},
	{"BREAKER_FAILURE_RATE", "from which share of failed attempts the breaker opens", failureRate},
	{"BREAKER_MIN_CALLS", "attempts in the window without which it does not", within(1, 1_000_000)},
	{"BREAKER_WINDOW", "over which the rate is taken; it slides", within(100*ms, time.Hour)},
	{"BREAKER_COOLDOWN", "how long it stays open, times 1 to 1.25", within(10*ms, time.Hour)},
	{"BREAKER_PROBES", "probes at once after that, and successes in a row that close it", within(1, 1000)},
	{"COALESCE", "whether identical questions at the same time share one call", boolean},
	{"FRESH_FOR", "how long a good answer is served again without asking", within(0, 24*time.Hour).and("not for price and stock")},
	{"FORWARD_HEADERS", "request headers passed on, and part of the key under which an answer is shared", forwardHeaders},
}

func downstreamPrefix(d page.Dependency) string { return prefix + strings.ToUpper(d.String()) + "_" }

// names lists every full name, in the order in which people are told them.
func names() []setting {
	var all []setting
	for _, s := range settings {
		s.name = prefix + s.name
		all = append(all, s)
	}
	for _, d := range page.Dependencies {
		for _, s := range downstreamSettings {
			s.name = downstreamPrefix(d) + s.name
			all = append(all, s)
		}
	}
	return all
}

// A Service named bff, or bff-something, in the namespace of a pod puts these names into it.
var (
	ofService     = regexp.MustCompile(`^BFF_(SERVICE_.*|PORT|PORT_.*)$`)
	ofNamesake    = regexp.MustCompile(`^BFF_.+_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)
	ofPort        = regexp.MustCompile(`^BFF_.+_PORT$`)
	valueOfAnyone = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

func injectedByKubernetes(name, value string) bool {
	return ofService.MatchString(name) || ofNamesake.MatchString(name) ||
		ofPort.MatchString(name) && valueOfAnyone.MatchString(value)
}

// nearest is the known name that a mistyped one was most likely meant to be, or nothing.
func nearest(name string, known []setting) string {
	const longest = 64 // of a name worth comparing
	if len(name) > longest {
		return ""
	}
	best, near := (len(name)-len(prefix))/3+1, ""
	for _, s := range known {
		if d := distance(name, s.name); d < best {
			best, near = d, s.name
		}
	}
	return near
}

// distance counts the letters to add, drop or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
