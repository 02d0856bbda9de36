package rules

import (
	"fmt"
	"time"
)

// serviceAlerts are about causes. Only absence wakes people: whatever else hurts a page burns a budget.
func (s scale) serviceAlerts() group {
	recently, lately := s.of(time.Minute), s.of(5*time.Minute)
	g := group{Name: "bff-service", Interval: s.of(evaluateEvery)}
	for _, a := range [...]struct{ alert, severity, expr, summary, description string }{
		{
			"BffAbsent", page, `absent(bff_page_requests_total)`,
			"No instance of the service tells its metrics",
			"Prometheus has no sample of bff_page_requests_total: every instance is down, or none can be scraped. No other alert about the service can fire meanwhile.",
		},
		{
			"BffInstanceDown", ticket, `up{job="bff"} == 0`,
			"Instance {{ $labels.instance }} cannot be scraped",
			"The last scrapes of {{ $labels.instance }} failed: it is down, or its admin listener cannot be reached.",
		},
		{
			"BffBreakerOpen", ticket,
			fmt.Sprintf(`max by (downstream) (max_over_time(bff_breaker_state{state="open"}[%s])) == 1`, recently),
			"The breaker of {{ $labels.downstream }} is open",
			"On at least one instance {{ $labels.downstream }} keeps failing, and is not asked but for probes.",
		},
		{
			"BffBulkheadFull", ticket,
			fmt.Sprintf(`sum by (downstream) (increase(bff_downstream_calls_total{outcome="bulkhead_full"}[%s])) >= %d`, lately, fewest),
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
			"BffStalePrices", ticket,
			fmt.Sprintf(`sum(increase(bff_stale_price_age_seconds_count[%s])) >= %d`, lately, fewest),
			"Pages show remembered prices",
			"About {{ $value | humanize }} pages showed a remembered price in 5m: the live one fails. Nothing can be bought from them.",
		},
	} {
		g.Rules = append(g.Rules, rule{
			Alert: a.alert, Expr: a.expr, For: s.of(2 * time.Minute),
			Labels:      map[string]string{"severity": a.severity},
			Annotations: annotations(a.alert, a.summary, a.description),
		})
	}
	return g
}
