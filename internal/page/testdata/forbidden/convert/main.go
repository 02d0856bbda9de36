// Command convert must not compile: the two prices do not convert.
package main

import (
	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	var remembered page.ShownPrice
	stock := page.Answered(page.NewAvailability(true, 1))
	_ = page.NewOffer(id, page.Quote(remembered), stock)
}
