// Command offer_of_shown must not compile: a remembered price is no quote.
package main

import (
	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	var remembered page.ShownPrice
	stock := page.Answered(page.NewAvailability(true, 1))
	_ = page.NewOffer(id, remembered, stock)
}
