package page

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
)

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
