package storefront_test

import (
	"net/http"
	"net/http/httptest"
	"time"

	"example.com/bff/storefront/browsertest"
)

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
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		since := time.Now()
		v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
			if gap := time.Since(since); gap < 3*time.Second {
				v.Errorf("asked again after %s, when the service had said 3 s", gap)
			}
			v.answer("/products/p-1", page(nil))
			page(nil)(w, r)
		})
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
	tab.Sees("#notice", "It is our fault, not yours. Please come back in about 60 minutes.")
	tab.Sees("#notice-again", "Try again")
}

func refusedUntil(v *visitor) {
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		v.answer("/products/p-1", page(nil))
		w.Header().Set("Retry-After", time.Now().Add(4*time.Second).UTC().Format(http.TimeFormat))
		problem(w, http.StatusServiceUnavailable, "overloaded", 0)
	})
	tab := v.open("/p/p-1")
	tab.SeesLike("#notice-wait", "^Trying again in [1-4] s$")
	tab.Sees("#product h1", "Oak Vase")
}

// refusedVaguely is told nothing, and so waits longer from one try to the next.
func refusedVaguely(v *visitor) {
	v.answer("/products/p-1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "-5")
		problem(w, http.StatusServiceUnavailable, "overloaded", 0)
	})
	v.open("/p/p-1").SeesLike("#notice-wait", "^Trying again in [45] s$")
}

func serviceGone(v *visitor) {
	shop := serve(v.T, newStorefront(v.T, nowhere(v.T), mustParse(v.T, v.fakes)))
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
