package fakes

import (
	"encoding/json"
	"fmt"
	"strings"
)

var (
	looks     = []string{"Amber", "Breezy", "Classic", "Coastal", "Compact", "Cosy", "Nordic", "Quiet", "Rustic", "Slim", "Sunny", "Velvet"}
	materials = []string{"Ash", "Bamboo", "Ceramic", "Copper", "Cork", "Glass", "Leather", "Linen", "Oak", "Steel", "Walnut", "Wool"}
	things    = []string{"Armchair", "Backpack", "Bench", "Blanket", "Carafe", "Desk Lamp", "Kettle", "Notebook", "Planter", "Teapot", "Toolbox", "Vase"}
	brands    = []string{"Alder & Finch", "Brightwater", "Fjell", "Halden", "Juniper Lane", "Morrow", "Osier", "Tandem"}
	people    = []string{"Ada", "Ben", "Chiara", "Dmitri", "Elif", "Femi", "Greta", "Hana", "Ivan", "June"}
	verdicts  = []string{"Better than expected.", "Does what it should.", "Would buy it again.", "Arrived quickly, well packed.",
		"A little smaller than it looks.", "My favourite one so far.", "The colour is lovely.", "Solid, but heavy."}
)

func productName(id string) string {
	d := dice(id, "name")
	return pick(d, looks) + " " + pick(d, materials) + " " + pick(d, things)
}

func imageOf(id string) string { return fmt.Sprintf("/images/%d.svg", hash(id)%12) }

func catalogOf(q question) any {
	d := dice(q.id, "catalog")
	name, brand := productName(q.id), pick(d, brands)
	return struct {
		ID          string      `json:"id"`
		Name        string      `json:"name"`
		Description string      `json:"description"`
		Brand       string      `json:"brand"`
		Image       string      `json:"image"`
		Language    string      `json:"language"`
		Market      string      `json:"market,omitempty"`
		Serial      json.Number `json:"serial"`   // more digits than any float or integer keeps
		WeightKg    json.Number `json:"weightKg"` // likewise
	}{
		q.id, name, fmt.Sprintf("%s, made by %s to be used every day.", name, brand), brand,
		imageOf(q.id), q.language, q.market,
		json.Number(fmt.Sprintf("4%018d%06d", d.Int64N(1e18), d.IntN(1e6))),
		json.Number(fmt.Sprintf("%d.%018d00", d.IntN(20), d.Int64N(1e18))),
	}
}

// currencies are those of the markets that have another than the euro.
var currencies = map[string]string{"CH": "CHF", "GB": "GBP", "NO": "NOK", "PL": "PLN", "SE": "SEK", "UK": "GBP", "US": "USD"}

func priceOf(q question) any {
	d := dice(q.id, "price")
	amount := fmt.Sprintf("%d.%02d", 5+d.IntN(495), []int{0, 49, 90, 95}[d.IntN(4)])
	currency := currencies[strings.ToUpper(q.market)]
	if currency == "" {
		currency = "EUR"
	}
	answer := struct {
		Amount   any    `json:"amount"`
		Currency string `json:"currency"`
		TaxRate  string `json:"taxRate"`
	}{amount, currency, "0.19"}
	if d.IntN(4) == 0 { // both forms are agreed
		answer.Amount = json.Number(amount)
	}
	return answer
}

func stockOf(q question) any {
	d := dice(q.id, "stock")
	quantity := 1 + d.IntN(40)
	if d.IntN(8) == 0 || strings.HasPrefix(q.id, "soldout-") {
		quantity = 0
	}
	answer := struct {
		Available bool `json:"available"`
		Quantity  *int `json:"quantity,omitempty"`
	}{quantity > 0, &quantity}
	if answer.Available && d.IntN(10) == 0 { // it need not be told
		answer.Quantity = nil
	}
	return answer
}

type review struct {
	Author string `json:"author"`
	Rating int    `json:"rating"`
	Text   string `json:"text"`
}

func reviewsOf(q question) any {
	d := dice(q.id, "reviews")
	items := make([]review, d.IntN(6))
	for i := range items {
		items[i] = review{pick(d, people), 3 + d.IntN(3), pick(d, verdicts)}
	}
	count := 0
	if len(items) > 0 {
		count = len(items) + d.IntN(300)
	}
	return struct {
		Average  json.Number `json:"average"`
		Count    int         `json:"count"`
		Items    []review    `json:"items"`
		Language string      `json:"language"`
	}{json.Number(fmt.Sprintf("%d.%d", 3+d.IntN(2), d.IntN(10))), count, items, q.language}
}

type recommendation struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Image string `json:"image"`
}

func recommendationsOf(q question) any {
	d := dice(q.id, "recommendations")
	items := make([]recommendation, 4+d.IntN(5))
	first := d.IntN(1000)
	for i := range items {
		id := fmt.Sprintf("p-%d", 1000+(first+37*i)%1000)
		items[i] = recommendation{id, productName(id), imageOf(id)}
	}
	return struct {
		Items []recommendation `json:"items"`
	}{items}
}
