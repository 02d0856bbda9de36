// Command accessor must not compile: a remembered price tells no amount.
package main

import (
	"example.com/bff/internal/page"
)

func main() {
	id, _ := page.ParseID("p-1")
	var remembered page.ShownPrice
	stock := page.Answered(page.NewAvailability(true, 1))
	_, _, _ = id, stock, remembered.Amount()
}
