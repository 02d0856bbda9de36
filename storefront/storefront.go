// Package storefront is a shop window for the service: one product page on plain HTML, CSS and modules that calls
// /products/{id} as a real front-end would, and beside it a panel that breaks and mends the five fake downstreams.
//
// It promises that everything a browser needs comes from this one origin: the files are embedded, the service and the
// fakes are reached through it, and a strict content security policy lets nothing else in. It keeps no state.
package storefront

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
)

// downstreams are those that the panel shows.
var downstreams = [...]string{"catalog", "price", "stock", "reviews", "recommendations"}

// Downstreams are the names for which Options.Fakes has an address.
func Downstreams() []string { return slices.Clone(downstreams[:]) }

// firstProduct is what / shows.
const firstProduct = "/p/p-1001"

// Options say where the others are. All but Transport are required.
type Options struct {
	BFF   *url.URL            // the service: /products/… and /problems/… go there
	Fakes map[string]*url.URL // by downstream; the five may well share one address
	// Transport reaches both. Nil stands for one of the storefront's own, with time limits and without a proxy.
	Transport http.RoundTripper
	Logger    *slog.Logger
}

// Storefront serves the page, its panel, and the way to the service and to the fakes.
type Storefront struct {
	handler http.Handler
	close   func()
}

// New makes a Storefront, or says what is missing in the options.
func New(o Options) (*Storefront, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	stop := func() {}
	if o.Transport == nil {
		own := newTransport()
		o.Transport, stop = own, own.CloseIdleConnections
	}
	return &Storefront{handler: routes(o), close: stop}, nil
}

func (s *Storefront) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close lets go of the connections that wait for a next use. Requests under way are not touched.
func (s *Storefront) Close() { s.close() }

func (o Options) check() error {
	var missing []error
	if o.BFF == nil {
		missing = append(missing, errors.New("storefront: no address of the service"))
	}
	for _, name := range downstreams {
		if o.Fakes[name] == nil {
			missing = append(missing, errors.New("storefront: no address of the fake "+name))
		}
	}
	if o.Logger == nil {
		missing = append(missing, errors.New("storefront: no logger"))
	}
	return errors.Join(missing...)
}

func routes(o Options) http.Handler {
	shop, control := forward(o, toService(o.BFF)), forward(o, toFault(o.Fakes))
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(firstProduct, http.StatusFound))
	mux.Handle("GET /p/{id}", file("index.html"))
	mux.Handle("GET /assets/{name}", assets())
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("/products/", shop)
	mux.Handle("/problems/", shop)
	mux.Handle("PUT /fakes/{downstream}/fault", small(control))
	mux.Handle("DELETE /fakes/{downstream}/fault", small(control))
	mux.Handle("GET /fakes", newFakes(o))
	// A page from elsewhere must not be able to break the fakes of whoever has this one open.
	return http.NewCrossOriginProtection().Handler(mux)
}
