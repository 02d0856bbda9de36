package storefront_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/bff/storefront/browsertest"
)

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
		"a Retry-After that is a date":                refusedUntil,
		"a Retry-After that is neither":               refusedVaguely,
		"a refusal takes the focus along":             focusTaken,
		"the service is gone":                         serviceGone,
		"the network is gone":                         networkGone,
		"leaving drops the request":                   leaving,
		"what was left does not come back":            newerWins,
		"going back":                                  goingBack,
		"links within the page":                       within,
		"a story that goes on already":                comesLate,
		"members that nobody knows":                   tolerant,
		"markup in data is text":                      hostile,
		"words without end":                           endless,
		"a good answer that is no page":               noPage,
		"sold out, and without a price":               cannotBeBought,
		"purchasable alone decides":                   purchasableDecides,
		"an offer that is refused":                    offerRefused,
		"an offer at another price":                   offerElsewhere,
		"a web front-end's headers":                   headers,
		"a page that has not changed":                 unchanged,
		"a refresh keeps the focus":                   focusKept,
		"by keyboard alone":                           keyboard,
		"coming back out of the browser's memory":     frozen,
		"controls used in a row":                      controls,
		"a fake that does not answer":                 fakeGone,
		"no text becomes markup, whoever tries":       trustedTypes,
		"light, dark, wide, narrow and without haste": looks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visit(&visitor{t, b, newWorld(t)})
		})
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

// await ends the visit when what is to happen does not within a minute.
func (v *visitor) await(happened <-chan struct{}, what string) {
	v.Helper()
	select {
	case <-happened:
	case <-time.After(time.Minute):
		v.Fatalf("%s never came", what)
	}
}

// loaded waits until the visitor's own page has come so many times, all of them whole or degraded.
func loaded(tab *browsertest.Tab, times int) {
	tab.Until(fmt.Sprintf("%d pages", times), fmt.Sprintf("document.querySelectorAll('#strip li:not(.other, .failed)').length >= %d", times), "#legend")
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
