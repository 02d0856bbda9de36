package chaos

import (
	"bytes"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// glance compares the service's own gauges with its limits, in the middle of everything.
func (r *run) glance() {
	m := r.w.Scrape()
	for _, name := range fakes.Names() {
		if n := m.InFlight(name); n > float64(r.config.bulkhead[name]) {
			r.stage.violate("in flight", "%v calls hold the bulkhead of %s, which has %d slots", n, name, r.config.bulkhead[name])
		}
		if m.Breaker(name) == "none" {
			r.stage.violate("every counter adds up", "the breaker of %s is in no state, or in several", name)
		}
	}
	if n := m["bff_in_flight"]; n > float64(r.config.inFlight) {
		r.stage.violate("in flight", "%v pages and offers, more than %d", n, r.config.inFlight)
	}
}

// settle waits until nothing is under way.
func (r *run) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// audit checks that all that was counted agrees with what was seen here, and that everything has come to rest.
func (r *run) audit() {
	m, stats := r.w.Scrape(), r.w.Fakes.Stats()
	var everyOne tally
	for i := range r.exchanges {
		everyOne.add(&r.exchanges[i])
	}
	r.auditAnswers(m, everyOne)
	r.auditLimits(m)
	r.auditSheds(m)
	for _, name := range fakes.Names() {
		r.atRest(m, name, stats[name])
		r.auditCalls(m, everyOne, name)
		r.auditAttempts(m, name, stats[name])
	}
	if r.redis != nil && m.Sum("bff_redis_pool_gets_total") == 0 {
		r.stage.violate("the world's own", "Redis was never asked")
	}
	if n := m["bff_in_flight"]; n != 0 {
		r.stage.violate("nothing leaks", "%v pages are in flight", n)
	}
}

func (r *run) adds(what string, counted float64, least, most int) {
	if counted < float64(least) || counted > float64(most) {
		r.stage.violate("every counter adds up", "%s: %v counted, %d to %d seen", what, counted, least, most)
	}
}

func (r *run) atRest(m world.Metrics, name string, s fakes.Stats) {
	if m.Breaker(name) != "closed" {
		r.stage.violate("clean within two cool-downs", "the breaker of %s is %s", name, m.Breaker(name))
	}
	if m.InFlight(name) != 0 || s.InFlight != 0 || s.Queued != 0 || r.taps[name].open != 0 {
		r.stage.violate("nothing leaks", "%s: %v slots are held, %d requests worked on, %d waiting", name, m.InFlight(name), s.InFlight, s.Queued)
	}
}

// auditAnswers compares the counters of answers with the answers.
func (r *run) auditAnswers(m world.Metrics, seen tally) {
	for _, resource := range []string{"page", "offer"} {
		series := "bff_" + resource + "_requests_total"
		for _, client := range []string{"web", "mobile", "other"} {
			of, label := resource+"|"+client, `client="`+client+`"`
			for _, outcome := range outcomes {
				least, most := seen.certain[of+"|"+outcome], seen.certain[of+"|"+outcome]+seen.possible[of+"|"+outcome]
				r.adds(of+" "+outcome, m.Sum(series, label, `outcome="`+outcome+`"`), least, most)
			}
			r.adds(of, m.Sum(series, label), seen.requests[of], seen.requests[of])
		}
		all := m.Sum(series)
		r.adds("log lines of "+resource+"s", all, strings.Count(r.w.Log.String(), `"msg":"`+resource+`"`), int(all))
		r.adds(resource+"s timed", m.Sum("bff_"+resource+"_duration_seconds_count"), int(all), int(all))
	}
	shed := 0
	for _, series := range []string{"bff_page_requests_total", "bff_offer_requests_total"} {
		shed += int(m.Sum(series, `outcome="shed"`) + m.Sum(series, `outcome="shed_background"`))
	}
	r.adds("shed, by reason", m.Sum("bff_shed_total"), shed, shed)
	r.adds("stale prices", m["bff_stale_price_age_seconds_count"], seen.stale, seen.stale+seen.left)
	r.adds("prices recalled", m.Sum("bff_price_memory_total", `op="get"`, `result="hit"`), seen.stale, seen.requests[""])
}

// auditCalls compares the counters of calls with what Server-Timing told callers.
func (r *run) auditCalls(m world.Metrics, seen tally, name string) {
	for _, outcome := range callOutcomes {
		n := seen.calls[name+"|"+outcome]
		r.adds(name+" "+outcome, m.Sum("bff_downstream_calls_total", `downstream="`+name+`"`, `outcome="`+outcome+`"`), n, n+seen.left)
	}
}

// auditAttempts holds retries and hedges to their budget. What the downstream saw is no more than the attempts that are
// counted: nothing is sent behind the back of breaker and budget.
func (r *run) auditAttempts(m world.Metrics, name string, s fakes.Stats) {
	const bucket, perSecond = 10, 1
	first, again := attempts(m, name, "first"), again(m, name)
	if most := r.config.ratio*first + bucket + perSecond*r.now().Seconds(); again > most {
		r.stage.violate("the retry budget", "%s: %v first attempts, %v more; %v are allowed", name, first, again, most)
	}
	if calls := m.Sum("bff_downstream_calls_total", `downstream="`+name+`"`); first > calls {
		r.stage.violate("every counter adds up", "%s: %v calls, %v first attempts", name, calls, first)
	}
	ended := s.Abandoned + s.Cut
	for _, n := range s.Answered {
		ended += n
	}
	r.adds("ends of calls to "+name, float64(s.Calls), ended, ended)
	r.adds("attempts at "+name, first+again, r.taps[name].arrivals, math.MaxInt)
}

// again is how many attempts were retries and hedges.
func again(m world.Metrics, name string) float64 {
	return attempts(m, name, "retry") + attempts(m, name, "hedge")
}

func attempts(m world.Metrics, name, kind string) float64 {
	return m.Sum("bff_downstream_attempts_total", `downstream="`+name+`"`, `kind="`+kind+`"`)
}

// lookForLeaks is for when everything has been closed.
func (r *run) lookForLeaks() {
	time.Sleep(5 * time.Minute) // longer than anything keeps a connection that nobody uses
	synctest.Wait()
	for _, addr := range append([]string{world.Public, world.Admin}, withPort(fakes.Names())...) {
		if n := r.w.Net.Open(addr); n > 0 {
			r.stage.violate("nothing leaks", "%d connections to %s are open", n, addr)
		}
	}
	if others := goroutines(r.label()); others != "" {
		r.stage.violate("nothing leaks", "goroutines:\n%s", others)
	}
}

func withPort(names []string) (all []string) {
	for _, name := range names {
		all = append(all, name+":80")
	}
	return all
}

// Label is what the goroutine of a run must be labelled with, under this key: those that it starts inherit it.
const Label = "chaos"

func (r *run) label() string { return fmt.Sprintf("%q", fmt.Sprint(r.Seed)) }

// goroutines are the stacks of those with a label, but for the one that asks.
func goroutines(label string) string {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // to memory
	stacks := strings.Split(profile.String(), "\n\n")
	stacks = slices.DeleteFunc(stacks, func(stack string) bool {
		return !strings.Contains(stack, `"`+Label+`":`+label) || strings.Contains(stack, "chaos.goroutines")
	})
	return strings.Join(stacks, "\n\n")
}
