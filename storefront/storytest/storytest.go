// Package storytest tells every story of the storefront's panel to a person in front of a real browser, and checks what
// that person sees. It knows the storefront's address alone: what answers behind it, a stub or the service, is the
// caller's choice.
package storytest

import (
	"testing"

	"example.com/bff/storefront/browsertest"
)

// story is one preset of the panel, and what a person sees once it is chosen.
type story struct {
	preset string
	sees   func(*person)
}

// stories follow one another: a price that is down is shown from memory because it was up before.
var stories = []story{
	{"healthy", (*person).everything},
	{"slow-recommendations", (*person).noRecommendations},
	{"price-outage", (*person).lastKnownPrice},
	{"stock-outage", (*person).kindWord},
	{"retry-storm", (*person).struggling},
	{"recovery", (*person).everything},
}

// person is who looks at the page.
type person struct{ *browsertest.Tab }

// Tell opens the shop and goes through all presets, in order; each is a subtest, and leaves a screenshot named
// prefix-preset among the artefacts. The five fakes must be the caller's own: their faults are set.
func Tell(t *testing.T, b *browsertest.Browser, shop, prefix string) {
	p := &person{b.Open(t, shop, browsertest.View{})}
	p.SeesLike("h1", ".")
	for _, s := range stories {
		told := t.Run(s.preset, func(t *testing.T) {
			p.For(t)
			p.Click("#preset-" + s.preset)
			p.Until("buttons of one width, with their words inside", "(all => new Set(all.map(b => Math.round(b.getBoundingClientRect().width))).size === 1 && all.every(b => b.scrollWidth <= b.clientWidth))([...document.querySelectorAll('#presets button')])", "#presets")
			p.Until(s.preset+" chosen", "document.getElementById('preset-"+s.preset+"').ariaPressed === 'true'", "#presets")
			s.sees(p)
			p.Until("counts beside the names", "[...document.querySelectorAll('.downstream header')].every(h => h.querySelector('.stats').offsetTop < h.offsetTop + h.querySelector('h4').offsetHeight)", ".downstream header")
			p.Accessible()
			p.Screenshot(prefix + "-" + s.preset)
		})
		if !told {
			return // the next ones build on it
		}
	}
	p.For(t)
	comesBackByItself(p)
}

// everything is a page that is whole, and a purchase that is confirmed live.
func (p *person) everything() {
	for _, name := range []string{"catalog", "price", "stock", "reviews", "recommendations"} {
		p.Sees("#downstream-"+name+" .became", "in the page")
		p.SeesNo("#downstream-"+name+" .fault", "")
	}
	p.SeesLike("#product h1", ".")
	p.SeesLike("#amount", "^€\\d")
	p.SeesNo("#as-of", "")
	p.Sees("#stock", "In stock")
	p.SeesNo("#notice", "")
	p.Sees("#recommendations h2", "Goes well with it")
	p.Enabled("#buy", true)
	p.Click("#buy")
	p.Sees("#offer", "Live price confirmed: "+p.Text("#amount"))
}

// noRecommendations is a page without a hole where they were; all the rest is there and can be bought.
func (p *person) noRecommendations() {
	p.SeesLike("#downstream-recommendations .became", "left out: (it took too long|it keeps failing)")
	p.Sees("#downstream-recommendations .fault", "takes 8 s")
	p.SeesNo("#recommendations", "")
	p.SeesLike("#product h1", ".")
	p.SeesNo("#as-of", "")
	p.Enabled("#buy", true)
	p.SeesLike("#legend", "[1-9]\\d* degraded")
}

// lastKnownPrice is shown with its time, and cannot be bought.
func (p *person) lastKnownPrice() {
	p.SeesLike("#downstream-price .became", "last known price shown")
	p.SeesLike("#amount", "^€\\d")
	p.SeesLike("#as-of", "^as of \\d\\d:\\d\\d:\\d\\d$")
	p.Enabled("#buy", false)
	p.Sees("#why", "We can’t confirm this price right now")
	p.SeesNo("#offer", "confirmed")
}

// kindWord stands in place of the product, and says when it tries again.
func (p *person) kindWord() {
	p.Sees("h1", "One moment, please")
	p.Sees("#notice", "We try again by ourselves")
	p.SeesLike("#notice-wait", "^Trying again")
	p.SeesNo("#product", "")
	p.SeesLike("#downstream-stock .became", "no page without it")
}

// struggling shows the product or a kind word, and never nothing.
func (p *person) struggling() {
	p.SeesLike("#downstream-catalog .fault", "50 % with 503")
	p.SeesLike("#downstream-catalog .stats", "^[2-9]\\d+ calls")
	p.SeesLike("#product h1, #notice h1", ".")
}

// comesBackByItself breaks stock and mends it by hand, in the panel, without touching the page.
func comesBackByItself(p *person) {
	const errors = "#downstream-stock .control:nth-of-type(2) input"
	p.Press(errors, browsertest.End)
	p.Sees("#downstream-stock .fault", "everything with 503")
	p.Sees("#story", "Your own story")
	p.Sees("h1", "One moment, please")
	p.Press(errors, browsertest.Home)
	p.SeesNo("#downstream-stock .fault", "")
	p.SeesNo("#notice", "")
	p.SeesLike("#product h1", ".")
	p.Enabled("#buy", true)
}
