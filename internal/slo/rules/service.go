package rules

import (
	"fmt"
	"time"
)

// restarts is how often an instance begins anew, in the window for it, before that is a crash loop and no deploy.
const restarts = 3

// hold is how long a cause must be there before anybody is told.
const hold = 2 * time.Minute

// goesOn is that something happened more than a few times lately, and has not ended: what lasted for seconds is over
// before anybody could look.
func (s scale) goesOn(by, counter string) string {
	return fmt.Sprintf("sum %[1]s(increase(%[2]s[%[3]s])) >= %[4]d\nand\nsum %[1]s(increase(%[2]s[%[5]s])) > 0",
		by, counter, s.of(5*time.Minute), fewest, s.of(hold))
}

// serviceAlerts are about causes. Only that nobody runs wakes people: whatever else hurts a page burns a budget. Where
// something may come and go, it is looked for in a window: a wait alone begins anew whenever it is gone for one scrape.
func (s scale) serviceAlerts() group {
	recently, lately := s.of(time.Minute), s.of(5*time.Minute)
	half := s.shorten(5*time.Minute) / s.shorten(evaluateEvery) / 2 // of the evaluations in lately
	down := func(up string) string {
		return fmt.Sprintf("count_over_time((%s == 0)[%s:%s]) >= %d", up, lately, s.of(evaluateEvery), half)
	}
	restarting := fmt.Sprintf(`changes(process_start_time_seconds{job="bff"}[%s]) >= %d`, s.of(15*time.Minute), restarts)
	g := group{Name: "bff-service", Interval: s.of(evaluateEvery)}
	for _, a := range [...]struct{ alert, severity, expr, summary, description string }{
		{
			"BffAbsent", page, "absent(bff_page_requests_total)\nor\n" + down(`max(up{job="bff"})`),
			"No instance of the service tells its metrics",
			"Prometheus has no sample of bff_page_requests_total, or had none for half of the last 5m: every instance is down, or none can be scraped. No other alert about the service can be relied on meanwhile.",
		},
		{
			"BffInstanceDown", ticket, down(`up{job="bff"}`),
			"Instance {{ $labels.instance }} cannot be scraped",
			"For half of the last 5m {{ $labels.instance }} could not be scraped: it is down, or its admin listener cannot be reached.",
		},
		{
			"BffRestarting", ticket, restarting,
			"Instance {{ $labels.instance }} begins again and again",
			"{{ $labels.instance }} began anew {{ $value }} times in 15m. Each end cuts off what was in flight, and no metric tells of that.",
		},
		{
			"BffRestarting", page, fmt.Sprintf(`count(%s) > 0.5 * count(up{job="bff"})`, restarting),
			"Most instances of the service begin again and again",
			"{{ $value }} instances began anew at least 3 times each in 15m. Each end cuts off what was in flight, and no metric tells of that.",
		},
		{
			"BffBreakerOpen", ticket,
			fmt.Sprintf(`max by (downstream) (max_over_time(bff_breaker_state{state="open"}[%s])) == 1`, recently),
			"The breaker of {{ $labels.downstream }} is open",
			"On at least one instance {{ $labels.downstream }} keeps failing, and is not asked but for probes.",
		},
		{
			"BffBulkheadFull", ticket,
			s.goesOn("by (downstream) ", `bff_downstream_calls_total{outcome="bulkhead_full"}`),
			"The bulkhead of {{ $labels.downstream }} is full",
			"About {{ $value | humanize }} calls to {{ $labels.downstream }} found no slot in 5m: it is slow, or its bulkhead is too small for the traffic.",
		},
		{
			"BffRetryBudgetSpent", ticket,
			fmt.Sprintf(`min by (downstream) (avg_over_time(bff_retry_budget_tokens[%s])) < 1`, recently),
			"The retry budget of {{ $labels.downstream }} is spent",
			"On at least one instance so many attempts at {{ $labels.downstream }} fail that retries are refused.",
		},
		{
			"BffPriceMemoryFails", ticket,
			s.goesOn("by (op) ", `bff_price_memory_total{result=~"error|timeout|dropped"}`),
			"Remembered prices cannot be {{ if eq $labels.op \"get\" }}read{{ else }}written{{ end }}",
			"About {{ $value | humanize }} of them in 5m. Redis is down, slow or full. Pages are well while live prices come; when they fail, pages fail with them.",
		},
		{
			"BffStalePrices", ticket,
			s.goesOn("", "bff_stale_price_age_seconds_count"),
			"Pages show remembered prices",
			"About {{ $value | humanize }} pages showed a remembered price in 5m: the live one fails. Nothing can be bought from them.",
		},
	} {
		g.Rules = append(g.Rules, rule{
			Alert: a.alert, Expr: a.expr, For: s.of(hold),
			Labels:      map[string]string{"severity": a.severity},
			Annotations: annotations(a.alert, a.summary, a.description),
		})
	}
	return g
}
