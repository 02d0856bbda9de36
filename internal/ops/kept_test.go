package ops_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

// traffic serves so many usual pages a second for so long.
func (w *world) traffic(perSecond int, long time.Duration, also func(i int)) {
	for i := range perSecond * int(long/time.Second) {
		w.ops.Served(answered(page.Full, 30*ms))
		if also != nil {
			also(i)
		}
		time.Sleep(time.Second / time.Duration(perSecond))
	}
}

func TestWhatWentWrongIsKeptAndTheRestSampled(t *testing.T) {
	bubble(t, func(w *world) {
		w.ops.Served(answered(page.Degraded, 80*ms))
		w.ops.Served(answered(page.Unavailable, 20*ms))
		w.ops.Served(answered(page.Full, 301*ms))
		w.ops.Served(answered(page.NotFound, 300*ms))
		w.ops.Served(answered(page.Shed, 1*ms))
		w.traffic(2000, 10*time.Second, nil)
		f := w.now()
		for kind, want := range map[string]int{"degraded": 1, "failed": 1, "slow": 1, "refused": 1} {
			if got := f.of(kind); len(got) != want {
				t.Errorf("%s: %d pages are kept", kind, len(got))
			}
		}
		if got := len(f.of("usual")); got < 45 || got > 51 {
			t.Errorf("of 20,000 usual pages in 10 s %d are kept", got)
		}
		if got := f.Recent.Pages["full"]; got != 20_001 {
			t.Errorf("%d are counted", got)
		}
	})
}

func TestAtOnePageASecondEachIsShown(t *testing.T) {
	bubble(t, func(w *world) {
		w.traffic(1, 40*time.Second, nil)
		if got := len(w.now().Pages); got != 40 {
			t.Errorf("%d of 40 pages are shown", got)
		}
	})
}

func TestEachKindDisplacesItsOwnAlone(t *testing.T) {
	bubble(t, func(w *world) {
		for i := range 5 {
			r := answered(page.Unavailable, 20*ms)
			r.ID = fmt.Sprint("failed-", i)
			w.ops.Served(r)
		}
		for i := range 1000 {
			r := answered(page.Degraded, 80*ms)
			r.ID = fmt.Sprint("degraded-", i)
			w.ops.Served(r)
			w.ops.Served(answered(page.Shed, 0))
		}
		f := w.now()
		degraded := f.of("degraded")
		if len(f.of("failed")) != 5 || len(degraded) != f.Fixed.KeptPages || len(f.of("refused")) != f.Fixed.KeptPages {
			t.Fatalf("%d failed, %d degraded, %d refused", len(f.of("failed")), len(degraded), len(f.of("refused")))
		}
		for i, p := range degraded {
			if want := fmt.Sprint("degraded-", 900+i); p.ID != want {
				t.Errorf("at %d is %s, not %s", i, p.ID, want)
			}
		}
		if f.Missed != 2*900 {
			t.Errorf("%d are said to be missing", f.Missed)
		}
	})
}

func TestAFrameIsBounded(t *testing.T) {
	bubble(t, func(w *world) {
		v := w.watch()
		v.frame()
		for range 1000 {
			w.ops.Served(answered(page.Degraded, 80*ms))
		}
		if f := v.frame(); len(f.Pages) != 20 || f.Missed != 900 {
			t.Errorf("%d pages in a frame, %d missed", len(f.Pages), f.Missed)
		}
	})
}

// A burst that the rings hold reaches who looks, if over some frames.
func TestABurstIsShownToItsLastPage(t *testing.T) {
	bubble(t, func(w *world) {
		v := w.watch()
		v.frame()
		for i := range 95 {
			r := answered(page.Unavailable, 20*ms)
			r.ID = fmt.Sprint("failed-", i)
			w.ops.Served(r)
		}
		var ids []string
		for range 5 {
			f := v.frame()
			if f.Missed > 0 {
				t.Errorf("%d are missed", f.Missed)
			}
			for _, p := range f.Pages {
				ids = append(ids, p.ID)
			}
		}
		if len(ids) != 95 || ids[0] != "failed-0" || ids[94] != "failed-94" {
			t.Errorf("%d of 95 failed pages are shown: %q", len(ids), ids)
		}
	})
}

func liveMemory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestMemoryIsFixedAtTwoThousandPagesASecond(t *testing.T) {
	bubble(t, func(w *world) {
		v := w.watch()
		go func() {
			for name := "message"; name != ""; name, _ = v.event() {
			}
		}()
		worst := [...]page.Result{page.Degraded, page.Unavailable, page.Shed, page.Full}
		before := liveMemory()
		w.traffic(2000, 15*time.Second, func(i int) {
			r := call(answered(worst[i%4], 310*ms), page.Price, page.Timeout, 150*ms)
			r.ID, r.RequestID = strings.Repeat("i", 64), strings.Repeat("r", 128)
			r.Defect = strings.Repeat("stack ", 1000)
			w.ops.Served(r)
			w.ops.Remembered(page.MemoryOK)
		})
		if grown := int64(liveMemory()) - int64(before); grown > 1<<20 {
			t.Errorf("%d KiB more after 60,000 pages", grown>>10)
		}
		v.leave()
	})
}

func TestARecordIsCopiedAndItsDefectIsForTheLogAlone(t *testing.T) {
	bubble(t, func(w *world) {
		r := answered(page.Internal, 20*ms)
		r.Defect = "secret stack"
		w.ops.Served(r)
		r.ID, r.Result = "changed", page.Full
		v := w.watch()
		_, data := v.event()
		if strings.Contains(data, "secret") || strings.Contains(data, "changed") || !strings.Contains(data, `"id":"p-1001"`) {
			t.Errorf("%s", data)
		}
	})
}

func TestAUsualPageAllocatesNothing(t *testing.T) {
	o := newOps(func() string { return "serving" })
	r := call(answered(page.Full, 30*ms), page.Price, page.OK, 20*ms)
	o.Served(r) // kept: the next of the same moment are not
	if n := testing.AllocsPerRun(100, func() { o.Served(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
