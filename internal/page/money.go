package page

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"
)

// Money has two types here, and they do not convert into each other. A Quote is what the price downstream answered
// just now: it can be charged, and only downstreams makes one. A ShownPrice is for eyes only: it renders itself and
// has no accessor, so that no program can spend it.

// ErrInvalidPrice is returned for an amount or a currency that is not of the agreed form.
var ErrInvalidPrice = errors.New(`a price is an amount like 129.90 (up to 15 digits and 6 decimals) and a currency of three capital letters`)

// Quote is a live price. The zero value is no price; NewQuote makes one.
type Quote struct {
	amount   string
	currency string
	asOf     time.Time
}

// NewQuote checks the amount, (0|[1-9]\d{0,14})(\.\d{1,6})?, and the currency, [A-Z]{3}. asOf is the instant at which
// the question was sent: the price was true no earlier.
func NewQuote(amount, currency string, asOf time.Time) (Quote, error) {
	if !validAmount(amount) || !validCurrency(currency) {
		return Quote{}, ErrInvalidPrice
	}
	return Quote{amount, currency, asOf}, nil
}

// AsOf is the instant at which the price was asked for.
func (q Quote) AsOf() time.Time { return q.asOf }

// Shown is the quote for eyes only: what a page shows and what may be remembered.
func (q Quote) Shown() ShownPrice {
	return ShownPrice{digits: q.amount, unit: q.currency, asOfMilli: q.asOf.UnixMilli()}
}

func validAmount(s string) bool {
	whole := digits(s)
	if whole == 0 || whole > 15 || (s[0] == '0' && whole > 1) {
		return false
	}
	if whole == len(s) {
		return true
	}
	decimals := digits(s[whole+1:])
	return s[whole] == '.' && 1 <= decimals && decimals <= 6 && whole+1+decimals == len(s)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func validCurrency(s string) bool {
	if len(s) != 3 {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

// ShownPrice is a price for eyes only. It has no accessor on purpose: the only ways out are a page's JSON and the
// memory's encoding.
type ShownPrice struct {
	asOfMilli int64
	digits    string
	unit      string
}

// AsOf is the instant at which the price was asked for, to the millisecond.
func (s ShownPrice) AsOf() time.Time { return time.UnixMilli(s.asOfMilli) }

// shownPriceVersion is the first byte of the encoding. Change it with the encoding.
const shownPriceVersion = 1

// AppendBinary appends the memory's encoding: a version byte, asOf as a varint of Unix milliseconds, three letters of
// currency, and the amount.
func (s ShownPrice) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, shownPriceVersion)
	b = binary.AppendVarint(b, s.asOfMilli)
	b = append(b, s.unit...)
	return append(b, s.digits...), nil
}

// ErrNotRemembered is returned for bytes that are no ShownPrice of this version.
var ErrNotRemembered = errors.New("not a remembered price of this version")

// ParseShownPrice reads what AppendBinary wrote. Anything else is ErrNotRemembered.
func ParseShownPrice(b []byte) (ShownPrice, error) {
	if len(b) == 0 || b[0] != shownPriceVersion {
		return ShownPrice{}, ErrNotRemembered
	}
	asOf, n := binary.Varint(b[1:])
	rest := b[1+max(n, 0):]
	if n <= 0 || len(rest) < 4 || !validCurrency(string(rest[:3])) || !validAmount(string(rest[3:])) {
		return ShownPrice{}, ErrNotRemembered
	}
	return ShownPrice{asOfMilli: asOf, unit: string(rest[:3]), digits: string(rest[3:])}, nil
}

// Availability is what the stock downstream answered just now. It is never remembered.
type Availability struct {
	available bool  // the zero value is what an absent stock shows: not available, 0
	quantity  int64 // -1: not told
}

// QuantityUnknown is the quantity of an Availability that did not tell one.
const QuantityUnknown = -1

// NewAvailability makes a live stock; quantity is 0 or more, or QuantityUnknown.
func NewAvailability(available bool, quantity int64) Availability {
	return Availability{available, quantity}
}

func (s Availability) appendJSON(b []byte) []byte {
	b = append(b, `{"available":`...)
	b = strconv.AppendBool(b, s.available)
	b = append(b, `,"quantity":`...)
	if s.quantity < 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, s.quantity, 10)
	}
	return append(b, '}')
}

// Offer is what may be charged: a live price and a live stock.
type Offer struct {
	ID    ID
	price Quote
	stock Answer[Availability]
}

// NewOffer is the only way to an Offer. It takes the live types alone.
func NewOffer(id ID, price Quote, stock Answer[Availability]) Offer { return Offer{id, price, stock} }

// AppendJSON appends the answer of GET /products/{id}/offer.
func (o Offer) AppendJSON(b []byte) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, o.ID.s...)
	b = append(b, `","price":{"amount":"`...)
	b = append(b, o.price.amount...)
	b = append(b, `","currency":"`...)
	b = append(b, o.price.currency...)
	b = append(b, `","asOf":"`...)
	b = appendInstant(b, o.price.asOf)
	b = append(b, `"},"stock":`...)
	b = o.stock.section.value.appendJSON(b)
	b = append(b, `,"purchasable":`...)
	b = strconv.AppendBool(b, o.stock.section.value.available)
	return append(b, '}')
}

// appendInstant writes RFC 3339 in UTC with exactly three decimals.
func appendInstant(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
}
