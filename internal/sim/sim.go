// Package sim is the experiments that docs/experiments.md tells of: the real service, or callers without its layers,
// against fakes with a bounded capacity and a queue, in virtual time.
//
// Each experiment runs inside a testing/synctest bubble and returns what was measured; the tests of this package hold
// the bounds, and write the document. What callers saw and what the downstreams saw is counted here, apart from what the
// service says of itself.
package sim

import (
	"context"
	"net/http"

	"example.com/bff/internal/pipenet"
)

// deaf is a downstream as most are: it does not notice that a caller has hung up, and does the work all the same. It
// does obey a deadline that it was told.
func deaf(_ string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	})
}

// untold is deaf, and knows no deadlines either.
func untold(name string, h http.Handler) http.Handler {
	h = deaf(name, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("X-Request-Deadline")
		r.Header.Del("X-Request-Timeout-Ms")
		h.ServeHTTP(w, r)
	})
}

// plainClient is what a program has that never thought about it: connections without end, and no timeout.
func plainClient(t pipenet.Cleaner, network *pipenet.Network) *http.Client {
	client := &http.Client{Transport: &http.Transport{DialContext: network.DialContext, MaxIdleConnsPerHost: 1000}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}
