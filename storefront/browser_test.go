package storefront_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"example.com/bff/storefront/browsertest"
	"example.com/bff/storefront/storytest"
)

func TestStories(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	storytest.Tell(t, b, newWorld(t).shop, "storefront-stub")
}

// TestVisits are what a person meets on a visit. All share a browser; each has a shop of its own.
func TestVisits(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	for name, visit := range map[string]func(*visitor){
		"a product that does not exist":               notFound,
		"an address that no product has":              noAddress,
		"a refusal is retried when it said":           refused,
		"refusals end after six tries":                refusedForGood,
		"a long Retry-After is not waited for":        refusedForLong,
		"the service is gone":                         serviceGone,
		"the network is gone":                         networkGone,
		"leaving drops the request":                   leaving,
		"what was left does not come back":            newerWins,
		"going back":                                  goingBack,
		"members that nobody knows":                   tolerant,
		"markup in data is text":                      hostile,
		"sold out, and without a price":               cannotBeBought,
		"purchasable alone decides":                   purchasableDecides,
		"an offer that is refused":                    offerRefused,
		"an offer at another price":                   offerElsewhere,
		"a web front-end's headers":                   headers,
		"a page that has not changed":                 unchanged,
		"a refresh keeps the focus":                   focusKept,
		"by keyboard alone":                           keyboard,
		"a fake that does not answer":                 fakeGone,
		"no text becomes markup, whoever tries":       trustedTypes,
		"light, dark, wide, narrow and without haste": looks,
	} {
		t.Run(name, func(t *testing.T) { visit(&visitor{t, b, newWorld(t)}) })
	}
}

// visitor is someone with a browser before a shop of their own.
type visitor struct {
	*testing.T
	browser *browsertest.Browser
	*world
}

func (v *visitor) open(path string) *browsertest.Tab {
	return v.browser.Open(v, v.shop+path, browsertest.View{})
}

// body is a page in the contract's form with some members changed.
func body(changes map[string]any) map[string]any {
	all := map[string]any{
		"id": "p-1", "degraded": false, "purchasable": true, "product": map[string]any{"id": "p-1", "name": "Oak Vase"},
		"price": map[string]any{"amount": "10.50", "currency": "EUR", "asOf": "2026-11-29T10:00:00.123Z", "stale": false, "displayOnly": false},
		"stock": map[string]any{"available": true, "quantity": nil}, "reviews": nil, "recommendations": []any{}, "sections": map[string]any{},
	}
	for name, value := range changes {
		all[name] = value
	}
	return all
}

func page(changes map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, body(changes)) }
}

func refusal(retryAfter int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusServiceUnavailable, "dependency-unavailable", retryAfter, "stock", "timeout")
	}
}

func notFound(v *visitor) {
	tab := v.open("/p/missing-1")
	tab.Sees("h1", "We don’t have that one")
	tab.SeesNo("#product", "")
	tab.SeesNo("#notice-wait", "")
	tab.Sees("#downstream-catalog .became", "there is no such product")
	tab.Accessible()
	tab.Click("#notice-home a")
	tab.Sees("#product h1", "Velvet Oak Bench")
}

func noAddress(v *visitor) {
	tab := v.open("/p/two%20words")
	tab.Sees("h1", "That is no product of ours")
	tab.Accessible()
	if n := v.asked("/products/two words"); n != 0 {
		v.Errorf("the service was asked %d times", n)
	}
}

func refused(v *visitor) {
	var last atomic.Int64
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		if before := last.Swap(time.Now().UnixNano()); before != 0 {
			if gap := time.Since(time.Unix(0, before)); gap < 3*time.Second {
				v.Errorf("asked again after %s, when the service had said 3 s", gap)
			}
			page(nil)(w, r)
			return
		}
		refusal(3)(w, r)
	})
	tab := v.open("/p/p-1")
	tab.Sees("h1", "One moment, please")
	tab.SeesLike("#notice-wait", "^Trying again in [123] s$")
	tab.Sees("#notice-reference", "r-0123456789abcdef")
	tab.Sees("#downstream-stock .became", "no page without it: it took too long")
	tab.Sees("#product h1", "Oak Vase")
	tab.SeesNo("#notice", "")
}

func refusedForGood(v *visitor) {
	v.answer("/products/p-1", refusal(1))
	tab := v.open("/p/p-1")
	tab.Sees("#notice", "We tried several times")
	tab.SeesNo("#notice-wait", "")
	if n := v.asked("/products/p-1"); n != 6 {
		v.Errorf("asked %d times", n)
	}
	v.answer("/products/p-1", page(nil))
	tab.Click("#notice-again")
	tab.Sees("#product h1", "Oak Vase")
}

func refusedForLong(v *visitor) {
	v.answer("/products/p-1", refusal(3600))
	tab := v.open("/p/p-1")
	tab.Sees("#notice", "Please come back in a little while")
	tab.Sees("#notice-again", "Try again")
}

func serviceGone(v *visitor) {
	gone := httptest.NewServer(nil)
	address := gone.URL
	gone.Close()
	shop := serve(v.T, newStorefront(v.T, mustParse(v.T, address), mustParse(v.T, v.fakes)))
	tab := v.browser.Open(v, shop.String()+"/p/p-1001", browsertest.View{})
	tab.Sees("h1", "One moment, please")
	tab.SeesLike("#notice-wait", "^Trying again")
}

func networkGone(v *visitor) {
	front := httptest.NewServer(newStorefront(v.T, serve(v.T, v.stub), mustParse(v.T, v.fakes)))
	tab := v.browser.Open(v, front.URL+"/p/p-1001", browsertest.View{})
	tab.Sees("#product h1", "Velvet Oak Bench")
	front.CloseClientConnections()
	front.Close()
	tab.Sees("h1", "The shop can’t be reached")
	tab.SeesLike("#notice-wait", "^Trying again")
	tab.Sees("#panel-problem", "The fakes can’t be reached")
	tab.Accessible()
}

// slow answers when the test says so, and tells when whoever asked has left.
func (v *visitor) slow(path string) (answer context.CancelFunc, left <-chan struct{}) {
	ctx, cancel := context.WithCancel(v.Context())
	gone := make(chan struct{}, 8)
	v.answer(path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-ctx.Done():
			page(map[string]any{"product": map[string]any{"name": "Too late"}})(w, r)
		case <-r.Context().Done():
			gone <- struct{}{}
		}
	})
	v.Cleanup(cancel)
	return cancel, gone
}

func leaving(v *visitor) {
	_, left := v.slow("/products/p-1")
	tab := v.open("/p/p-1")
	tab.Sees("#loading", "being loaded")
	tab.Until("the service is asked", "true", "body")
	for v.asked("/products/p-1") == 0 {
		tab.Sees("#loading", "being loaded")
	}
	tab.Visit("about:blank")
	<-left
}

func newerWins(v *visitor) {
	answer, left := v.slow("/products/p-1")
	tab := v.open("/p/p-1")
	for v.asked("/products/p-1") == 0 {
		tab.Sees("#loading", "being loaded")
	}
	tab.Click(".brand")
	<-left
	tab.Sees("#product h1", "Velvet Oak Bench")
	answer()
	tab.SeesNo("body", "Too late")
}

func goingBack(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"recommendations": []any{map[string]any{"id": "p-2", "name": "Ash Kettle"}}}))
	v.answer("/products/p-2", page(map[string]any{"id": "p-2", "product": map[string]any{"name": "Ash Kettle"}}))
	tab := v.open("/p/p-1")
	tab.Click("#recommendations a")
	tab.Sees("#product h1", "Ash Kettle")
	tab.Until("the focus is on the title", "document.activeElement.id === 'name' && document.title.startsWith('Ash Kettle')", "h1")
	tab.Back()
	tab.Sees("#product h1", "Oak Vase")
}

func tolerant(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{
		"new": map[string]any{"member": []any{1}}, "reviews": map[string]any{"average": "high", "count": 3, "items": "none"},
		"recommendations": []any{nil, 7, map[string]any{"name": "no id"}, map[string]any{"id": "../admin", "name": "bad id"}, map[string]any{"id": "p-3"}},
		"sections":        map[string]any{"price": map[string]any{"status": "guessed"}, "delivery": map[string]any{"status": "ok"}},
	}))
	tab := v.open("/p/p-1")
	tab.Sees("#product h1", "Oak Vase")
	tab.Sees("#amount", "€10.50")
	tab.Sees("#recommendations li", "p-3")
	tab.SeesNo("#recommendations li", "bad id")
	tab.SeesNo("#recommendations li", "no id")
	tab.SeesNo("#reviews", "")
	tab.Accessible()
}

func hostile(v *visitor) {
	const markup = `<img src=x onerror="alert(1)">`
	v.answer("/products/p-1", page(map[string]any{
		"product":         map[string]any{"name": markup, "description": markup, "brand": markup},
		"reviews":         map[string]any{"average": 4, "count": 1, "items": []any{map[string]any{"author": markup, "text": markup, "rating": 9}}},
		"recommendations": []any{map[string]any{"id": "p-3", "name": markup}},
	}))
	tab := v.open("/p/p-1")
	for _, where := range []string{"#name", "#description", "#reviews-list", "#recommendations-list"} {
		tab.Sees(where, markup)
	}
	if n := browsertest.Ask[int](tab, "document.images.length"); n != 0 {
		v.Errorf("data became %d pictures", n)
	}
}

func cannotBeBought(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"purchasable": false, "stock": map[string]any{"available": false, "quantity": 0}}))
	v.answer("/products/p-2", page(map[string]any{"purchasable": false, "price": nil}))
	tab := v.open("/p/p-1")
	tab.Sees("#stock", "Sold out")
	tab.Sees("#why", "Come back soon")
	tab.Enabled("#buy", false)
	tab.Accessible()
	tab.Visit(v.shop + "/p/p-2")
	tab.Sees("#amount", "No price yet")
	tab.Sees("#why", "Without a price")
	tab.Enabled("#buy", false)
}

// purchasableDecides: a front-end does not work out for itself what the service has decided.
func purchasableDecides(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"purchasable": false}))
	tab := v.open("/p/p-1")
	tab.Sees("#stock", "In stock")
	tab.Sees("#why", "It can’t be bought just now")
	tab.Enabled("#buy", false)
}

func offerRefused(v *visitor) {
	v.answer("/products/p-1", page(nil))
	v.answer("/products/p-1/offer", refusal(4))
	tab := v.open("/p/p-1")
	tab.Click("#buy")
	tab.Sees("#offer", "nothing was charged. Please try again in 4 s.")
	tab.Accessible()
	v.answer("/products/p-1/offer", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "product-not-found", 0)
	})
	tab.Click("#buy")
	tab.Sees("#offer", "It has no price any more")
}

func offerElsewhere(v *visitor) {
	v.answer("/products/p-1", page(nil))
	for purchasable, says := range map[bool]string{true: "Live price confirmed: €12.3456", false: "just sold out"} {
		v.answer("/products/p-1/offer", func(w http.ResponseWriter, _ *http.Request) {
			write(w, http.StatusOK, map[string]any{"id": "p-1", "purchasable": purchasable, "price": map[string]any{"amount": "12.3456", "currency": "EUR"}})
		})
		tab := v.open("/p/p-1")
		tab.Click("#buy")
		tab.Sees("#offer", says)
	}
}

func headers(v *visitor) {
	seen := make(chan http.Header, 64)
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		page(nil)(w, r)
	})
	v.open("/p/p-1").Sees("#product h1", "Oak Vase")
	h := <-seen
	if h.Get("X-Client") != "web" || h.Get("X-Request-Timeout-Ms") != "3000" {
		v.Errorf("X-Client %q, X-Request-Timeout-Ms %q", h.Get("X-Client"), h.Get("X-Request-Timeout-Ms"))
	}
}

func unchanged(v *visitor) {
	known := make(chan struct{}, 64)
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("ETag", `W/"one"`)
		h.Set("Cache-Control", "private, no-cache")
		if r.Header.Get("If-None-Match") == `W/"one"` {
			w.WriteHeader(http.StatusNotModified)
			known <- struct{}{}
			return
		}
		_ = json.NewEncoder(w).Encode(body(nil))
	})
	tab := v.open("/p/p-1")
	<-known // the reload has asked whether it changed
	tab.SeesLike("#legend", "^Of [2-9] pages: [2-9] whole")
	tab.Sees("#product h1", "Oak Vase")
}

func focusKept(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"recommendations": []any{map[string]any{"id": "p-2", "name": "Ash Kettle"}}}))
	tab := v.open("/p/p-1")
	tab.Sees("#recommendations a", "Ash Kettle")
	browsertest.Ask[bool](tab, "document.querySelector('#recommendations a').focus() ?? true")
	tab.SeesLike("#legend", "^Of [3-9] pages")
	tab.Until("the focus is where it was", "document.activeElement.textContent === 'Ash Kettle'", "#recommendations")
}

func keyboard(v *visitor) {
	v.answer("/products/p-1", page(nil))
	tab := v.open("/p/p-1")
	tab.Sees("#product h1", "Oak Vase")
	want := []string{"Skip to the product", "Hearth & Hollow", "buy", "preset-healthy"}
	for _, next := range want {
		if got := tab.Tab(); got != next {
			v.Errorf("the next stop is %q, not %q", got, next)
		}
	}
	const latency = "#downstream-price .control input"
	tab.Press(latency, browsertest.End)
	tab.Sees("#downstream-price .fault", "It takes 8 s.")
	if got := browsertest.Ask[string](tab, "document.querySelector('"+latency+"').ariaValueText"); got != "8 s" {
		v.Errorf("a screen reader says %q", got)
	}
	tab.Press("#downstream-price .switch input", " ")
	tab.Sees("#downstream-price .fault", "It takes 8 s, hangs.")
	tab.Press(latency, browsertest.Home)
	tab.Sees("#downstream-price .fault", "It hangs.")
}

func fakeGone(v *visitor) {
	gone := httptest.NewServer(nil)
	address := gone.URL
	gone.Close()
	shop := serve(v.T, newStorefront(v.T, serve(v.T, v.stub), mustParse(v.T, address)))
	tab := v.browser.Open(v, shop.String()+"/p/p-1001", browsertest.View{})
	tab.Sees("#downstream-stock .fault", "This fake does not answer.")
	tab.Click("#preset-price-outage")
	tab.Sees("#panel-problem", "That could not be set")
}

func trustedTypes(v *visitor) {
	tab := v.open("/p/p-1001")
	refused := `(() => { try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`
	if !browsertest.Ask[bool](tab, refused) {
		v.Error("a text became markup")
	}
	tab.Forgive("TrustedHTML")
}

func looks(v *visitor) {
	for name, view := range map[string]browsertest.View{
		"light": {}, "dark": {Dark: true}, "phone": {Width: 390, Height: 844}, "phone-dark": {Width: 390, Height: 844, Dark: true},
		"tablet": {Width: 820, Height: 1180, StillMotion: true},
	} {
		tab := v.browser.Open(v, v.shop+"/p/p-1001", view)
		tab.SeesLike("#recommendations li", ".")
		tab.SeesLike("#downstream-price .became", "in the page")
		tab.Accessible()
		if wider := browsertest.Ask[int](tab, "document.documentElement.scrollWidth - innerWidth"); wider > 0 {
			v.Errorf("%s: %d pixels do not fit", name, wider)
		}
		moving := browsertest.Ask[int](tab, "getComputedStyle(document.getElementById('buy')).transitionDuration === '0s' ? 0 : 1")
		if (moving == 0) != view.StillMotion {
			v.Errorf("%s: motion %d, reduced %t", name, moving, view.StillMotion)
		}
		tab.Screenshot(fmt.Sprintf("storefront-%s", name))
	}
}
