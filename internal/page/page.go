// Package page holds the words of the domain: what a page is made of, how a call can end, what may be charged and what
// may only be shown. It knows neither HTTP servers nor downstreams nor metrics, and imports the standard library alone.
package page

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// Product, ReviewSummary and Items are a downstream's JSON, checked and unchanged: numbers keep every digit.
type (
	Product       []byte // an object
	ReviewSummary []byte // an object
	Items         []byte // an array
)

// Status is what a section says of itself.
type Status uint8

// The statuses, as docs/api.md tells them.
const (
	StatusOK Status = iota
	StatusStale
	StatusAbsent
	StatusUnavailable
)

func (s Status) String() string { return [...]string{"ok", "stale", "absent", "unavailable"}[s] }

// Note is a section's line in `sections`.
type Note struct {
	Status Status
	Reason Outcome       // for stale and unavailable
	Age    time.Duration // for stale
}

// Degrades tells whether a page with this section is less than it should be.
func (n Note) Degrades() bool { return n.Status == StatusStale || n.Status == StatusUnavailable }

// Section is a part of a page that the page can be without. The zero value is not a section: use Have, Without or
// Missing.
type Section[T any] struct {
	value T
	note  Note
}

// Have is a section that the downstream filled.
func Have[T any](v T) Section[T] { return Section[T]{v, Note{Status: StatusOK}} }

// Without is a section of which the downstream said that there is nothing.
func Without[T any]() Section[T] { return Section[T]{note: Note{Status: StatusAbsent}} }

// Missing is a section that could not be had.
func Missing[T any](reason Outcome) Section[T] {
	return Section[T]{note: Note{Status: StatusUnavailable, Reason: reason}}
}

// Answer is a part of a page that must have been answered, be it with "there is nothing". It cannot be missing.
type Answer[T any] struct{ section Section[T] }

// Answered is a part that the downstream filled.
func Answered[T any](v T) Answer[T] { return Answer[T]{Have(v)} }

// AnsweredNothing is a part of which the downstream said that there is nothing.
func AnsweredNothing[T any]() Answer[T] { return Answer[T]{Without[T]()} }

// PriceSection is the price as a page shows it: live, remembered, or absent.
type PriceSection struct {
	shown ShownPrice
	note  Note
}

// LivePrice shows a quote.
func LivePrice(q Quote) PriceSection { return PriceSection{q.Shown(), Note{Status: StatusOK}} }

// StalePrice shows a remembered price, for display only; reason is why the live one failed.
func StalePrice(p ShownPrice, reason Outcome, now time.Time) PriceSection {
	return PriceSection{p, Note{Status: StatusStale, Reason: reason, Age: max(0, now.Sub(p.AsOf()))}}
}

// NoPrice says that the product has no price.
func NoPrice() PriceSection { return PriceSection{note: Note{Status: StatusAbsent}} }

// Page is one answer of GET /products/{id}: three parts it needs and two it wants.
type Page struct {
	ID              ID
	Product         Product
	Price           PriceSection
	Stock           Answer[Availability]
	Reviews         Section[ReviewSummary]
	Recommendations Section[Items]
}

// Notes tells each section's status, by downstream.
func (p *Page) Notes() [NumDependencies]Note {
	return [NumDependencies]Note{{}, p.Price.note, p.Stock.section.note, p.Reviews.note, p.Recommendations.note}
}

// Degraded is true exactly when some section is stale or unavailable.
func (p *Page) Degraded() bool {
	for _, n := range p.Notes() {
		if n.Degrades() {
			return true
		}
	}
	return false
}

// Purchasable is true exactly when price and stock are live and the product is available.
func (p *Page) Purchasable() bool {
	return p.Price.note.Status == StatusOK && p.Stock.section.note.Status == StatusOK && p.Stock.section.value.available
}

// AppendJSON appends the page's representation.
func (p *Page) AppendJSON(b []byte) []byte {
	b, _, _ = p.appendJSON(b)
	return b
}

// AppendJSONWithETag appends the page's representation and returns with it a weak validator over all of it but asOf,
// the same on every instance.
func (p *Page) AppendJSONWithETag(b []byte) (body []byte, etag string) {
	start := len(b)
	b, asOf, asOfEnd := p.appendJSON(b)
	h := sha256.New()
	h.Write(b[start:asOf])
	h.Write(b[asOfEnd:])
	var sum [sha256.Size]byte
	return b, `W/"` + base64.RawURLEncoding.EncodeToString(h.Sum(sum[:0])[:16]) + `"`
}

// appendJSON also tells where the price's asOf lies in what it returns (an empty span where there is none).
func (p *Page) appendJSON(b []byte) (out []byte, asOf, asOfEnd int) {
	b = append(b, `{"id":"`...)
	b = append(b, p.ID.s...)
	b = append(b, `","degraded":`...)
	b = strconv.AppendBool(b, p.Degraded())
	b = append(b, `,"purchasable":`...)
	b = strconv.AppendBool(b, p.Purchasable())
	b = append(b, `,"product":`...)
	b = append(b, p.Product...)
	b = append(b, `,"price":`...)
	b, asOf, asOfEnd = p.Price.appendJSON(b)
	b = append(b, `,"stock":`...)
	b = p.Stock.section.value.appendJSON(b)
	b = append(b, `,"reviews":`...)
	b = appendOr(b, p.Reviews.value, "null")
	b = append(b, `,"recommendations":`...)
	b = appendOr(b, p.Recommendations.value, "[]")
	b = append(b, `,"sections":{`...)
	for i, n := range p.Notes() {
		if i > 0 {
			b = append(b, ',')
		}
		b = n.appendJSON(b, sectionNames[i])
	}
	return append(b, "}}"...), asOf, asOfEnd
}

func appendOr(b, value []byte, otherwise string) []byte {
	if len(value) == 0 {
		return append(b, otherwise...)
	}
	return append(b, value...)
}

func (n Note) appendJSON(b []byte, name string) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":{"status":"`...)
	b = append(b, n.Status.String()...)
	b = append(b, '"')
	if n.Degrades() {
		b = append(b, `,"reason":"`...)
		b = append(b, n.Reason.String()...)
		b = append(b, '"')
	}
	if n.Status == StatusStale {
		b = append(b, `,"ageMs":`...)
		b = strconv.AppendInt(b, n.Age.Milliseconds(), 10)
	}
	return append(b, '}')
}

func (p PriceSection) appendJSON(b []byte) (out []byte, asOf, asOfEnd int) {
	if p.note.Status == StatusAbsent {
		b = append(b, "null"...)
		return b, len(b), len(b)
	}
	stale := p.note.Status == StatusStale
	b = append(b, `{"amount":"`...)
	b = append(b, p.shown.digits...)
	b = append(b, `","currency":"`...)
	b = append(b, p.shown.unit...)
	b = append(b, `","asOf":"`...)
	asOf = len(b)
	b = appendInstant(b, p.shown.AsOf())
	asOfEnd = len(b)
	b = append(b, `","stale":`...)
	b = strconv.AppendBool(b, stale)
	b = append(b, `,"displayOnly":`...)
	b = strconv.AppendBool(b, stale)
	return append(b, '}'), asOf, asOfEnd
}
