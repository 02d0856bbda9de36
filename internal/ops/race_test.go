package ops_test

import (
	"sync"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

func TestEverybodyAtOnce(t *testing.T) {
	bubble(t, func(w *world) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range 200 {
					w.ops.Served(call(answered(page.Result(i%page.NumResults), ms), page.Price, page.OK, ms))
					w.ops.Remembered(page.MemoryOK)
					w.ops.BreakerMoved(page.Dependency(i%page.NumDependencies), page.BreakerState(i%page.NumBreakerStates))
					time.Sleep(10 * ms)
				}
			})
		}
		for range 4 {
			v := w.watch()
			all.Go(func() {
				for range 5 {
					v.frame()
				}
			})
		}
		all.Wait()
		f := w.now()
		if n := f.Recent.Downstreams[page.Price].Outcomes["ok"]; n != 1600 {
			t.Errorf("%d of 1600 calls are counted", n)
		}
	})
}

func BenchmarkServed(b *testing.B) {
	o := newOps(func() string { return "serving" })
	start := time.Now()
	for _, result := range []page.Result{page.Full, page.Degraded, page.Unavailable} {
		r := answered(result, 40*ms)
		for _, d := range page.Dependencies {
			call(r, d, page.OK, 30*ms)
		}
		r.Start = start
		b.Run(result.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.Served(r)
			}
		})
		b.Run(result.String()+"-parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					o.Served(r)
				}
			})
		})
	}
}
