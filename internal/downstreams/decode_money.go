package downstreams

import (
	"strconv"
	"time"

	"example.com/bff/internal/page"
)

// DecodePrice reads an amount, a string or a number of which every digit is kept, and a currency. There is no default
// for either.
func DecodePrice(body []byte, sent time.Time) (page.Quote, error) {
	want := [...]member{{name: "amount"}, {name: "currency"}}
	if _, err := readObject(body, want[:]); err != nil {
		return page.Quote{}, err
	}
	amount := string(want[0].value)
	if want[0].isString() {
		amount = want[0].text()
	}
	return page.NewQuote(amount, want[1].text(), sent)
}

// DecodeStock reads whether the product is available, and how many there are, if that is told: a whole number, 0 or
// more.
func DecodeStock(body []byte, _ time.Time) (page.Availability, error) {
	want := [...]member{{name: "available"}, {name: "quantity"}}
	if _, err := readObject(body, want[:]); err != nil {
		return page.Availability{}, err
	}
	available := string(want[0].value)
	if available != "true" && available != "false" {
		return page.Availability{}, errInvalid
	}
	quantity := int64(page.QuantityUnknown)
	if told := want[1].value; told != nil {
		n, err := strconv.ParseUint(string(told), 10, 63) // digits alone: no sign, no fraction, no exponent
		if err != nil {
			return page.Availability{}, errInvalid
		}
		quantity = int64(n)
	}
	return page.NewAvailability(available == "true", quantity), nil
}
