package handlers

import (
	"net/http"
	"strings"

	"example.com/bff/internal/page"
)

const jsonType = "application/json"

// page answers GET /products/{id}. Only a full page has a validator and may be kept: a degraded one is no more than the
// best of a bad moment.
func (h *Handlers) page(x *exchange) error {
	p, err := h.config.Pages.Page(x.ctx, &x.query, x.rec)
	if err != nil {
		return err
	}
	x.rec.Notes, x.rec.HasNotes = p.Notes(), true
	if p.Degraded() {
		return h.degraded(x, p)
	}
	body := h.body()
	b, etag := p.AppendJSONWithETag(*body)
	*body = b
	x.w.Header().Set("Cache-Control", h.config.PageCacheControl)
	x.w.Header().Set("Etag", etag)
	if matches(x.r.Header.Values("If-None-Match"), etag) {
		h.release(body, h.send(x, answer{status: http.StatusNotModified, result: page.NotModified}))
		return nil
	}
	h.release(body, h.send(x, answer{http.StatusOK, page.Full, jsonType, b}))
	return nil
}

func (h *Handlers) degraded(x *exchange, p *page.Page) error {
	x.w.Header().Set("X-Degraded", degradedSections(x.rec.Notes))
	return h.unkept(x, page.Degraded, p)
}

// offer answers GET /products/{id}/offer.
func (h *Handlers) offer(x *exchange) error {
	o, err := h.config.Pages.Offer(x.ctx, &x.query, x.rec)
	if err != nil {
		return err
	}
	return h.unkept(x, page.Full, o)
}

// unkept answers with what nobody may keep.
func (h *Handlers) unkept(x *exchange, result page.Result, v interface{ AppendJSON([]byte) []byte }) error {
	x.w.Header().Set("Cache-Control", "no-store")
	body := h.body()
	*body = v.AppendJSON(*body)
	h.release(body, h.send(x, answer{http.StatusOK, result, jsonType, *body}))
	return nil
}

// degradedSections lists the sections that are stale or unavailable, in the page's order.
func degradedSections(notes [page.NumDependencies]page.Note) string {
	var names []string
	for i, n := range notes {
		if n.Degrades() {
			names = append(names, page.Dependency(i).Section())
		}
	}
	return strings.Join(names, ", ")
}
