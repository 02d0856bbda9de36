package ops_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/page"
	whole "example.com/bff/internal/world"
)

// TestTheServiceTellsItsStory is the whole service in virtual time, and what its stream tells of it.
func TestTheServiceTellsItsStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := whole.Start(t, "BFF_DRAIN=2s", "BFF_PRICE_BREAKER_WINDOW=2s")
		visits := func(long time.Duration) {
			w.Every(40*ms, long, func(i int) whole.Answer { return w.Get(fmt.Sprintf("/products/p-%d", i%50)) })
		}
		if f := now(t, w.Client); f.Fixed.Downstreams[page.Recommendations].TimeoutMs != 100 || !strings.HasPrefix(f.Fixed.Config[0], "BFF_ADDR=") {
			t.Errorf("%+v", f.Fixed)
		}
		visits(3 * time.Second)
		if f := now(t, w.Client); f.Recent.Pages["full"] < 70 || f.Recent.Learned["ok"] < 70 || f.Admission.Max != 1000 {
			t.Errorf("healthy: %+v", f.Recent)
		}
		w.Fault("recommendations", fakes.Fault{LatencyMs: new(8000)})
		visits(3 * time.Second)
		if f := now(t, w.Client); f.Downstreams[page.Recommendations].Breaker != "open" || f.Recent.Pages["degraded"] < 70 {
			t.Errorf("slow recommendations: %+v", f.Recent)
		}
		w.Fault("price", fakes.Fault{Status: 503})
		visits(3 * time.Second)
		if f := now(t, w.Client); f.Downstreams[page.Price].Breaker != "open" || f.Recent.Stale < 70 || f.Recent.Recalls["hit"] < 70 || f.Recent.Pages["unavailable"] > 0 {
			t.Errorf("price outage: %+v", f.Recent)
		}
		w.Heal("price")
		w.Heal("recommendations")
		visits(15 * time.Second)
		texts := strings.Join(now(t, w.Client).texts(), "\n")
		for _, told := range []string{
			"recommendations: the breaker opened.", "price: the breaker opened.", "Remembered prices are shown: price answered with an error.",
			"price: the breaker closed", "recommendations: the breaker closed", "Every price shown is live again",
		} {
			if !strings.Contains(texts, told) {
				t.Errorf("nobody told %q:\n%s", told, texts)
			}
		}
		drains(t, w)
	})
}

// drains ends the service, whose streams must tell so and not hold it up.
func drains(t *testing.T, w *whole.World) {
	v := watch(t, w.Client)
	last := make(chan string)
	go func() {
		var name string
		for next := "message"; next != ""; next, _ = v.event() {
			name = next
		}
		last <- name
	}()
	start := time.Now()
	w.Signal(syscall.SIGTERM)
	time.Sleep(time.Second)
	if f := now(t, w.Client); f.State != "draining" {
		t.Errorf("draining, it says %s", f.State)
	}
	if err := w.Wait(); err != nil || time.Since(start) > 3*time.Second {
		t.Errorf("it ended after %v with %v", time.Since(start), err)
	}
	if name := <-last; name != "end" {
		t.Errorf("the last word of the stream was %q", name)
	}
}
