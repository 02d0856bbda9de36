package world_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// lever asks the admin listener for a change of what is overridden, as an operator's curl does.
func lever(t *testing.T, w *world.World, method, target, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+world.Admin+"/override/"+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d", method, target, resp.StatusCode)
	}
}

func calls(w *world.World, downstream string) int { return w.Fakes.Stats()[downstream].Calls }

func TestACallToAnOverriddenDownstreamIsRefusedAsByAnOpenBreaker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		want(t, w.Get("/products/p-1"), 200) // a price to remember
		for _, name := range []string{"recommendations", "price"} {
			lever(t, w, http.MethodPut, name, `{"mode":"open","for":"10m","reason":"r"}`)
		}
		w.Fakes.ResetStats()
		a := w.Get("/products/p-1")
		want(t, a, 200)
		for name, status := range map[string]string{"recommendations": "unavailable", "price": "stale"} {
			if s := a.Sections[name]; s.Status != status || s.Reason != "breaker_open" || calls(w, name) != 0 {
				t.Errorf("%s: %+v after %d calls", name, s, calls(w, name))
			}
			if state := w.Scrape().Breaker(name); state != "closed" {
				t.Errorf("the breaker of %s is %s", name, state)
			}
		}
		time.Sleep(4 * time.Minute)
		offer := w.Get("/products/p-1/offer")
		want(t, offer, 503)
		if d := offer.Dependencies; len(d) != 1 || d[0].Name != "price" || d[0].Reason != "breaker_open" || offer.Took != 0 {
			t.Errorf("took %v: %s", offer.Took, offer.Body)
		}
		if offer.RetryAfter < 360 || offer.RetryAfter > 362 { // what is left, and the spread
			t.Errorf("Retry-After %d", offer.RetryAfter)
		}
		lever(t, w, http.MethodDelete, "recommendations", "")
		if s := w.Get("/products/p-1").Sections["recommendations"]; s.Status != "ok" {
			t.Errorf("taken back: %+v", s)
		}
		time.Sleep(6 * time.Minute)
		if a := w.Get("/products/p-1"); a.Degraded {
			t.Errorf("after its end: %s", a.Body)
		}
	})
}

func TestAnOverrideCostsNeitherBreakersNorMemory(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_PRICE_COALESCE=false")
		want(t, w.Get("/products/p-1"), 200)
		w.Fault("price", fakes.Fault{Status: 500})
		w.Every(10*ms, 300*ms, func(int) world.Answer { return w.Get("/products/p-1") })
		breaker := func() string { synctest.Wait(); return w.Scrape().Breaker("price") }
		if got := breaker(); got != "open" {
			t.Fatalf("the breaker is %s", got)
		}
		lever(t, w, http.MethodPut, "price", `{"mode":"open","for":"5m","reason":"r"}`)
		w.Every(30*time.Second, 6*time.Minute, func(i int) world.Answer {
			if a := w.Get("/products/p-1"); a.Status != 200 || !a.Price.Stale {
				t.Errorf("page %d: %d %s", i, a.Status, a.Body)
			}
			if got := breaker(); i < 10 && got != "open" {
				t.Errorf("after page %d the breaker is %s", i, got)
			}
			return world.Answer{}
		})
		if w.Scrape().Sum("bff_breaker_transitions_total", `downstream="price"`, `to="half_open"`) == 0 {
			t.Error("the breaker did not probe when the override was over")
		}
	})
}

func TestRetriesAreTurnedOffLive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t, "BFF_CATALOG_BREAKER_MIN_CALLS=100000")
		w.Fault("catalog", fakes.Fault{Status: 503})
		retries := func() float64 {
			return w.Scrape().Sum("bff_downstream_attempts_total", `downstream="catalog"`, `kind="retry"`)
		}
		pages := func() (made float64) {
			before := retries()
			w.Every(100*ms, 4*time.Second, func(i int) world.Answer { return w.Get(product(i)) })
			return retries() - before
		}
		if made := pages(); made < 5 {
			t.Fatalf("%v retries of 40 pages", made)
		}
		lever(t, w, http.MethodPut, "catalog", `{"mode":"no-retry","for":"1h","reason":"r"}`)
		w.Fakes.ResetStats()
		if made := pages(); made != 0 || calls(w, "catalog") != 40 {
			t.Errorf("%v retries, %d calls of 40 pages", made, calls(w, "catalog"))
		}
		lever(t, w, http.MethodDelete, "catalog", "")
		if made := pages(); made < 5 {
			t.Errorf("taken back: %v retries", made)
		}
	})
}

func TestAThirdIsShedLive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		lever(t, w, http.MethodPut, "shed", `{"percent":30,"priority":"default","for":"10m","reason":"r"}`)
		kinds := []struct {
			path, priority string
			shed           int
		}{
			{"/products/p-%d", "background", 30},
			{"/products/p-%d", "default", 30},
			{"/products/p-%d/offer", "critical", 0},
		}
		ask := func(i int) world.Answer {
			kind := kinds[i%len(kinds)]
			return w.Get(fmt.Sprintf(kind.path, i), "X-Priority", kind.priority)
		}
		shed := make([]int, len(kinds))
		for i, a := range w.Every(10*ms, 3*time.Second, ask) {
			if a.Status == 503 && a.Type == "/problems/overloaded" && a.Took == 0 && a.RetryAfter >= 1 {
				shed[i%len(kinds)]++
			} else if a.Status != 200 {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		}
		m := w.Scrape()
		for i, kind := range kinds {
			counted := m.Sum("bff_shed_total", `reason="override"`, `priority="`+kind.priority+`"`)
			if shed[i] != kind.shed || counted != float64(kind.shed) {
				t.Errorf("%s: of a hundred %d are shed, and %v counted", kind.priority, shed[i], counted)
			}
		}
		if made := calls(w, "stock"); made != 240 {
			t.Errorf("%d calls to stock for 240 that were not shed", made)
		}
		time.Sleep(10 * time.Minute)
		for i, a := range w.All(30, ask) {
			if a.Status != 200 {
				t.Errorf("after its end request %d: %d", i, a.Status)
			}
		}
	})
}

func TestOverridesAreToldToWhomeverLooks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := world.Start(t)
		active := func(wanted float64) {
			t.Helper()
			m := w.Scrape()
			for _, series := range []string{
				`bff_override_active{mode="no-retry",target="stock"}`, `bff_override_active{mode="critical",target="shed"}`,
			} {
				if got, there := m[series]; !there || got != wanted {
					t.Errorf("%s is %v (there: %v), want %v", series, got, there, wanted)
				}
			}
			if got := m.Sum("bff_override_active"); got != 2*wanted {
				t.Errorf("%v in force", got)
			}
		}
		active(0)
		lever(t, w, http.MethodPut, "stock", `{"mode":"no-retry","for":"10m","reason":"they asked for it"}`)
		lever(t, w, http.MethodPut, "shed", `{"percent":1,"priority":"critical","for":"10m","reason":"to see"}`)
		active(1)
		list := w.Do(t.Context(), http.MethodGet, world.Admin, "/override")
		want(t, list, 200)
		for _, told := range []string{`"target":"stock","mode":"no-retry","reason":"they asked for it"`, `"percent":1`, `"leftMs":600000`} {
			if !strings.Contains(string(list.Body), told) {
				t.Errorf("%s is not in %s", told, list.Body)
			}
		}
		time.Sleep(10*time.Minute + ms)
		active(0)
		for _, line := range []string{"override set", "override is over"} {
			if n := strings.Count(w.Log.String(), line); n != 2 {
				t.Errorf("%q is logged %d times", line, n)
			}
		}
		want(t, w.Do(t.Context(), http.MethodDelete, world.Public, "/override/stock"), 404)
	})
}
