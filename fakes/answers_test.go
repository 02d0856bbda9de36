package fakes_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"example.com/bff/fakes"
)

// The product of every example.
func TestGoldenProduct(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for path, want := range map[string]string{
			"/catalog/p-1001": `{"id":"p-1001","name":"Velvet Oak Bench","description":"Velvet Oak Bench, made by Juniper Lane to be used every day.",` +
				`"brand":"Juniper Lane","image":"/images/8.svg","language":"en","serial":4074419481975769237876995,"weightKg":19.49041104566890410500}`,
			"/price/p-1001": `{"amount":"129.90","currency":"EUR","taxRate":"0.19"}`,
			"/stock/p-1001": `{"available":true,"quantity":7}`,
		} {
			a := w.get(path)
			equal(t, path, a.body, want)
			equal(t, path, a.header.Get("Content-Type"), "application/json")
		}
	})
}

// What docs/api.md says that downstreams answer, written down once more by hand.
var agreed = map[string]func(body []byte) error{
	"catalog": func(body []byte) error {
		var v struct{ ID, Name, Brand, Description, Image *string }
		if err := json.Unmarshal(body, &v); err != nil || v.ID == nil || v.Name == nil || *v.Name == "" || v.Brand == nil || v.Image == nil {
			return fmt.Errorf("no product: %v", err)
		}
		if !regexp.MustCompile(`"serial":4\d{24},`).Match(body) {
			return fmt.Errorf("no number with many digits")
		}
		return nil
	},
	"price": match(`^\{"amount":("\d{1,3}\.\d\d"|\d{1,3}\.\d\d),"currency":"EUR",.*\}$`),
	"stock": match(`^\{"available":(true(,"quantity":[1-9]\d*)?|false,"quantity":0)\}$`),
	"reviews": func(body []byte) error {
		var v struct {
			Average *float64
			Count   *int
			Items   []struct{ Author, Text *string }
		}
		if err := json.Unmarshal(body, &v); err != nil || v.Average == nil || v.Count == nil || v.Items == nil || *v.Count < len(v.Items) {
			return fmt.Errorf("no reviews: %v", err)
		}
		return nil
	},
	"recommendations": func(body []byte) error {
		var v struct{ Items []struct{ ID, Name string } }
		if err := json.Unmarshal(body, &v); err != nil || len(v.Items) < 4 || len(v.Items) > 8 || v.Items[0].ID == "" || v.Items[0].Name == "" {
			return fmt.Errorf("no recommendations: %v", err)
		}
		return nil
	},
}

func match(pattern string) func([]byte) error {
	return func(body []byte) error {
		if !regexp.MustCompile(pattern).Match(body) {
			return fmt.Errorf("does not match %s", pattern)
		}
		return nil
	}
}

func TestEveryAnswerIsAsAgreedAndTheSameAgain(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for downstream, check := range agreed {
			different := map[string]bool{}
			for i := range 100 {
				path := fmt.Sprintf("/%s/any~id.%d", downstream, i)
				a := w.get(path)
				if err := check([]byte(a.body)); err != nil || a.status != 200 {
					t.Errorf("%s: %d %s: %v", path, a.status, a.body, err)
				}
				if a.took < 15*time.Millisecond || a.took > 40*time.Millisecond {
					t.Errorf("%s took %v", path, a.took)
				}
				again := w.get(path)
				equal(t, path+" again", again.body, a.body)
				equal(t, path+" again", again.took, a.took)
				different[a.body] = true
			}
			if len(different) < 20 {
				t.Errorf("%s has %d answers for 100 ids", downstream, len(different))
			}
		}
	})
}

// Among a hundred products there is one of each form that the contract allows.
func TestAllFormsOccur(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		seen := map[string]int{}
		forms := map[string]*regexp.Regexp{}
		for _, form := range []string{`"amount":"`, `"amount":\d`, `"available":true,"quantity"`, `"available":true}`, `"available":false,"quantity":0`, `"items":\[\]`} {
			forms[form] = regexp.MustCompile(form)
		}
		for i := range 100 {
			for _, downstream := range []string{"price", "stock", "reviews"} {
				body := w.get(fmt.Sprintf("/%s/p-%d", downstream, 1000+i)).body
				for form, re := range forms {
					if re.MatchString(body) {
						seen[form]++
					}
				}
			}
		}
		for form := range forms {
			if seen[form] == 0 {
				t.Errorf("no answer has the form %s", form)
			}
		}
	})
}

func TestMarketAndLanguageShapeAnswers(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for _, c := range []struct{ path, header, value, want string }{
			{"/price/p-1001", "X-Market", "us", `{"amount":"129.90","currency":"USD","taxRate":"0.19"}`},
			{"/price/p-1001", "X-Market", "DE", `"currency":"EUR"`},
			{"/price/p-1001", "X-Market", `"><script>`, `"currency":"EUR"`},
			{"/catalog/p-1001", "X-Market", "CH", `"market":"CH"`},
			{"/catalog/p-1001", "Accept-Language", "de-CH;q=0.9, en", `"language":"de-CH"`},
			{"/catalog/p-1001", "Accept-Language", "*", `"language":"en"`},
			{"/reviews/p-1001", "Accept-Language", "fr", `"language":"fr"`},
		} {
			contains(t, c.path+" for "+c.value, w.get(c.path, c.header, c.value).body, c.want)
		}
	})
}

func TestSpecialIDs(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		for id, absent := range map[string]string{
			"missing-1": "catalog price stock", "nocatalog-1": "catalog", "noprice-1": "price", "nostock-1": "stock",
			"noreviews-1": "reviews", "norecommendations-1": "recommendations", "anything": "", "nopricetag": "",
		} {
			for _, downstream := range fakes.Names() {
				want := 200
				if regexp.MustCompile(`\b` + downstream + `\b`).MatchString(absent) {
					want = 404
				}
				equal(t, downstream+" of "+id, w.get("/"+downstream+"/"+id).status, want)
			}
		}
		equal(t, "sold out", w.get("/stock/soldout-1").body, `{"available":false,"quantity":0}`)
	})
}

func TestOnlyWhatIsServedIsThere(t *testing.T) {
	inBubble(t, fakes.Options{Only: []string{"price", "stock"}}, func(t *testing.T, w world) {
		for path, want := range map[string]int{
			"/price/p-1": 200, "/stock/p-1": 200, "/catalog/p-1": 404, "/price": 404, "/price/": 404, "/price/a/b": 404,
			"/price/a%2Fb": 200, "/": 404, "/_fault/price": 200, "/_fault/catalog": 404, "/_fault": 404, "/_other": 404,
		} {
			equal(t, path, w.get(path).status, want)
		}
		equal(t, "POST", w.do(t.Context(), "POST", "/price/p-1", "{}").status, 405)
		equal(t, "served", len(w.Stats()), 2)
	})
	defer func() { contains(t, "panic", fmt.Sprint(recover()), `"prize"`) }()
	fakes.New(fakes.Options{Only: []string{"prize"}})
}
