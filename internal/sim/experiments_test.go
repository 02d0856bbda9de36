//go:build !race

// Under the race detector these would take minutes, and teach nothing that the other packages' tests do not.

package sim_test

import (
	"math"
	"testing"
	"time"

	"example.com/bff/internal/sim"
)

func TestMetastableFailure(t *testing.T) {
	o := outage(
		sim.Outage{Before: 10 * time.Second, Slow: time.Minute, After: time.Minute},
		sim.Outage{Before: 20 * time.Second, Slow: 6 * time.Minute, After: 2 * time.Minute},
	)
	naive := bubble(t, func(t *testing.T) sim.Metastable { return sim.NaiveMetastable(t, o) })
	if naive.Recovery != sim.Never || naive.After > 0 || naive.LoadAfter < 3 {
		t.Errorf("%+v is not kept down for ever", naive)
	}
	all := []sim.Metastable{naive}
	for _, l := range sim.Stacks() {
		all = append(all, bubble(t, func(t *testing.T) sim.Metastable { return sim.OwnMetastable(t, o, l) }))
	}
	service, without := all[1], all[len(all)-1]
	if service.Peak > 1.1+sim.BucketShare || service.LoadDuring > 1.1 || service.Recovery == sim.Never || service.Recovery > 10*time.Second {
		t.Errorf("%+v", service)
	}
	if without.Recovery != sim.Never {
		t.Errorf("%+v recovers: then the layers are worth nothing", without)
	}
	publish(t, sim.MetastableTable(all))
}

func TestTheEvening(t *testing.T) {
	o := outage(
		sim.Outage{Before: 5 * time.Second, Slow: 20 * time.Second, After: 5 * time.Second},
		sim.Outage{Before: 30 * time.Second, Slow: 10 * time.Minute, After: 30 * time.Second},
	)
	service := bubble(t, func(t *testing.T) []sim.Evening { return sim.OwnEvening(t, o) })
	const bulkhead, deadline = 64, 450 * ms
	for _, e := range service {
		if e.Answered < 1 || e.OffersAnswered < 1 || e.P99 > deadline || e.MostHeld > bulkhead {
			t.Errorf("%+v", e)
		}
		if untouched := service[0].OffersP99; e.OffersP99 > untouched+ms {
			t.Errorf("offers' p99 was %v before: %+v", untouched, e)
		}
	}
	if usual, after := service[0].Degraded, service[2].Degraded; after > usual+0.05 {
		t.Errorf("%v of the pages lacked something before, %v after", usual, after)
	}
	o.Slow = min(o.Slow, time.Minute)
	onePool := bubble(t, func(t *testing.T) []sim.Evening { return sim.OnePoolEvening(t, o) })
	if slow := onePool[1]; slow.Answered > 0.1 {
		t.Errorf("without layers it would be as well: %+v", slow)
	}
	publish(t, sim.EveningTable(append(service, onePool...)))
}

func TestAmplification(t *testing.T) {
	tiers := bubble(t, func(t *testing.T) sim.Amplification { return sim.ThreeTiers(t) })
	if tiers.Factor() != 64 {
		t.Errorf("%+v", tiers)
	}
	const long = 20 * time.Second
	service := bubble(t, func(t *testing.T) sim.Amplification { return sim.OwnTiers(t, "this service", long) })
	if service.Factor() >= 1.1 {
		t.Errorf("%+v", service)
	}
	budget := bubble(t, func(t *testing.T) sim.Amplification {
		return sim.OwnTiers(t, "… without its breaker: the retry budget alone", long, "BFF_CATALOG_BREAKER_MIN_CALLS=1000000")
	})
	const bucket = 10
	if most := float64(budget.Requests)*1.1 + bucket + long.Seconds(); float64(budget.Calls) > most {
		t.Errorf("%+v, more than %v calls", budget, most)
	}
	publish(t, sim.AmplificationTable([]sim.Amplification{tiers, service, budget}))
}

func TestAMonth(t *testing.T) {
	type both struct{ counted, told []sim.Standing }
	month := bubble(t, func(t *testing.T) both {
		counted, told := sim.AMonth(t, 30)
		return both{counted, told}
	})
	if len(month.counted) != len(month.told) {
		t.Fatalf("counted %+v, told %+v", month.counted, month.told)
	}
	for i, counted := range month.counted {
		told := month.told[i]
		if math.Abs(counted.BudgetLeft-told.BudgetLeft) < 1e-9 {
			told.BudgetLeft = counted.BudgetLeft // they round differently
		}
		if counted != told {
			t.Errorf("counted %+v, told %+v", counted, told)
		}
	}
	publish(t, sim.MonthTable(month.counted, month.told))
}
