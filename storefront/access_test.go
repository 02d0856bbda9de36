package storefront_test

import "example.com/bff/storefront/browsertest"

func focusKept(v *visitor) {
	v.answer("/products/p-1", page(map[string]any{"recommendations": []any{map[string]any{"id": "p-2", "name": "Ash Kettle"}}}))
	tab := v.open("/p/p-1")
	tab.Sees("#recommendations a", "Ash Kettle")
	browsertest.Ask[bool](tab, "document.querySelector('#recommendations a').focus() ?? true")
	loaded(tab, 3)
	tab.Until("the focus is where it was", "document.activeElement.textContent === 'Ash Kettle'", "#recommendations")
}

// focusTaken: when what has the focus goes, the title of what comes has it, and a keyboard goes on from there.
func focusTaken(v *visitor) {
	v.answer("/products/p-1", page(nil))
	tab := v.open("/p/p-1")
	tab.Sees("#product h1", "Oak Vase")
	browsertest.Ask[bool](tab, "document.getElementById('buy').focus() ?? true")
	v.answer("/products/p-1", refusal(2))
	tab.Until("the focus is on the notice", "document.activeElement.id === 'notice-title'", "body")
	v.answer("/products/p-1", page(nil))
	tab.Until("the focus is on the product", "document.activeElement.id === 'name'", "body")
	browsertest.Ask[bool](tab, "document.getElementById('buy').focus() ?? true")
	v.answer("/products/p-1", page(map[string]any{"purchasable": false}))
	tab.Enabled("#buy", false)
	tab.Until("the focus is not lost with the button", "document.activeElement.id === 'name'", "body")
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
	if got := browsertest.Ask[string](tab, "document.querySelector('"+latency+"').ariaValueText"); got != "8\u00a0s" {
		v.Errorf("a screen reader says %q", got)
	}
	tab.Press("#downstream-price .switch input", " ")
	tab.Sees("#downstream-price .fault", "It takes 8 s, hangs.")
	tab.Press(latency, browsertest.Home)
	tab.Sees("#downstream-price .fault", "It hangs.")
}

// controls are used one after the other, quicker than the fakes can tell what holds.
func controls(v *visitor) {
	tab := v.open("/p/p-1001")
	tab.SeesLike("#product h1", ".")
	browsertest.Ask[bool](tab, `(() => {
		const [latency, errors, hang, drip] = document.querySelectorAll("#downstream-reviews input");
		latency.value = 10; latency.dispatchEvent(new Event("change"));
		errors.value = 3; errors.dispatchEvent(new Event("change"));
		drip.click();
		return hang.type === "checkbox";
	})()`)
	tab.Sees("#downstream-reviews .fault", "It takes 8 s, answers 50 % with 503, drips its answer byte by byte.")
	tab.Sees("#downstream-reviews .became", "left out")
	tab.SeesNo("#reviews", "")
	tab.Click("#preset-recovery")
	tab.SeesNo("#downstream-reviews .fault", "")
	tab.Sees("#downstream-reviews .became", "in the page")
}

func fakeGone(v *visitor) {
	shop := serve(v.T, newStorefront(v.T, serve(v.T, v.stub), nowhere(v.T)))
	tab := v.browser.Open(v, shop.String()+"/p/p-1001", browsertest.View{})
	tab.Sees("#downstream-stock .fault", "This fake does not answer.")
	tab.Click("#preset-price-outage")
	tab.Sees("#panel-problem", "That could not be set")
}

func fits(v *visitor, tab *browsertest.Tab) {
	v.Helper()
	if wider := browsertest.Ask[int](tab, "document.documentElement.scrollWidth - innerWidth"); wider > 0 {
		v.Errorf("%d pixels do not fit into %d", wider, browsertest.Ask[int](tab, "innerWidth"))
	}
}

func looks(v *visitor) {
	for name, view := range map[string]browsertest.View{
		"light": {}, "dark": {Dark: true}, "phone": {Width: 360, Height: 740}, "phone-dark": {Width: 360, Height: 3000, Dark: true},
		"tablet": {Width: 820, Height: 1180, StillMotion: true}, "forced": {Forced: true},
	} {
		tab := v.browser.Open(v, v.shop+"/p/p-1001", view)
		tab.SeesLike("#recommendations li", ".")
		tab.SeesLike("#downstream-price .became", "in the page")
		tab.Accessible()
		tab.Drawn("#strip li", ".took span")
		if edge := browsertest.Ask[string](tab, "getComputedStyle(document.getElementById('buy')).borderTopColor"); view.Forced && edge != "rgb(0, 0, 0)" {
			v.Errorf("where backgrounds go, the button has an edge of %s", edge)
		}
		fits(v, tab)
		moving := browsertest.Ask[int](tab, "getComputedStyle(document.getElementById('buy')).transitionDuration === '0s' ? 0 : 1")
		if (moving == 0) != view.StillMotion {
			v.Errorf("%s: motion %d, reduced %t", name, moving, view.StillMotion)
		}
		tab.Screenshot("storefront-" + name)
	}
}
