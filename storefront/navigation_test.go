package storefront_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"example.com/bff/fakes"
	"example.com/bff/storefront/browsertest"
)

// slowly answers a path when the test says so, and tells when it was asked and when whoever asked has left.
func (v *visitor) slowly(path string) (asked, left <-chan struct{}, answer func()) {
	now, answer := context.WithCancel(v.Context())
	came, gone := make(chan struct{}, 8), make(chan struct{}, 8)
	v.answer(path, func(w http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		select {
		case <-now.Done():
			page(map[string]any{"product": map[string]any{"name": "Too late"}})(w, r)
		case <-r.Context().Done():
			gone <- struct{}{}
		}
	})
	v.Cleanup(answer)
	return came, gone, answer
}

func leaving(v *visitor) {
	asked, left, _ := v.slowly("/products/p-1")
	tab := v.open("/p/p-1")
	tab.Sees("#loading", "being loaded")
	v.await(asked, "the question")
	tab.Visit("about:blank")
	v.await(left, "the end of the question")
}

func newerWins(v *visitor) {
	asked, left, answer := v.slowly("/products/p-1")
	tab := v.open("/p/p-1")
	v.await(asked, "the question")
	tab.Click(".brand")
	v.await(left, "the end of the question")
	if n := v.asked("/products/p-1001"); n > 1 {
		v.Errorf("the question ended when the next product had been asked for %d times: that was its own patience", n)
	}
	tab.Sees("#product h1", "Velvet Oak Bench")
	browsertest.Ask[bool](tab, `(() => {
		window.names = [];
		new MutationObserver(() => names.push(document.getElementById("name").textContent))
			.observe(document.getElementById("name"), {childList: true, characterData: true, subtree: true});
		return true;
	})()`)
	answer()
	loaded(tab, 3)
	if names := browsertest.Ask[[]string](tab, "names"); len(names) > 0 {
		v.Errorf("the title became %q", names)
	}
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

// within: links to a part of the page lead there, and nothing is asked for anew.
func within(v *visitor) {
	v.answer("/products/p-1", page(nil))
	tab := v.browser.Open(v, v.shop+"/p/p-1", browsertest.View{Width: 360, Height: 740})
	tab.Sees("#product h1", "Oak Vase")
	browsertest.Ask[bool](tab, `(() => {
		window.hidden = 0;
		const product = document.getElementById("product");
		new MutationObserver(() => { if (product.hidden) hidden++; }).observe(product, {attributes: true});
		return true;
	})()`)
	tab.Press(".skip", browsertest.Enter)
	tab.Until("the focus is on the product", "document.activeElement.id === 'main'", "body")
	tab.Click(".backstage")
	tab.Until("the panel is in view", "Math.abs(document.getElementById('panel').getBoundingClientRect().top) < 2", "#panel h2")
	tab.Click(".onstage")
	tab.Until("the product is in view", "Math.abs(document.getElementById('main').getBoundingClientRect().top) < 2", "h1")
	loaded(tab, 3)
	if times := browsertest.Ask[int](tab, "hidden"); times > 0 {
		v.Errorf("the product was taken away %d times", times)
	}
}

// comesLate is who opens the shop when a story goes on: as docker compose begins, and after a reload. The first look at
// the fakes may well miss one.
func comesLate(v *visitor) {
	all := fakes.New(fakes.Options{})
	if err := all.Set("recommendations", fakes.Fault{LatencyMs: new(8000)}); err != nil {
		v.Fatal(err)
	}
	var missed atomic.Bool
	downstreams := serve(v.T, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_fault/recommendations" && missed.CompareAndSwap(false, true) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		all.ServeHTTP(w, r)
	}))
	shop := serve(v.T, newStorefront(v.T, serve(v.T, v.stub), downstreams))
	tab := v.browser.Open(v, shop.String()+"/p/p-1001", browsertest.View{})
	tab.Sees("#story", "Recommendations take 8 s.")
	tab.Sees("#presets [aria-pressed=true]", "Slow recommendations")
	tab.Until("a crowd", "document.getElementById('visitors').value === '10'", "#story")
}

// frozen is a page that was left and come back to many times: it has one of everything that goes on by itself.
func frozen(v *visitor) {
	v.answer("/products/p-1", page(nil))
	tab := v.open("/p/p-1")
	tab.Sees("#product h1", "Oak Vase")
	browsertest.Ask[bool](tab, `(() => {
		for (let i = 0; i < 20; i++) {
			dispatchEvent(new PageTransitionEvent("pagehide", {persisted: true}));
			dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
		}
		performance.clearResourceTimings();
		return true;
	})()`)
	loaded(tab, 3)
	asked := "performance.getEntriesByType('resource').filter(e => e.name.endsWith('/fakes')).length"
	tab.Until("a look at the fakes", asked+" > 0", "#legend")
	if looks, pages := browsertest.Ask[int](tab, asked), v.asked("/products/p-1"); looks > 30 || pages > 30 {
		v.Errorf("it looked at the fakes %d times, and asked for its page %d times", looks, pages)
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
	v.await(known, "a reload that asks whether it changed")
	loaded(tab, 2)
	tab.Sees("#product h1", "Oak Vase")
}
