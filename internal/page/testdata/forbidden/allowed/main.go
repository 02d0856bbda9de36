// Command allowed is the control: what the others try to do with a remembered price, done with a live one.
package main

import (
	"time"

	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	quote, _ := page.NewQuote("1.00", "EUR", time.Now())
	offer := page.NewOffer(id, quote, page.Answered(page.NewAvailability(true, 1)))
	_ = page.StalePrice(quote.Shown(), page.Timeout, time.Now())
	_ = offer.AppendJSON(nil)
}
