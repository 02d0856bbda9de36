package ops_test

import (
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/storefront/browsertest"
)

// TestStory is what somebody sees who looks at the page while things go wrong and come right again.
func TestStory(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	s := startService(t, "BFF_CATALOG_TIMEOUT=400ms", "BFF_PRICE_TIMEOUT=400ms", "BFF_STOCK_TIMEOUT=400ms", "BFF_REVIEWS_TIMEOUT=400ms", "BFF_RECOMMENDATIONS_BREAKER_COOLDOWN=4s", "BFF_PRICE_BREAKER_COOLDOWN=3s")
	s.visitors(100 * time.Millisecond)
	tab := b.Open(t, s.admin+"/ops", browsertest.View{Height: 2300, Width: 1440})
	tab.SeesLike("h1", "very page is whole")
	time.Sleep(3 * time.Second)
	tab.Screenshot("ops-healthy")
	s.breaks("recommendations", fakes.Fault{LatencyMs: new(8000)})
	tab.Sees("#downstream-recommendations .breaker", "Breaker open")
	time.Sleep(2 * time.Second)
	tab.Screenshot("ops-slow-recommendations")
	s.breaks("price", fakes.Fault{Status: 503})
	tab.Sees("h1", "Pages show remembered prices")
	time.Sleep(5 * time.Second)
	tab.Screenshot("ops-price-outage")
	tab.Click(".pages li:nth-child(3) button")
	tab.Screenshot("ops-detail")
	tab.Click("#detail-close")
	for name, v := range map[string]browsertest.View{"dark": {Dark: true}, "phone": {Width: 390, Height: 1600}, "tablet": {Width: 820, Height: 1400}} {
		tab := b.Open(t, s.admin+"/ops", v)
		tab.SeesLike("#pages li", ".")
		time.Sleep(time.Second)
		tab.Screenshot("ops-" + name)
		tab.Accessible()
	}
}
