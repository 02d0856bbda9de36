package cache_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// step is one Remember (with an amount) or Forget, true at an offset from now.
type step struct {
	at     time.Duration
	amount string
}

var orderCases = []struct {
	name  string
	steps []step
	want  string // amount; "" is a miss
}{
	{"nothing", nil, ""},
	{"one price", []step{{-1, "1"}}, "1"},
	{"the newer price", []step{{-2, "1"}, {-1, "2"}}, "2"},
	{"forgotten", []step{{-2, "1"}, {-1, ""}}, ""},
	{"forgotten, though never known", []step{{-1, ""}}, ""},
	{"known again", []step{{-3, "1"}, {-2, ""}, {-1, "2"}}, "2"},
	{"forgotten for good", []step{{-4, "1"}, {-3, "2"}, {-1, ""}, {-2, "3"}}, ""},
	{"from a clock that is a little ahead", []step{{-1, "1"}, {62_000, "2"}}, "2"},
	{"from a clock that is far ahead", []step{{-1, "1"}, {3_600_000, "2"}}, "1"},
	{"forgotten by a clock that is far ahead", []step{{-1, "1"}, {3_600_000, ""}}, "1"},
	{"of the same instant, the price", []step{{-1, "1"}, {-1, ""}}, "1"},
}

// What is known depends on when it was true and not on when it arrived: every order comes to the same.
func testOrders(t *testing.T, s cache.Store, settle func(sets int)) {
	now := time.Now().Add(-time.Minute)
	sets := 0
	for i, c := range orderCases {
		for j, steps := range permutations(c.steps) {
			k := key(fmt.Sprintf("order-%d-%d", i, j), "")
			want := page.ShownPrice{}
			for _, st := range steps {
				asOf := now.Add(st.at * time.Millisecond)
				if st.amount == "" {
					s.Forget(k, asOf)
				} else {
					s.Remember(k, price(st.amount, asOf))
				}
				if st.amount == c.want {
					want = price(max(st.amount, "0"), asOf)
				}
			}
			sets += len(steps)
			settle(sets)
			t.Run(fmt.Sprint(c.name, steps), func(t *testing.T) {
				if c.want == "" {
					wantResult(t, s, k, page.MemoryMiss)
				} else {
					wantHit(t, s, k, want)
				}
			})
		}
	}
}

func permutations(steps []step) [][]step {
	if len(steps) < 2 {
		return [][]step{steps}
	}
	var all [][]step
	for i := range steps {
		rest := append(append([]step{}, steps[:i]...), steps[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]step{steps[i]}, p...))
		}
	}
	return all
}

func TestMemoryOrder(t *testing.T) {
	m := newMemory(1<<20, new(counts))
	testOrders(t, m, func(int) {})
}

func TestRedisOrder(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	s := newStore(t, "redis://"+srv.Addr)
	testOrders(t, s, func(sets int) { settled(t, s, sets) })
}

// settled waits until Redis has, or has refused, all that was set.
func settled(t *testing.T, s *store, sets int) {
	t.Helper()
	redistest.Eventually(t, "the queue is written", func() bool { return s.counts.all(page.MemorySet) == sets })
}

func TestKeysDoNotMeet(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	keys := []cache.Key{
		key("p", ""), key("p", "x"), key("p", "X"), key("P", ""), key("p.x", ""), key("p-x", ""), key("px", ""),
		key("p", "a:b"), key("p", "a/b"), key("p", "\x00"), key("p", "\n"), key("p", ":"), key("p", "/"),
	}
	memory, shared := newMemory(1<<20, new(counts)), newStore(t, "redis://"+srv.Addr)
	for _, s := range []cache.Store{memory, shared} {
		for i, k := range keys {
			s.Remember(k, price(fmt.Sprint(i+1), time.Now()))
		}
	}
	settled(t, shared, len(keys))
	for _, s := range []cache.Store{memory, shared} {
		for i, k := range keys {
			got, _ := recall(t, s, k)
			if want := price(fmt.Sprint(i+1), got.AsOf()); shown(got) != shown(want) {
				t.Errorf("%T: key %d holds %s", s, i, shown(got))
			}
		}
	}
}

func TestMemoryAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := new(counts)
		m := newMemory(1<<20, seen)
		k := key("p-1", "")
		wantResult(t, m, k, page.MemoryMiss)
		p := price("9.99", time.Now())
		m.Remember(k, p)
		time.Sleep(staleFor)
		wantHit(t, m, k, p)
		time.Sleep(time.Nanosecond)
		wantResult(t, m, k, page.MemoryExpired)
		m.Forget(k, time.Now())
		wantResult(t, m, k, page.MemoryMiss)
		if seen.n != [page.NumMemoryOps][page.NumMemoryResults]int{
			page.MemoryGet: {page.MemoryMiss: 2, page.MemoryHit: 1, page.MemoryExpired: 1},
			page.MemorySet: {page.MemoryOK: 2},
		} {
			t.Errorf("observed %v", seen.n)
		}
	})
}
