package ops_test

import (
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/storefront/browsertest"
)

// person looks at the page of a service while others visit it.
type person struct {
	*testing.T
	*browsertest.Tab
	service *service
	browser *browsertest.Browser
}

// TestStory is what somebody sees who looks on while things go wrong and come right again.
func TestStory(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	// Timeouts that a busy machine keeps, and breakers that need no patience.
	s := startService(t, "BFF_CATALOG_TIMEOUT=400ms", "BFF_PRICE_TIMEOUT=400ms", "BFF_STOCK_TIMEOUT=400ms", "BFF_REVIEWS_TIMEOUT=400ms",
		"BFF_RECOMMENDATIONS_TIMEOUT=300ms", "BFF_RECOMMENDATIONS_BREAKER_COOLDOWN=4s", "BFF_PRICE_BREAKER_COOLDOWN=3s",
		"BFF_RECOMMENDATIONS_BREAKER_MIN_CALLS=5", "BFF_PRICE_BREAKER_MIN_CALLS=5")
	s.visitors(80 * time.Millisecond)
	p := &person{t, b.Open(t, s.admin+"/ops", browsertest.View{}), s, b}
	for _, step := range []struct {
		name string
		sees func(*person)
	}{
		{"healthy", (*person).everythingWell},
		{"slow recommendations", (*person).slowRecommendations},
		{"a page's reasons by keyboard", (*person).reasons},
		{"price outage", (*person).priceOutage},
		{"pause", (*person).pause},
		{"recovery", (*person).recovery},
		{"an operator's overrides", (*person).overrides},
		{"stock outage", (*person).stockOutage},
	} {
		if !t.Run(step.name, func(t *testing.T) {
			p.T = t
			p.For(t)
			step.sees(p)
			p.Accessible()
		}) {
			return // the next ones build on it
		}
	}
	p.For(t)
	looks(t, b, s)
	s.end()
	p.SeesLike("#live", "has ended|Not heard")
}

// picture keeps the top of the page, wherever the focus took it.
func (p *person) picture(name string) {
	browsertest.Ask[bool](p.Tab, "(scrollTo(0, 0), true)")
	p.Screenshot(name)
}

func (p *person) everythingWell() {
	p.SeesLike("h1", "^(Every|Nearly every) page is whole$")
	p.Sees("#state", "Ready")
	p.Sees("#live", "Live")
	for name, need := range map[string]string{"catalog": "critical", "price": "critical", "stock": "critical", "reviews": "optional", "recommendations": "optional"} {
		tile := "#downstream-" + name
		p.Sees(tile+" .need", need)
		p.Sees(tile+" .breaker", "Breaker closed")
		p.SeesLike(tile+" .counts", `[1-9]\d* ok`)
		p.SeesLike(tile+" .latency", `p50\s+\d[\d.]* ms\s+p95\s+\d[\d.]* ms\s+p99\s+\d[\d.]* ms`)
		p.SeesLike(tile, `p99 is \d+ % of the deadline; timeout at \d+ ms`)
		p.SeesLike(tile, `\d+ of (256|128|64) calls at once`)
		p.SeesLike(tile, `[\d.]+ of 10 retry tokens`)
	}
	for _, objective := range []string{"availability", "latency", "quality", "offer_availability"} {
		p.SeesLike("#objective-"+objective, `[Bb]udget (left|spent)[^]*5m\s+[\d.]+×\s+1h\s+[\d.]+×\s+30m\s+[\d.]+×\s+6h\s+[\d.]+×`)
	}
	p.SeesLike("#axis", `0\s*100\s*200\s*300\s*450 ms`)
	p.SeesLike("#pages li", `Whole\s+(page|offer) p-100\d\s+\d[\d.]* ms`)
	p.SeesLike("#prices", `Learned\s+\d+ kept|Learned\s+none`)
	p.SeesLike("#shedding", `critical offers\s+[1-9]\d*\s+0`)
	p.Sees("#events", "This instance began.")
	p.SeesLike("#instance", `Build\s+v1.4.0\s+Revision\s+0f3c2a1`)
	p.Press("#main > section:last-child summary", browsertest.Enter)
	p.SeesLike("#config li", `^BFF_DEADLINE=450ms\s+# default$`)
	p.picture("ops-healthy")
}

func (p *person) slowRecommendations() {
	p.service.breaks("recommendations", fakes.Fault{LatencyMs: new(8000)})
	p.Sees("#downstream-recommendations .breaker", "Breaker open")
	p.SeesLike("#downstream-recommendations .breaker", `next probe in [1-5] s`)
	p.SeesLike("#downstream-recommendations .counts", `\d+ timed out[^]*\d+ not asked, breaker open`)
	p.SeesLike("h1", "come without .*recommendations")
	p.SeesLike("#sublines", `recommendations: breaker open, next probe in [1-5] s`)
	p.SeesLike("#pages li", `Degraded\s+recommendations: (timed out|not asked, breaker open)`)
	p.Sees("#events", "recommendations: the breaker opened.")
	p.SeesLike("#objective-quality", "enough to wake somebody")
	p.picture("ops-slow-recommendations")
}

// reasons are read without a mouse: down to a row, Enter, and back.
func (p *person) reasons() {
	p.Press("#filter input[value=degraded]", " ")
	p.SeesNo("#pages li", "Whole")
	p.Press("#pages li:first-child button", browsertest.Enter)
	p.SeesLike("#detail-title", "^Degraded: page p-100\\d$")
	p.Sees("#detail-why", "recommendations: ")
	p.SeesLike("#detail-facts", `Request id\s+[A-Z0-9]{26}\s+Trace id`)
	p.SeesLike("#detail-lanes", `catalog\s+ok after \d[\d.]* ms`)
	p.Sees("#held-words", "Standing still while you look")
	p.Accessible()
	p.picture("ops-detail")
	p.Press("#detail-close", browsertest.Escape)
	p.SeesNo("#detail", "")
	p.Until("the focus is on the row again", "document.activeElement.matches('#pages li:first-child button')", "#pages")
	p.Press("#held-show", browsertest.Enter)
	p.Press("#filter input[value='']", " ")
}

func (p *person) priceOutage() {
	p.service.breaks("price", fakes.Fault{Status: 503})
	p.Sees("#downstream-price .breaker", "Breaker open")
	p.Sees("h1", "Pages show remembered prices")
	p.Sees("#sublines", "Every offer fails: nothing can be bought.")
	p.SeesLike("#prices-now", `^[1-9]\d* pages? of \d+ showed one, the oldest \d+ (s|min) old`)
	p.SeesLike("#pages li", `Degraded\s+[^]*price remembered`)
	p.SeesLike("#pages li", `Failed, offer\s+price: (not asked, breaker open|answered with an error)`)
	p.Sees("#events", "Remembered prices are shown")
	p.Sees("#events", "Offers fail: price")
	p.picture("ops-price-outage")
}

func (p *person) pause() {
	p.Click("#pause")
	p.SeesLike("#live", `^Paused at \d\d:\d\d:\d\d$`)
	before := p.Text("#timeline-words")
	time.Sleep(1500 * time.Millisecond) // three frames that must not be seen
	if after := p.Text("#timeline-words"); after != before {
		p.Errorf("paused, it went from %q to %q", before, after)
	}
	p.Click("#pause")
	p.Sees("#live", "Live")
}

func (p *person) recovery() {
	p.service.mends("price")
	p.service.mends("recommendations")
	for _, name := range []string{"price", "recommendations"} {
		p.Sees("#downstream-"+name+" .breaker", "Breaker closed")
		p.Sees("#events", name+": the breaker closed")
	}
	p.SeesLike("h1", "^(Every|Nearly every) page is whole$")
	p.Sees("#events", "Every price shown is live again")
	p.picture("ops-recovery")
}

func (p *person) stockOutage() {
	p.service.breaks("stock", fakes.Fault{Status: 500})
	p.SeesLike("h1", "^(Pages|Some pages) fail for want of .*stock")
	p.Press("#filter input[value=failed]", " ")
	p.SeesLike("#pages li", `Failed\s+stock: `)
	p.SeesNo("#pages li", "Degraded")
	p.Sees("#events", "Pages fail: stock answered with an error")
	p.SeesLike("#objective-availability", "enough to wake somebody")
	p.picture("ops-stock-outage")
	p.service.mends("stock")
}

// overrides stand where one looks for what they do, with their reason and their end.
func (p *person) overrides() {
	p.service.orders("reviews", `{"mode":"open","for":"10m","reason":"their team asks for quiet"}`)
	p.Sees("#downstream-reviews .breaker", "Breaker closed")
	p.Sees("#downstream-reviews .then", "overridden")
	p.SeesLike("#downstream-reviews .lever", `^not asked, by an operator’s override, (10 min|6\d\d s|5\d\d s) left: their team asks for quiet$`)
	p.SeesLike("#sublines", `reviews: not asked, by an operator’s override, `)
	p.Sees("#events", "Override set, for 10m0s: reviews is not asked. Reason: their team")
	p.Sees("h1", "Pages come without reviews")
	p.service.orders("price", `{"mode":"no-retry","for":"10m","reason":"no storm on top of it"}`)
	p.SeesLike("#downstream-price .breaker", `Breaker closed\s+asked as usual\s+no retry and no hedge, by an operator’s override, .*: no storm on top of it`)
	p.service.orders("shed", `{"percent":30,"priority":"default","for":"10m","reason":"until the new ones are there"}`)
	p.Sees("h1", "Requests are refused: an operator has them shed")
	p.SeesLike("#shed-lever", `^30 % of the requests of priority default and below are refused, by an operator’s override, `)
	p.SeesLike("#shedding", `default pages\s+[1-9]\d*\s+[1-9]\d* by an operator`)
	p.Accessible()
	p.picture("ops-overrides")
	phone := p.browser.Open(p.T, p.service.admin+"/ops", browsertest.View{Width: 360, Height: 2400, Dark: true})
	phone.SeesLike("#downstream-reviews .lever", "not asked")
	phone.Accessible()
	fits(p.T, phone)
	phone.Screenshot("ops-overrides-phone")
	for _, target := range []string{"reviews", "price", "shed"} {
		p.service.orders(target, "")
	}
	p.SeesNo(".lever", "")
	p.SeesNo("#sublines", "override")
	p.Sees("#events", "Override taken back: reviews is asked as usual again.")
	p.SeesLike("h1", "^(Every|Nearly every) page is whole$")
}

func fits(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	if wider := browsertest.Ask[int](tab, "document.documentElement.scrollWidth - innerWidth"); wider > 0 {
		t.Errorf("%d pixels do not fit", wider)
	}
}

// alike fails the test for tiles whose headings differ in form, and for marks of the axis that stand on one another.
func alike(t *testing.T, tab *browsertest.Tab) {
	t.Helper()
	forms := `new Set([...document.querySelectorAll(".tile .need")].map((e) => Math.round(e.getBoundingClientRect().top - e.parentElement.getBoundingClientRect().top))).size`
	if n := browsertest.Ask[int](tab, forms); n != 1 {
		t.Errorf("the tiles' headings have %d forms", n)
	}
	crowded := `[...document.querySelectorAll("#axis span")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect()).filter((e, i, all) => i > 0 && e.left < all[i - 1].right + 2).length`
	if n := browsertest.Ask[int](tab, crowded); n > 0 {
		t.Errorf("%d marks of the axis stand on others", n)
	}
}

func looks(t *testing.T, b *browsertest.Browser, s *service) {
	for name, view := range map[string]browsertest.View{
		"light": {Height: 2400, Width: 1440}, "dark": {Dark: true, Height: 2400, Width: 1440}, "tablet": {Width: 820, Height: 3000}, "laptop": {Width: 1280, Height: 2400}, "small": {Width: 1100, Height: 2400}, "forced": {Width: 1440, Height: 2400, Forced: true},
		"phone": {Width: 360, Height: 740, StillMotion: true}, "phone-dark": {Width: 360, Height: 3600, Dark: true},
	} {
		// Each tab is closed before the next: a browser has six connections to an address, and a stream keeps one.
		t.Run(name, func(t *testing.T) {
			tab := b.Open(t, s.admin+"/ops", view)
			tab.SeesLike("#pages li", ".")
			tab.SeesLike("#events li", ".")
			tab.Accessible()
			tab.Drawn(".lamp", ".tile .bar i", ".track i.first", ".burn b", ".pips i", ".scale .p99", "figcaption i.whole")
			fits(t, tab)
			alike(t, tab)
			tab.Screenshot("ops-" + name)
		})
	}
}
