package fakes

import (
	"slices"
	"strings"
	"time"
)

// kind is one of the five downstreams: its answer, and the wrong answers that only it can give.
type kind struct {
	name    string
	quick   time.Duration // the usual latency lies between these two
	slow    time.Duration
	answer  func(question) any
	unknown []string          // ids beginning so are not found here, nor is "no<name>-"
	wrong   map[string]string // bodies by name
}

const ms = time.Millisecond

var kinds = [...]kind{
	{"catalog", 20 * ms, 40 * ms, catalogOf, []string{"missing-"}, map[string]string{
		"wrong-types":      `{"id":1001,"name":["Oak Bench"]}`,
		"array":            `[{"id":"p-1001","name":"Oak Bench"}]`,
		"missing-id":       `{"name":"Oak Bench"}`,
		"missing-name":     `{"id":"p-1001"}`,
		"null-name":        `{"id":"p-1001","name":null}`,
		"empty-name":       `{"id":"p-1001","name":""}`,
		"duplicate-name":   `{"id":"p-1001","name":"Oak Bench","name":"Ash Bench"}`,
		"other-case":       `{"ID":"p-1001","Name":"Oak Bench"}`,
		"valid-other-case": `{"id":"p-1001","name":"Oak Bench","Name":"","ID":0}`,
	}},
	{"price", 15 * ms, 30 * ms, priceOf, []string{"missing-"}, map[string]string{
		"wrong-types":        `{"amount":{"value":"129.90"},"currency":978}`,
		"array":              `[{"amount":"129.90","currency":"EUR"}]`,
		"missing-amount":     `{"currency":"EUR"}`,
		"missing-currency":   `{"amount":"129.90"}`,
		"null-amount":        `{"amount":null,"currency":"EUR"}`,
		"null-currency":      `{"amount":"129.90","currency":null}`,
		"empty-amount":       `{"amount":"","currency":"EUR"}`,
		"empty-currency":     `{"amount":"129.90","currency":""}`,
		"lower-currency":     `{"amount":"129.90","currency":"eur"}`,
		"negative-amount":    `{"amount":-129.90,"currency":"EUR"}`,
		"exponent-amount":    `{"amount":1.299e2,"currency":"EUR"}`,
		"comma-amount":       `{"amount":"129,90","currency":"EUR"}`,
		"padded-amount":      `{"amount":"0129.90","currency":"EUR"}`,
		"long-amount":        `{"amount":1234567890123456.00,"currency":"EUR"}`,
		"duplicate-amount":   `{"amount":"129.90","amount":"0.01","currency":"EUR"}`,
		"duplicate-currency": `{"amount":"129.90","currency":"EUR","currency":"JPY"}`,
		"other-case":         `{"Amount":"129.90","Currency":"EUR"}`,
		"valid-other-case":   `{"amount":"129.90","Amount":0.01,"currency":"EUR","Currency":"JPY"}`,
	}},
	{"stock", 15 * ms, 30 * ms, stockOf, []string{"missing-"}, map[string]string{
		"wrong-types":         `{"available":"yes","quantity":"7"}`,
		"array":               `[{"available":true,"quantity":7}]`,
		"missing-available":   `{"quantity":7}`,
		"null-available":      `{"available":null,"quantity":7}`,
		"negative-quantity":   `{"available":true,"quantity":-7}`,
		"fraction-quantity":   `{"available":true,"quantity":7.5}`,
		"duplicate-available": `{"available":false,"available":true,"quantity":7}`,
		"other-case":          `{"Available":true,"quantity":7}`,
		"valid-other-case":    `{"available":false,"Available":true,"quantity":0,"Quantity":7}`,
	}},
	{"reviews", 20 * ms, 40 * ms, reviewsOf, nil, map[string]string{
		"wrong-types": `"4.4 of 5"`,
		"array":       `[{"average":4.4,"count":123,"items":[]}]`,
	}},
	{"recommendations", 25 * ms, 40 * ms, recommendationsOf, nil, map[string]string{
		"wrong-types":      `{"items":{"id":"p-1002"}}`,
		"array":            `[{"id":"p-1002","name":"Ash Vase"}]`,
		"missing-items":    `{}`,
		"null-items":       `{"items":null}`,
		"duplicate-items":  `{"items":[],"items":[{"id":"p-1002"}]}`,
		"other-case":       `{"Items":[{"id":"p-1002"}]}`,
		"valid-other-case": `{"items":[],"Items":[{"id":"p-1002"}]}`,
	}},
}

// usual is how long this downstream takes for an id when nobody decides otherwise: the same every time.
func (k kind) usual(id string) time.Duration {
	return k.quick + time.Duration(hash(id))%(k.slow-k.quick)
}

func (k kind) knows(id string) bool {
	if strings.HasPrefix(id, "no"+k.name+"-") {
		return false
	}
	return !slices.ContainsFunc(k.unknown, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}
