package handlers

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"example.com/bff/internal/page"
)

// A handler answers x, or returns why it did not: the table of problems knows what to say then.
type handler func(x *exchange) error

// A step goes on to next, or returns why not.
type step func(next handler) handler

// way is steps in the order in which they are gone.
type way []step

func (w way) to(answer handler) handler {
	for _, s := range slices.Backward(w) {
		answer = s(answer)
	}
	return answer
}

// Public is what the public listener serves.
func (h *Handlers) Public() http.Handler {
	pages, offers := h.resource(page.PageResource, h.page), h.resource(page.OfferResource, h.offer)
	r := chi.NewRouter()
	r.Use(byEscapedPath)
	r.Get("/products/", pages) // an empty id is a bad id
	r.Get("/products/{id}", pages)
	r.Get("/products/{id}/offer", offers)
	r.Get("/problems/", h.plain(h.problemIndex))
	r.Get("/problems/{slug}", h.plain(h.problemPage))
	r.Get("/livez", h.plain(h.livez))
	r.Get("/readyz", h.plain(h.readyz))
	r.NotFound(h.Nothing().ServeHTTP)
	return r
}

// Livez says that the process runs, on any listener.
func (h *Handlers) Livez() http.Handler { return h.plain(h.livez) }

// Readyz says whether the instance takes new requests, on any listener. It asks nobody.
func (h *Handlers) Readyz() http.Handler { return h.plain(h.readyz) }

// Nothing says that nothing is here, on any listener.
func (h *Handlers) Nothing() http.Handler { return h.edge(noRoute) }

// ReadOnly is next for GET and HEAD, on a listener that no script from elsewhere may ask.
func (h *Handlers) ReadOnly(next http.Handler) http.Handler {
	refuse := h.edge(func(x *exchange) error {
		x.w.Header().Set("Allow", "GET, HEAD")
		return errMethod
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		refuse(w, r)
	})
}

// resource is the way to a page or an offer.
func (h *Handlers) resource(kind page.Resource, answer handler) http.HandlerFunc {
	return h.edge(way{ // request id; recover; respond to an error; tell Served
		h.methods,
		h.record(kind), // from here on there is something to tell
		h.running,
		h.rateLimit,
		checked, // body, id, Accept
		inTime,  // from here on the context has the deadline
		h.admit,
	}.to(answer))
}

// plain is the way of everything that is neither counted, limited nor shed.
func (h *Handlers) plain(answer handler) http.HandlerFunc { return h.edge(h.methods(answer)) }

func noRoute(*exchange) error { return errNoRoute }

// byEscapedPath routes by the path as it was sent, so that a parameter is always still percent-encoded (chi's own choice
// depends on the characters in it), and by nothing else: which methods a resource has is for methods to say, since chi
// knows neither HEAD for GET, nor 405 for a method that it never heard of, nor Allow in an answer that is not its own.
func byEscapedPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := chi.RouteContext(r.Context())
		route.RoutePath, route.RouteMethod = cmp.Or(r.URL.RawPath, r.URL.EscapedPath()), http.MethodGet
		next.ServeHTTP(w, r)
	})
}
