package browsertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Sees waits until a visible element that the selector finds has the text in it.
func (tab *Tab) Sees(selector, text string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf("%q in %s", text, selector), seen(selector)+".some(s => s.includes("+quote(text)+"))", selector)
}

// SeesNo waits until nothing visible that the selector finds has the text in it; with "" until nothing is visible.
func (tab *Tab) SeesNo(selector, text string) {
	tab.t.Helper()
	what := fmt.Sprintf("%s without %q", selector, text)
	if text == "" {
		what = "no " + selector
	}
	tab.Until(what, "!"+seen(selector)+".some(s => s.includes("+quote(text)+"))", selector)
}

// SeesLike waits until a visible element that the selector finds has a text that matches the JavaScript pattern.
func (tab *Tab) SeesLike(selector, pattern string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf("/%s/ in %s", pattern, selector), seen(selector)+".some(s => /"+pattern+"/.test(s))", selector)
}

// Enabled waits until the control can be used, or cannot.
func (tab *Tab) Enabled(selector string, want bool) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf("%s enabled: %t", selector, want), fmt.Sprintf("document.querySelector(%s).disabled === %t", quote(selector), !want), selector)
}

// Text is the visible text of the first element that the selector finds.
func (tab *Tab) Text(selector string) string {
	tab.t.Helper()
	return Ask[string](tab, seen(selector)+"[0] ?? ''")
}

// seen is the visible texts of what a selector finds. innerText leaves out what is not displayed, save when the
// element itself is not. A space that does not break is a space.
func seen(selector string) string {
	return "[...document.querySelectorAll(" + quote(selector) + ")].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => (e.innerText ?? '').replaceAll('\u00a0', ' '))"
}

// Until waits until the JavaScript condition holds. When it never does, the test ends and tells what was to be seen,
// and the text of what the selector finds.
func (tab *Tab) Until(what, condition, selector string) {
	tab.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(glance) {
		if Ask[bool](tab, condition) {
			return
		}
		if time.Now().After(end) {
			tab.Screenshot("failed-" + strings.ReplaceAll(tab.t.Name(), "/", "-"))
			tab.t.Fatalf("never saw %s; last it was %q", what, tab.Text(selector))
		}
	}
}

// Click clicks the first element that the selector finds, where a person would.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.reach(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// reach does to an element what the action is, on the one that took its place where a page that is live replaced it just
// then: nothing was done to the first one.
func (tab *Tab) reach(action chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	for end := time.Now().Add(patience); ; {
		_, err := run(tab, action)
		if err == nil || !strings.Contains(err.Error(), "Could not find node with given id") || time.Now().After(end) {
			tab.check(err)
			return
		}
	}
}

// Keys to Press.
const (
	Home   = kb.Home
	End    = kb.End
	Enter  = kb.Enter
	Escape = kb.Escape
)

// Press moves the focus to an element and presses a key there.
func (tab *Tab) Press(selector, key string) {
	tab.t.Helper()
	tab.reach(chromedp.Focus(chromedp.CSS(selector)))
	tab.do(chromedp.KeyEvent(key))
}

// Tab presses the tabulator and tells what has the focus then: its id, or else its text.
func (tab *Tab) Tab() string {
	tab.t.Helper()
	tab.do(chromedp.KeyEvent(kb.Tab))
	return Ask[string](tab, "document.activeElement.id || document.activeElement.textContent.trim()")
}

// Visit goes to another address.
func (tab *Tab) Visit(address string) {
	tab.t.Helper()
	tab.do(chromedp.Navigate(address))
}

// Back goes back by one page.
func (tab *Tab) Back() {
	tab.t.Helper()
	Ask[bool](tab, "history.back() ?? true")
}

//go:embed accessibility.js
var accessibility string

// Accessible fails the test for what would keep people out: controls and pictures without a name, contrast under 4.5,
// headings out of order, ids twice, references to nothing, targets too small to hit.
func (tab *Tab) Accessible() {
	tab.t.Helper()
	for _, finding := range Ask[[]string](tab, accessibility) {
		tab.t.Errorf("accessibility: %s", finding)
	}
}

// Drawn fails the test for a shape whose colour tells something, but cannot be told from what is beneath it.
func (tab *Tab) Drawn(selectors ...string) {
	tab.t.Helper()
	for _, selector := range selectors {
		seen := Ask[bool](tab, fmt.Sprintf(`(() => {
			const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility());
			const { backgroundColor, backgroundImage, borderTopStyle, borderTopColor } = getComputedStyle(e);
			const told = [backgroundColor, ...(borderTopStyle === "none" ? [] : [borderTopColor])];
			const beneath = [getComputedStyle(document.body).backgroundColor, "rgba(0, 0, 0, 0)"];
			return backgroundImage !== "none" || told.some((colour) => !beneath.includes(colour));
		})()`, quote(selector)))
		if !seen {
			tab.t.Errorf("%s cannot be seen", selector)
		}
	}
}

// Ask evaluates a JavaScript expression in the page.
func Ask[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	value, err := run(tab, chromedp.Evaluate[T](expression))
	if err != nil {
		tab.t.Fatalf("%v, asked for: %.200s", err, strings.TrimSpace(expression))
	}
	return value
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings can be marshalled
	}
	return string(b)
}
