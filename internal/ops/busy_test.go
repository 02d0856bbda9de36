package ops_test

import (
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/storefront/browsertest"
)

// keepServing serves so many pages a second until the test ends.
func keepServing(t *testing.T, perSecond int, serve func(i int)) {
	quit, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(quit)
		<-ended
	})
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * ms)
		defer tick.Stop()
		start, served := time.Now(), 0
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			for ; served < perSecond*int(time.Since(start)/ms)/1000; served++ {
				serve(served)
			}
		}
	}()
}

// TestTwoThousandPagesASecond is a busy instance before a browser: it stays readable, bounded, and text stays text.
func TestTwoThousandPagesASecond(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	const markup = `<img src=x onerror=alert(1)>`
	o := newOps(func() string { return "serving" })
	url := serveOps(t, o)
	results := [...]page.Result{page.Degraded, page.Unavailable, page.Full, page.Shed}
	keepServing(t, 2000, func(i int) {
		r := call(answered(results[i%4], 60*ms), page.Price, page.Timeout, 50*ms)
		r.ID, r.RequestID = markup, markup
		o.Served(r)
	})
	tab := b.Open(t, url+"/ops", browsertest.View{Dark: true})
	tab.SeesLike("#rate", `^(1,9|2,0)\d\d$`)
	for _, kind := range []string{"degraded", "failed", "refused"} {
		tab.SeesLike("#filter label:has([value="+kind+"])", ` 100$`)
	}
	tab.Screenshot("ops-busy")
	tab.Click("#pages li:nth-child(5) button")
	tab.Sees("#detail-title", markup)
	tab.SeesLike("#detail-facts", `Request id\s+<img src=x onerror=alert\(1\)>`)
	if n := browsertest.Ask[int](tab, "document.images.length"); n != 0 {
		t.Errorf("data became %d pictures", n)
	}
	if n := browsertest.Ask[int](tab, "document.querySelectorAll('*').length"); n > 3000 {
		t.Errorf("the page has %d elements", n)
	}
	refused := `(() => { try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`
	if !browsertest.Ask[bool](tab, refused) {
		t.Error("a text became markup")
	}
	tab.Forgive("TrustedHTML")
}
