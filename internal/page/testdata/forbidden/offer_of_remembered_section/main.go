// Command offer_of_remembered_section must not compile: what a page shows is no quote.
package main

import (
	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	var remembered page.ShownPrice
	stock := page.Answered(page.NewAvailability(true, 1))
	_ = page.NewOffer(id, page.StalePrice(remembered, page.Timeout, remembered.AsOf()), stock)
}
