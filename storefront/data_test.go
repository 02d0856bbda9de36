package storefront_test

import (
	"fmt"
	"net/http"
	"strings"

	"example.com/bff/storefront/browsertest"
)

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

// endless words are broken: a page that is wider than the window hides half of itself.
func endless(v *visitor) {
	word := strings.Repeat("Donaudampfschiff", 20)
	v.answer("/products/p-1", page(map[string]any{
		"product":         map[string]any{"name": word, "description": word, "brand": word},
		"price":           map[string]any{"amount": "999999999999999.123456", "currency": "EUR"},
		"reviews":         map[string]any{"items": []any{map[string]any{"author": word, "title": word, "text": word}}},
		"recommendations": []any{map[string]any{"id": "p-3", "name": word}, map[string]any{"id": strings.Repeat("w", 64), "name": ""}},
	}))
	for _, width := range []int64{1280, 390} {
		tab := v.browser.Open(v, v.shop+"/p/p-1", browsertest.View{Width: width, Height: 900})
		tab.Sees("#recommendations li", word)
		tab.Accessible()
		fits(v, tab)
	}
}

// noPage is an answer that has the form of a good one and is none, as some network's own.
func noPage(v *visitor) {
	for i, answer := range []any{nil, []any{}, map[string]any{"welcome": "to our wireless network"}} {
		path := fmt.Sprintf("/p-%d", i)
		v.answer("/products"+path, func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, answer) })
		tab := v.open("/p" + path)
		tab.Sees("h1", "The shop can’t be reached")
		tab.SeesLike("#notice-wait", "^Trying again")
	}
}

func trustedTypes(v *visitor) {
	tab := v.open("/p/p-1001")
	refused := `(() => { try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`
	if !browsertest.Ask[bool](tab, refused) {
		v.Error("a text became markup")
	}
	tab.Forgive("TrustedHTML")
}

func cannotBeBought(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"purchasable": false, "stock": map[string]any{"available": false, "quantity": 0}}))
	v.answer("/products/p-2", page(map[string]any{"purchasable": false, "price": nil}))
	v.answer("/products/p-3", page(map[string]any{"purchasable": false, "price": map[string]any{"currency": "EUR", "stale": true}}))
	tab := v.open("/p/p-1")
	tab.Sees("#stock", "Sold out")
	tab.Sees("#why", "Come back soon")
	tab.Enabled("#buy", false)
	tab.Accessible()
	tab.Visit(v.shop + "/p/p-2")
	tab.Sees("#amount", "No price yet")
	tab.Sees("#why", "Without a price")
	tab.Enabled("#buy", false)
	tab.Visit(v.shop + "/p/p-3")
	tab.Sees("#amount", "No price yet")
	tab.SeesNo("#as-of", "")
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
