package admission_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/page"
)

func TestEveryCallerIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 100, calm)
		var callers []*caller
		for range 1000 {
			callers = append(callers, arrive(t.Context(), a, page.Default))
		}
		wantCounts(t, a, 100, 25)
		time.Sleep(time.Second)
		synctest.Wait()
		wantCounts(t, a, 100, 0)

		type end struct {
			refused page.ShedReason
			waited  time.Duration
		}
		counts := map[end]int{}
		for _, c := range callers {
			counts[end{c.refused, c.waited}]++
			c.leave()
			c.leave()
		}
		want := map[end]int{{page.NotShed, 0}: 100, {page.ShedFull, 0}: 875, {page.ShedAge, 20 * ms}: 25}
		if !maps.Equal(counts, want) {
			t.Errorf("%v, want %v", counts, want)
		}
		wantCounts(t, a, 0, 0)
	})
}

func TestAPlaceThatComesFreeGoesToTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 4, calm)
		leaves := fill(t, a)
		c := arrive(t.Context(), a, page.Default)
		time.Sleep(7 * ms)
		leaves[0]()
		synctest.Wait()
		c.want(t, true, page.NotShed, 7*ms)
		wantCounts(t, a, 4, 0)
		c.leave()
		wantCounts(t, a, 3, 0)
	})
}

func TestLeaveGivesBackOncePerPlaceWhateverHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 2, calm)
		kept, _, _ := a.Admit(t.Context(), page.Default)
		func() {
			defer func() { _ = recover() }()
			leave, _, _ := a.Admit(t.Context(), page.Default)
			defer leave()
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(leave)
			}
			wg.Wait()
			panic("in the handler")
		}()
		wantCounts(t, a, 1, 0)
		kept()
		wantCounts(t, a, 0, 0)
	})
}

func TestTooLittleTimeIsRefusedBeforeAnyWork(t *testing.T) {
	for name, c := range map[string]struct {
		left    time.Duration
		full    bool
		refused page.ShedReason
		waited  time.Duration
	}{
		"spent":                           {left: -time.Second, refused: page.ShedDeadline},
		"under the useful rest":           {left: 19*ms - 1, refused: page.ShedDeadline},
		"20 ms, told a moment ago":        {left: 20*ms - ms/2, refused: page.NotShed},
		"the useful rest":                 {left: 20 * ms, refused: page.NotShed},
		"queued until the rest is useful": {left: 30 * ms, full: true, refused: page.ShedDeadline, waited: 10 * ms},
		"queued until too old":            {left: 450 * ms, full: true, refused: page.ShedAge, waited: 20 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := start(t, 4, calm)
				if c.full {
					fill(t, a)
				}
				ctx, cancel := context.WithTimeout(t.Context(), c.left)
				defer cancel()
				before := a.InFlight()
				leave, waited, refused := a.Admit(ctx, page.Default)
				if refused != c.refused || waited != c.waited {
					t.Errorf("refused %q after %v, want %q after %v", refused, waited, c.refused, c.waited)
				}
				leave()
				wantCounts(t, a, before, 0)
			})
		})
	}
}

func TestWhoLeavesTheQueueIsNotShedAndHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 8, calm)
		leaves := fill(t, a)
		ctx, cancel := context.WithCancel(t.Context())
		gone, next := arrive(ctx, a, page.Default), arrive(t.Context(), a, page.Default)
		time.Sleep(3 * ms)
		cancel()
		synctest.Wait()
		gone.want(t, true, page.NotShed, 3*ms)
		wantCounts(t, a, 8, 1)
		gone.leave()
		wantCounts(t, a, 8, 1)
		leaves[0]()
		synctest.Wait()
		next.want(t, true, page.NotShed, 3*ms)
		wantCounts(t, a, 8, 0)
	})
}

// overslept is a context whose deadline comes before the queue's own timer, as it does for a goroutine that is scheduled
// too late.
type overslept struct{ context.Context }

func (overslept) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestADeadlineThatPassesInTheQueueIsShed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 4, calm)
		fill(t, a)
		ctx, cancel := context.WithTimeout(t.Context(), 5*ms)
		defer cancel()
		_, waited, refused := a.Admit(overslept{ctx}, page.Default)
		if refused != page.ShedDeadline || waited != 5*ms {
			t.Errorf("refused %q after %v", refused, waited)
		}
		wantCounts(t, a, 4, 0)
	})
}
