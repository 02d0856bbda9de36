package downstreams_test

import (
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

var asked = time.Date(2026, 11, 29, 10, 0, 0, 123_456_789, time.UTC)

// decoders tell what each downstream's body is read as; empty for an invalid one.
var decoders = map[page.Dependency]func(body string) string{
	page.Catalog: func(b string) string { v, err := downstreams.DecodeCatalog([]byte(b), asked); return read(v, err) },
	page.Reviews: func(b string) string { v, err := downstreams.DecodeReviews([]byte(b), asked); return read(v, err) },
	page.Recommendations: func(b string) string {
		v, err := downstreams.DecodeRecommendations([]byte(b), asked)
		return read(v, err)
	},
	page.Price: func(b string) string {
		v, err := downstreams.DecodePrice([]byte(b), asked)
		if err != nil {
			return ""
		}
		return between(page.NewOffer(page.ID{}, v, page.AnsweredNothing[page.Availability]()), `"price":`, `,"stock"`)
	},
	page.Stock: func(b string) string {
		v, err := downstreams.DecodeStock([]byte(b), asked)
		if err != nil {
			return ""
		}
		return between(page.NewOffer(page.ID{}, page.Quote{}, page.Answered(v)), `"stock":`, `,"purchasable"`)
	},
}

func read(v []byte, err error) string {
	if err != nil {
		return ""
	}
	return string(v)
}

func between(o page.Offer, from, to string) string {
	_, rest, _ := strings.Cut(string(o.AppendJSON(nil)), from)
	part, _, _ := strings.Cut(rest, to)
	return part
}

func eur(amount string) string {
	return `{"amount":"` + amount + `","currency":"EUR","asOf":"2026-11-29T10:00:00.123Z"}`
}

// body and what is read from it; empty for an invalid answer.
var bodies = map[page.Dependency][][2]string{
	page.Catalog: {
		{`{"id":"p","name":"Lamp"}`, `{"id":"p","name":"Lamp"}`},
		{" \r\n\t{\"id\":\"p\",\"name\":\"Lamp\"} \n", `{"id":"p","name":"Lamp"}`},
		{`{"weight":1.10000000000000000001e5,"name":"L\u00e4mp","id":""}`, `{"weight":1.10000000000000000001e5,"name":"L\u00e4mp","id":""}`},
		{`{"id":"another","name":"Lamp","x":1,"x":2}`, `{"id":"another","name":"Lamp","x":1,"x":2}`},
		{`{"id":"p","name":"Lamp","nested":{"id":1,"name":null}}`, `{"id":"p","name":"Lamp","nested":{"id":1,"name":null}}`},
		{`{"\u0069d":"p","name":"\ud83d"}`, `{"\u0069d":"p","name":"\ud83d"}`},
		{`{"id":"p"}`, ``}, {`{"name":"Lamp"}`, ``}, {`{"id":"p","name":""}`, ``}, {`{"id":"p","name":null}`, ``},
		{`{"id":1,"name":"Lamp"}`, ``}, {`{"id":"p","name":["Lamp"]}`, ``}, {`{"ID":"p","Name":"Lamp"}`, ``},
		{`{"id":"p","name":"Lamp","id":"q"}`, ``}, {`{"id":"p","name":"Lamp","\u0069d":"q"}`, ``},
		{`[{"id":"p","name":"Lamp"}]`, ``}, {`{"id":"p","name":"Lamp",}`, ``}, {`{'id':'p','name':'Lamp'}`, ``},
		{`{"id":"p","name":"Lamp"}{}`, ``}, {`{"id":"p","name":"Lamp"`, ``}, {`{"id":"p","name":"Lamp` + "\x01" + `"}`, ``},
		{"{\"id\":\"p\",\"name\":\"La\xffmp\"}", ``}, {"{\"id\":\"p\",\"name\":\"La\xed\xa0\x80mp\"}", ``},
		{`null`, ``}, {`true`, ``}, {`"id"`, ``}, {``, ``}, {` `, ``}, {`{`, ``}, {`}`, ``}, {"\ufeff{}", ``},
	},
	page.Price: {
		{`{"amount":"129.90","currency":"EUR"}`, eur("129.90")},
		{`{"currency":"EUR","amount":129.90,"vat":0.19}`, eur("129.90")},
		{`{"amount":0,"currency":"EUR"}`, eur("0")},
		{`{"amount":"999999999999999.999999","currency":"EUR"}`, eur("999999999999999.999999")},
		{`{"amount":999999999999999.999999,"currency":"EUR"}`, eur("999999999999999.999999")},
		{`{"amount":"\u0031.5","currency":"E\u0055R"}`, eur("1.5")},
		{`{"amount":"129.90","Amount":0.01,"currency":"EUR"}`, eur("129.90")},
		{`{"amount":"129.90","amount":0.01,"currency":"EUR"}`, ``},
		{`{"amount":"129.90","currency":"EUR","currency":"EUR"}`, ``},
		{`{"currency":"EUR"}`, ``}, {`{"amount":"129.90"}`, ``}, {`{}`, ``},
		{`{"amount":null,"currency":"EUR"}`, ``}, {`{"amount":"","currency":"EUR"}`, ``}, {`{"amount":"1","currency":""}`, ``},
		{`{"amount":"1","currency":null}`, ``}, {`{"amount":"1","currency":"eur"}`, ``}, {`{"amount":"1","currency":"EURO"}`, ``},
		{`{"amount":"1","currency":978}`, ``}, {`{"amount":-1,"currency":"EUR"}`, ``}, {`{"amount":"-1","currency":"EUR"}`, ``},
		{`{"amount":"01","currency":"EUR"}`, ``}, {`{"amount":1e2,"currency":"EUR"}`, ``}, {`{"amount":"1.","currency":"EUR"}`, ``},
		{`{"amount":".5","currency":"EUR"}`, ``}, {`{"amount":"1.1234567","currency":"EUR"}`, ``}, {`{"amount":" 1","currency":"EUR"}`, ``},
		{`{"amount":"1,50","currency":"EUR"}`, ``}, {`{"amount":"1000000000000000","currency":"EUR"}`, ``},
		{`{"amount":true,"currency":"EUR"}`, ``}, {`{"amount":{"value":1},"currency":"EUR"}`, ``}, {`{"amount":[1],"currency":"EUR"}`, ``},
		{`{"amount":"1\ud800","currency":"EUR"}`, ``}, {`{"price":{"amount":"1","currency":"EUR"}}`, ``}, {`"129.90"`, ``}, {`129.90`, ``},
	},
	page.Stock: {
		{`{"available":true,"quantity":7}`, `{"available":true,"quantity":7}`},
		{`{"quantity":0,"available":false}`, `{"available":false,"quantity":0}`},
		{`{"available":true}`, `{"available":true,"quantity":null}`},
		{`{"available":true,"Quantity":-1,"warehouse":"x"}`, `{"available":true,"quantity":null}`},
		{`{"available":true,"quantity":9223372036854775807}`, `{"available":true,"quantity":9223372036854775807}`},
		{`{"available":true,"quantity":9223372036854775808}`, ``}, {`{"available":true,"quantity":-1}`, ``},
		{`{"available":true,"quantity":1.5}`, ``}, {`{"available":true,"quantity":1e3}`, ``}, {`{"available":true,"quantity":"7"}`, ``},
		{`{"available":true,"quantity":null}`, ``}, {`{"available":"true"}`, ``}, {`{"available":1}`, ``}, {`{"available":null}`, ``},
		{`{"quantity":7}`, ``}, {`{"available":true,"available":false}`, ``}, {`{"Available":true}`, ``}, {`true`, ``}, {`[]`, ``},
	},
	page.Reviews: {
		{`{}`, `{}`}, {` {"average":4.40,"count":123,"items":[{},{}]}`, `{"average":4.40,"count":123,"items":[{},{}]}`},
		{`{"a":1,"a":2}`, `{"a":1,"a":2}`}, {`[]`, ``}, {`null`, ``}, {`0`, ``}, {`{"a":01}`, ``}, {`{"a":NaN}`, ``},
	},
	page.Recommendations: {
		{`{"items":[]}`, `[]`}, {`{"next":null,"items": [ {"id":"q","score":0.10} , "x" ] }`, `[ {"id":"q","score":0.10} , "x" ]`},
		{`{"items":[1],"Items":null}`, `[1]`}, {`{"items":[],"items":[]}`, ``}, {`{"items":null}`, ``}, {`{"items":{}}`, ``},
		{`{"items":"[]"}`, ``}, {`{}`, ``}, {`[]`, ``}, {`{"items":[1,]}`, ``}, {`{"items":[}`, ``},
	},
}

func TestDecoders(t *testing.T) {
	for d, all := range bodies {
		for _, b := range all {
			if got := decoders[d](b[0]); got != b[1] {
				t.Errorf("%v: %s\n  read as %s\n  want    %s", d, b[0], got, b[1])
			}
		}
	}
}

// What is passed on must not change when the buffer that it was read into is used again.
func TestDecodedValuesAreTheirOwn(t *testing.T) {
	body := []byte(`{"id":"p","name":"Lamp","items":[1]}`)
	product, _ := downstreams.DecodeCatalog(body, asked)
	items, _ := downstreams.DecodeRecommendations(body, asked)
	clear(body)
	if string(product) != `{"id":"p","name":"Lamp","items":[1]}` || string(items) != `[1]` {
		t.Errorf("%q, %q", product, items)
	}
}

func TestBracketsInStringsAreNotNesting(t *testing.T) {
	body := `{"a":"` + strings.Repeat(`[{\"\\`, 5000) + `","b":` + strings.Repeat(`[`, 999) + strings.Repeat(`]`, 999) + `}`
	if decoders[page.Reviews](body) != body {
		t.Error("brackets in a string were taken for nesting")
	}
	wide := `{"a":[` + strings.Repeat(`{},`, 5000) + `{}]}`
	if decoders[page.Reviews](wide) != wide {
		t.Error("a wide document was taken for a deep one")
	}
}
