// Command literal must not compile: a quote is not made by hand.
package main

import (
	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	var remembered page.ShownPrice
	stock := page.Answered(page.NewAvailability(true, 1))
	_ = remembered
	_ = page.NewOffer(id, page.Quote{amount: "1.00", currency: "EUR"}, stock)
}
