// Package page holds the words of the domain: what a page is made of, how a call can end, what may be charged and what
// may only be shown. It knows neither HTTP servers nor downstreams nor metrics, and imports the standard library alone.
package page

import "time"

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
