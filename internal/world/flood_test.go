package world_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/world"
)

// flood sends requests that a test tells apart.
type flood struct {
	*world.World
	sent int
}

// kinds of request, by priority.
var kinds = map[string]struct{ path, header string }{
	"background": {"/products/p-%d", "background"},
	"default":    {"/products/p-%d", ""},
	"critical":   {"/products/p-%d/offer", ""},
}

// send sends n requests of a priority in this instant, and returns when each is where it has to wait, or answered.
func (f *flood) send(n int, priority string) (answers chan world.Answer) {
	answers = make(chan world.Answer, n)
	for range n {
		f.sent++
		path := fmt.Sprintf(kinds[priority].path, f.sent)
		go func() { answers <- f.Get(path, "X-Priority", kinds[priority].header) }()
	}
	synctest.Wait()
	return answers
}

// shed takes n answers, which must be there and be refusals that took so long.
func (f *flood) shed(answers chan world.Answer, n int, took time.Duration) {
	f.T.Helper()
	for range n {
		select {
		case a := <-answers:
			if a.Status != 503 || a.Type != "/problems/overloaded" || a.RetryAfter < 1 || a.Took != took {
				f.T.Errorf("after %v: %d %s", a.Took, a.Status, a.Body)
			}
		default:
			f.T.Errorf("not all of %d are refused yet", n)
			return
		}
	}
}

// waiting fails the test when one is answered already.
func (f *flood) waiting(answers chan world.Answer) {
	f.T.Helper()
	if len(answers) > 0 {
		f.T.Errorf("%d are answered: %+v", len(answers), <-answers)
	}
}

// served takes n answers, all of them good, and there within a page's time.
func (f *flood) served(answers chan world.Answer, n int) {
	f.T.Helper()
	over := time.After(deadline)
	for range n {
		select {
		case a := <-answers:
			if a.Status != 200 {
				f.T.Errorf("%d %s", a.Status, a.Body)
			}
		case <-over:
			f.T.Errorf("not all of %d are answered", n)
			return
		}
	}
}

func TestAFloodShedsBackgroundFirstAndOffersLast(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &flood{World: world.Setup{Env: []string{"BFF_MAX_IN_FLIGHT=40"}, Fakes: steady(90 * ms)}.Start(t)}
		crawlers := f.send(30, "background") // three quarters are open to them
		oneMore := f.send(1, "background")
		readers := f.send(10, "default")
		time.Sleep(80 * ms)
		f.shed(oneMore, 1, 20*ms)

		// The 40 places are free 10 ms later, before anybody is too old for the queue.
		lateCrawlers := f.send(10, "background")
		f.waiting(lateCrawlers)
		f.shed(f.send(1, "background"), 1, 0)

		moreReaders := f.send(4, "default")
		f.shed(lateCrawlers, 4, 0)
		offers := f.send(7, "critical")
		f.shed(lateCrawlers, 6, 0) // the last of them
		f.shed(moreReaders, 1, 0)
		moreOffers := f.send(3, "critical")
		f.shed(moreReaders, 3, 0)
		for _, priority := range []string{"background", "default", "critical"} {
			f.shed(f.send(2, priority), 2, 0) // ten offers wait: nobody gives way
		}
		f.waiting(offers)
		for _, host := range []string{world.Public, world.Admin} {
			for _, path := range []string{"/livez", "/readyz"} {
				if a := f.Do(t.Context(), http.MethodGet, host, path); a.Status != 200 || a.Took != 0 {
					t.Errorf("%s%s: %d after %v", host, path, a.Status, a.Took)
				}
			}
		}
		m := f.Scrape()
		for priority, shed := range map[string]float64{"background": 13, "default": 6, "critical": 2} {
			if got := m.Sum("bff_shed_total", `reason="full"`, `priority="`+priority+`"`); got != shed {
				t.Errorf("%s: %v are counted as shed, not %v", priority, got, shed)
			}
		}
		if m["bff_in_flight"] != 40 || calls(f.World, "stock") != 40 {
			t.Errorf("%v in flight, %d calls to stock", m["bff_in_flight"], calls(f.World, "stock"))
		}
		f.served(crawlers, 30)
		f.served(readers, 10)
		f.served(offers, 7)
		f.served(moreOffers, 3)
		if n := calls(f.World, "stock"); n != 50 {
			t.Errorf("%d calls to stock for the 50 that were served", n)
		}
		idle(t, f.World)
	})
}

func TestNobodyWaitsInTheQueueForLong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &flood{World: world.Setup{Env: []string{"BFF_MAX_IN_FLIGHT=8"}, Fakes: steady(100 * ms)}.Start(t)}
		first := f.send(8, "critical")
		late := f.send(2, "critical")
		time.Sleep(20 * ms)
		synctest.Wait()
		f.shed(late, 2, 20*ms)
		f.served(first, 8)
		if m := f.Scrape(); m.Sum("bff_shed_total", `reason="age"`, `priority="critical"`) != 2 || m.Sum("bff_offer_requests_total", `outcome="shed"`) != 2 {
			t.Errorf("%v are counted as too old", m.Sum("bff_shed_total", `reason="age"`))
		}
	})
}

func TestOfAFloodEverythingIsCountedToOne(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			bubble(t, func(t *testing.T) { randomFlood(t, rand.New(rand.NewPCG(seed, 6))) })
		})
	}
}

// randomFlood compares what clients saw with what the service counts.
func randomFlood(t *testing.T, r *rand.Rand) {
	const requests = 200
	w := world.Setup{Env: []string{"BFF_MAX_IN_FLIGHT=8"}, Fakes: steady(60 * ms), Quiet: true}.Start(t)
	names := []string{"background", "default", "critical"}
	priorities, allowed, patience := make([]string, requests), make([]string, requests), make([]time.Duration, requests)
	for i := range requests {
		priorities[i], allowed[i], patience[i] = names[r.IntN(3)], fmt.Sprint(25+r.IntN(100)), time.Hour
		if r.IntN(10) == 0 {
			patience[i] = time.Duration(1+r.IntN(50))*ms + ms/2 // between what else happens
		}
	}
	seen := map[string]float64{} // by the series that has to count it
	for i, a := range w.Every(2*ms, 2*ms*requests, func(i int) world.Answer {
		ctx, cancel := context.WithTimeout(t.Context(), patience[i])
		defer cancel()
		kind := kinds[priorities[i]]
		return w.Do(ctx, http.MethodGet, world.Public, fmt.Sprintf(kind.path, i), "X-Priority", kind.header, "X-Request-Timeout-Ms", allowed[i])
	}) {
		resource := map[bool]string{true: "bff_offer_requests_total", false: "bff_page_requests_total"}[priorities[i] == "critical"]
		outcome := outcomeOf(a)
		if outcome == "shed" {
			seen["bff_shed_total "+priorities[i]]++
			if priorities[i] == "background" {
				outcome = "shed_background"
			}
		}
		seen[resource+" "+outcome]++
	}
	synctest.Wait()
	m := w.Scrape()
	total := 0.0
	for _, resource := range []string{"bff_page_requests_total", "bff_offer_requests_total"} {
		for _, outcome := range []string{"full", "shed", "shed_background", "deadline", "cancelled"} {
			counted := m.Sum(resource, `outcome="`+outcome+`"`)
			if total += counted; counted != seen[resource+" "+outcome] {
				t.Errorf("%s %s: %v counted, %v seen", resource, outcome, counted, seen[resource+" "+outcome])
			}
		}
	}
	for _, name := range names {
		counted, saw := m.Sum("bff_shed_total", `priority="`+name+`"`), seen["bff_shed_total "+name]
		if counted != saw || saw == 0 {
			t.Errorf("shed of %s: %v counted, %v seen", name, counted, saw)
		}
	}
	if total != requests || m["bff_in_flight"] != 0 {
		t.Errorf("%v of %d are counted, %v in flight", total, requests, m["bff_in_flight"])
	}
}

// outcomeOf is what a client thinks that its request was counted as.
func outcomeOf(a world.Answer) string {
	switch {
	case a.Err != nil:
		return "cancelled"
	case a.Status == 200 && !a.Degraded: // here nothing but the caller's own end can degrade a page
		return "full"
	case a.Type == "/problems/overloaded", a.Type == "/problems/deadline-exhausted":
		return "shed"
	}
	return "deadline"
}
