package page_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/page"
)

var asOf = time.Date(2026, 11, 29, 10, 0, 0, 123456789, time.FixedZone("", 3600))

func id(t testing.TB) page.ID {
	t.Helper()
	id, err := page.ParseID("p-1001")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func quote(t testing.TB, amount string, at time.Time) page.Quote {
	t.Helper()
	q, err := page.NewQuote(amount, "EUR", at)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func fullPage(t testing.TB, at time.Time) *page.Page {
	return &page.Page{
		ID:              id(t),
		Product:         page.Product(`{"id":"p-1001","name":"Lamp","ean":4006381333931000000000001}`),
		Price:           page.LivePrice(quote(t, "129.90", at)),
		Stock:           page.Answered(page.NewAvailability(true, 7)),
		Reviews:         page.Have(page.ReviewSummary(`{"average":4.40}`)),
		Recommendations: page.Have(page.Items(`[{"id":"a"},2.50]`)),
	}
}

func TestPageJSON(t *testing.T) {
	const sections = `"sections":{"product":{"status":"ok"},`
	tests := map[string]struct {
		change func(*page.Page)
		want   []string
	}{
		"full": {func(*page.Page) {}, []string{
			`{"id":"p-1001","degraded":false,"purchasable":true,"product":{"id":"p-1001","name":"Lamp","ean":4006381333931000000000001},`,
			`"price":{"amount":"129.90","currency":"EUR","asOf":"2026-11-29T09:00:00.123Z","stale":false,"displayOnly":false},`,
			`"stock":{"available":true,"quantity":7},"reviews":{"average":4.40},"recommendations":[{"id":"a"},2.50],`,
			sections + `"price":{"status":"ok"},"stock":{"status":"ok"},"reviews":{"status":"ok"},"recommendations":{"status":"ok"}}}`,
		}},
		"optional parts missing": {func(p *page.Page) {
			p.Reviews = page.Missing[page.ReviewSummary](page.InvalidResponse)
			p.Recommendations = page.Missing[page.Items](page.BreakerOpen)
		}, []string{
			`"degraded":true,"purchasable":true`, `"reviews":null,"recommendations":[],`,
			`"reviews":{"status":"unavailable","reason":"invalid_response"},"recommendations":{"status":"unavailable","reason":"breaker_open"}}}`,
		}},
		"optional parts absent": {func(p *page.Page) {
			p.Reviews = page.Without[page.ReviewSummary]()
			p.Recommendations = page.Without[page.Items]()
		}, []string{
			`"degraded":false`, `"reviews":null,"recommendations":[],`,
			`"reviews":{"status":"absent"},"recommendations":{"status":"absent"}}}`,
		}},
		"stale price": {func(p *page.Page) {
			p.Price = page.StalePrice(quote(t, "0.5", asOf).Shown(), page.Timeout, asOf.Add(61234*time.Millisecond))
		}, []string{
			`"degraded":true,"purchasable":false`, `"asOf":"2026-11-29T09:00:00.123Z","stale":true,"displayOnly":true}`,
			`"price":{"status":"stale","reason":"timeout","ageMs":61234}`,
		}},
		"stale price of an instance whose clock is ahead": {func(p *page.Page) {
			p.Price = page.StalePrice(quote(t, "0.5", asOf).Shown(), page.Timeout, asOf.Add(-time.Second))
		}, []string{`"price":{"status":"stale","reason":"timeout","ageMs":0}`}},
		"no price": {func(p *page.Page) { p.Price = page.NoPrice() }, []string{
			`"degraded":false,"purchasable":false`, `"price":null`, `"price":{"status":"absent"}`,
		}},
		"no stock": {func(p *page.Page) { p.Stock = page.AnsweredNothing[page.Availability]() }, []string{
			`"degraded":false,"purchasable":false`, `"stock":{"available":false,"quantity":0}`, `"stock":{"status":"absent"}`,
		}},
		"quantity not told": {func(p *page.Page) {
			p.Stock = page.Answered(page.NewAvailability(true, page.QuantityUnknown))
		}, []string{`"purchasable":true`, `"stock":{"available":true,"quantity":null}`}},
		"sold out": {func(p *page.Page) { p.Stock = page.Answered(page.NewAvailability(false, 0)) }, []string{
			`"degraded":false,"purchasable":false`, `"stock":{"available":false,"quantity":0}`,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := fullPage(t, asOf)
			tt.change(p)
			got := string(p.AppendJSON(nil))
			if !json.Valid([]byte(got)) {
				t.Fatalf("not JSON: %s", got)
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("lacks %s\n%s", want, got)
				}
			}
		})
	}
}

func TestETagFollowsContentNotTime(t *testing.T) {
	tag := func(p *page.Page) string {
		prefix := []byte("kept")
		body, tag := p.AppendJSONWithETag(prefix)
		if string(body) != "kept"+string(p.AppendJSON(nil)) {
			t.Fatalf("the body differs: %s", body)
		}
		return tag
	}
	full := tag(fullPage(t, asOf))
	if later := tag(fullPage(t, asOf.Add(time.Hour))); later != full {
		t.Errorf("the same content an hour later: %s, then %s", full, later)
	}
	if !strings.HasPrefix(full, `W/"`) || !strings.HasSuffix(full, `"`) {
		t.Errorf("not a weak validator: %s", full)
	}
	changes := map[string]func(*page.Page){
		"price":   func(p *page.Page) { p.Price = page.LivePrice(quote(t, "129.91", asOf)) },
		"stock":   func(p *page.Page) { p.Stock = page.Answered(page.NewAvailability(true, 6)) },
		"reviews": func(p *page.Page) { p.Reviews = page.Without[page.ReviewSummary]() },
		"product": func(p *page.Page) { p.Product = page.Product(`{}`) },
	}
	for name, change := range changes {
		p := fullPage(t, asOf)
		change(p)
		if tag(p) == full {
			t.Errorf("another %s has the same validator", name)
		}
	}
}

func TestOfferJSON(t *testing.T) {
	q := quote(t, "10", asOf)
	for stock, want := range map[page.Answer[page.Availability]]string{
		page.Answered(page.NewAvailability(true, 7)):  `"stock":{"available":true,"quantity":7},"purchasable":true}`,
		page.Answered(page.NewAvailability(false, 0)): `"stock":{"available":false,"quantity":0},"purchasable":false}`,
		page.AnsweredNothing[page.Availability]():     `"stock":{"available":false,"quantity":0},"purchasable":false}`,
	} {
		got := string(page.NewOffer(id(t), q, stock).AppendJSON(nil))
		want = `{"id":"p-1001","price":{"amount":"10","currency":"EUR","asOf":"2026-11-29T09:00:00.123Z"},` + want
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
