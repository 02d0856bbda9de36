package admission_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

// signal is a scheduling latency that a test sets.
type signal struct{ atomic.Int64 }

func (s *signal) set(d time.Duration)    { s.Store(int64(d)) }
func (s *signal) latency() time.Duration { return time.Duration(s.Load()) }

// eachSecond is the limit after each of n seconds.
func eachSecond(a *admission.Admission, n int) (limits []int) {
	for range n {
		time.Sleep(time.Second)
		synctest.Wait()
		limits = append(limits, a.Limit())
	}
	return limits
}

func TestTheLimitFallsInDistressAndComesBack(t *testing.T) {
	for _, c := range []struct {
		name       string
		max        int
		down, back []int
	}{
		{"a hundred", 100, []int{70, 49, 34, 23, 16, 11, 10, 10},
			[]int{15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 100}},
		{"39, of which a tenth and a twentieth are no whole numbers", 39, []int{27, 18, 12, 8, 5, 4, 4},
			[]int{6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 39}},
		{"five", 5, []int{3, 2, 1, 1}, []int{2, 3, 4, 5, 5}},
		{"one", 1, []int{1, 1}, []int{1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s signal
				a := start(t, c.max, s.latency)
				s.set(20 * ms)
				if got := eachSecond(a, 3); slices.Min(got) != c.max {
					t.Errorf("with 20 ms, which is not yet distress: %v", got)
				}
				s.set(21 * ms)
				if got := eachSecond(a, len(c.down)); !slices.Equal(got, c.down) {
					t.Errorf("in distress: %v, want %v", got, c.down)
				}
				s.set(0)
				if got := eachSecond(a, len(c.back)); !slices.Equal(got, c.back) {
					t.Errorf("afterwards: %v, want %v", got, c.back)
				}
			})
		})
	}
}

// A thousand that want the only processor for a tenth of a millisecond each wait for a tenth of a second.
func TestUnlessToldOtherwiseItIsTheRuntimeThatTellsOfDistress(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a := start(t, 100, nil)
	var busy sync.WaitGroup
	for range 1000 {
		busy.Go(func() {
			for a.Limit() == 100 {
				for began := time.Now(); time.Since(began) < ms/10; {
				}
				runtime.Gosched()
			}
		})
	}
	busy.Wait()
}

func TestTheQueueShrinksWithTheLimitAndTheRestIsServedWhenItRises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s signal
		a := start(t, 40, s.latency)
		leaves := fill(t, a)
		s.set(time.Second)
		time.Sleep(time.Second - ms) // the limit is about to fall, to 28
		var readers []*caller
		for range 10 {
			readers = append(readers, arrive(t.Context(), a, page.Default))
		}
		time.Sleep(ms)
		synctest.Wait()
		wantCounts(t, a, 40, 7)
		for i, c := range readers {
			c.want(t, i >= 7, []page.ShedReason{page.NotShed, page.ShedFull}[i/7], time.Duration(i/7)*ms)
		}
		for _, leave := range leaves[:12] {
			leave()
		}
		synctest.Wait()
		wantCounts(t, a, 28, 7) // nobody is admitted before in flight is under the new limit
		time.Sleep(time.Second - 5*ms)
		s.set(0)
		late := arrive(t.Context(), a, page.Default)
		time.Sleep(5 * ms)
		synctest.Wait()
		late.want(t, true, page.NotShed, 5*ms)
		wantCounts(t, a, 29, 0)
	})
}

// The failure that a limit which follows the latency of pages would bring about: see docs/decisions/0006.
func TestDownstreamsAndClientsNeverLowerTheLimit(t *testing.T) {
	for name, work := range map[string]func(context.Context){
		"recommendations take 8 s": func(context.Context) { time.Sleep(8 * time.Second) },
		"every downstream fails":   func(context.Context) {},
		"every page panics":        func(context.Context) { panic("in the handler") },
		"every client leaves": func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, 30*ms)
			defer cancel()
			<-ctx.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const perSecond = 100
				a := start(t, 8*perSecond+1, calm)
				for range 60 * perSecond {
					go func() {
						defer func() { _ = recover() }()
						leave, waited, refused := a.Admit(t.Context(), page.Default)
						defer leave()
						if refused != page.NotShed || waited != 0 {
							t.Errorf("refused %q after %v", refused, waited)
						}
						work(t.Context())
					}()
					time.Sleep(time.Second / perSecond)
				}
				time.Sleep(10 * time.Second)
				wantCounts(t, a, 0, 0)
				if a.Limit() != 8*perSecond+1 {
					t.Errorf("limit %d", a.Limit())
				}
			})
		})
	}
}
