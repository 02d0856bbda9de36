package chaos

import (
	"context"
	"flag"
	"fmt"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

var (
	seeds = flag.Int("seeds", 4, "how many schedules to run")
	seed  = flag.Int64("seed", -1, "run this one alone")
	keep  = flag.String("keep", "", "with -seed: no events but these, by their numbers, with commas between them, or none")
)

func TestChaos(t *testing.T) {
	first, last := int64(0), int64(*seeds)
	if *seed >= 0 {
		first, last = *seed, *seed+1
	}
	var failed atomic.Int32
	redis := openStore(t)
	for n := first; n < last; n++ {
		t.Run(fmt.Sprint("seed=", n), func(t *testing.T) {
			t.Parallel()
			s := New(uint64(n))
			if *keep != "" {
				s = s.Only(numbers(t, *keep))
			}
			report := bubble(t, s, redis, Sabotage{})
			t.Logf("%d requests, %d events", report.Requests, len(s.Events))
			if len(report.Violations) > 0 {
				const worthIt = 3 // seeds; the others most likely fail of the same
				most := 100
				if failed.Add(1) > worthIt {
					most = 0
				}
				t.Error(story(t, s, report, redis, Sabotage{}, most))
			}
		})
	}
}

// bubble lets a schedule happen in a bubble of its own. A bubble that cannot end is a leak.
func bubble(t *testing.T, s Schedule, store *store, sabotage Sabotage) (report Report) {
	var redis *Redis
	if s.config.redis && store != nil {
		var end func()
		redis, end = store.lend(t)
		defer end()
	}
	defer func() {
		if stuck := recover(); stuck != nil {
			report.Violations = append(report.Violations, Violation{Rule: "nothing leaks", Text: fmt.Sprint(stuck)})
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		pprof.Do(context.Background(), pprof.Labels(Label, fmt.Sprint(s.Seed)), func(context.Context) {
			report = Run(t, s, redis, sabotage)
		})
	})
	return report
}

// story tells what broke, the shortest schedule that still breaks it, found in so many tries at most, and how to run that
// again.
func story(t *testing.T, s Schedule, report Report, redis *store, sabotage Sabotage, most int) string {
	rule := report.Violations[0].Rule
	kept := Shrink(len(s.Events), most, func(keep []int) bool {
		for range 2 { // two runs of a schedule are not quite the same
			for _, v := range bubble(t, s.Only(keep), redis, sabotage).Violations {
				if v.Rule == rule {
					return true
				}
			}
		}
		return false
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%d promises broken, the first:\n%v\n", len(report.Violations), report.Violations[0])
	fmt.Fprintf(&b, "the shortest schedule that breaks it, of %d events:\n%v", len(s.Events), s.Only(kept))
	fmt.Fprintf(&b, "again: make chaos SEED=%d KEEP=%s", s.Seed, listed(kept))
	return b.String()
}

// listed is what -keep takes.
func listed(numbers []int) string {
	if len(numbers) == 0 {
		return "none"
	}
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ","), "[]")
}

func numbers(t *testing.T, list string) (all []int) {
	if list == "none" {
		return nil
	}
	for n := range strings.SplitSeq(list, ",") {
		i, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, i)
	}
	return all
}
