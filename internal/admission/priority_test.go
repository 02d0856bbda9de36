package admission_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/page"
)

func TestTheQueueServesTheHighestPriorityFirstInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 32, calm)
		leaves := fill(t, a)
		var waiting []*caller
		for _, p := range []page.Priority{0, 1, 2, 0, 1, 2} {
			waiting = append(waiting, arrive(t.Context(), a, p))
		}
		free := func(places, admitted int) {
			t.Helper()
			for range places {
				for _, c := range waiting {
					if c.done {
						t.Fatal("admitted too early")
					}
				}
				leaves[0]()
				leaves = leaves[1:]
				synctest.Wait()
			}
			for i, c := range waiting {
				if c.done != (i == admitted) {
					t.Fatalf("caller %d: done %v", i, c.done)
				}
			}
			waiting[admitted].done = false // it stays, and is not asked about again
			waiting[admitted] = &caller{}
		}
		free(1, 2)
		free(1, 5)
		free(1, 1)
		free(1, 4)
		free(9, 0) // background: into the first three quarters alone
		free(1, 3)
		wantCounts(t, a, 32-14+6, 0)
	})
}

func TestBackgroundLeavesTheLastQuarterToPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 100, calm)
		for range 75 {
			arrive(t.Context(), a, page.Background).want(t, true, page.NotShed, 0)
		}
		crawler := arrive(t.Context(), a, page.Background)
		for range 25 {
			arrive(t.Context(), a, page.Default).want(t, true, page.NotShed, 0)
		}
		time.Sleep(20 * ms)
		synctest.Wait()
		crawler.want(t, true, page.ShedAge, 20*ms)
		wantCounts(t, a, 100, 0)
	})
}

func TestBackgroundIsServedWhenTheLimitIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 1, calm)
		arrive(t.Context(), a, page.Background).want(t, true, page.NotShed, 0)
		arrive(t.Context(), a, page.Critical).want(t, true, page.ShedFull, 0)
	})
}

func TestAFullQueueGivesWayToHigherPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 16, calm)
		fill(t, a)
		old, young := arrive(t.Context(), a, page.Background), arrive(t.Context(), a, page.Background)
		reader, first := arrive(t.Context(), a, page.Default), arrive(t.Context(), a, page.Critical)
		time.Sleep(ms)

		arrive(t.Context(), a, page.Background).want(t, true, page.ShedFull, 0)
		displaced := []*caller{young, old, reader}
		for i, victim := range displaced {
			arrive(t.Context(), a, page.Critical).want(t, false, page.NotShed, 0)
			victim.want(t, true, page.ShedFull, ms)
			for _, spared := range displaced[i+1:] {
				spared.want(t, false, page.NotShed, 0)
			}
		}
		first.want(t, false, page.NotShed, 0)
		arrive(t.Context(), a, page.Default).want(t, true, page.ShedFull, 0)
		arrive(t.Context(), a, page.Critical).want(t, true, page.ShedFull, 0)
		wantCounts(t, a, 16, 4)
	})
}

func TestAReaderDoesNotDisplaceAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, 4, calm)
		fill(t, a)
		waiting := arrive(t.Context(), a, page.Default)
		arrive(t.Context(), a, page.Default).want(t, true, page.ShedFull, 0)
		waiting.want(t, false, page.NotShed, 0)
	})
}
