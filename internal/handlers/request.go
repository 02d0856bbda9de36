package handlers

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"example.com/bff/internal/page"
)

// record begins what Served will be told.
func (h *Handlers) record(kind page.Resource) step {
	return func(next handler) handler {
		return func(x *exchange) error {
			h.begin(x, kind)
			return next(x)
		}
	}
}

// begin notes everything that the request says of itself.
func (h *Handlers) begin(x *exchange, kind page.Resource) {
	header := x.r.Header
	x.rec = &page.Record{
		Resource:  kind,
		Client:    h.clients.label(header.Get("X-Client")),
		Market:    h.markets.label(header.Get("X-Market")),
		RequestID: x.requestID,
		Priority:  h.priority(x.r, kind),
		Start:     x.start,
	}
	x.rec.TraceID, x.rec.Sampled, _ = page.ParseTraceParent(header["Traceparent"])
	x.rec.Allowed, x.rec.Shortened = allowed(header, x.start, h.config.Deadline)
	x.deadline = x.start.Add(x.rec.Allowed)
	x.query = page.Query{
		RequestID: x.requestID, Header: header, Offer: kind == page.OfferResource, Shortened: x.rec.Shortened,
	}
	x.w.Header().Set("Vary", h.vary)
}

// running refuses once the drain is over.
func (h *Handlers) running(next handler) handler {
	return func(x *exchange) error {
		if h.State() == Stopped {
			return errShuttingDown
		}
		return next(x)
	}
}

// checked refuses what no downstream should hear of.
func checked(next handler) handler {
	return func(x *exchange) error {
		if x.r.ContentLength != 0 {
			return errBody
		}
		id, err := productID(x.r)
		if err != nil {
			return err
		}
		x.query.ID, x.rec.ID = id, id.String()
		if !acceptsJSON(x.r.Header.Values("Accept")) {
			return errNotAcceptable
		}
		return next(x)
	}
}

// productID is the path's {id}, percent-decoded once. What cannot be decoded is the empty string, which is no id.
func productID(r *http.Request) (page.ID, error) {
	id, _ := url.PathUnescape(chi.URLParam(r, "id"))
	return page.ParseID(id)
}

// inTime refuses what is too late to begin, and gives the rest its deadline: the queue's time is part of it.
func inTime(next handler) handler {
	return func(x *exchange) error {
		if x.rec.Allowed < page.LeastTime {
			return errSpent
		}
		ctx, cancel := context.WithDeadline(x.ctx, x.deadline)
		defer cancel()
		x.ctx = ctx
		return next(x)
	}
}
