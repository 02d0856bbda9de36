package handlers

import "net/http"

// livez says no more than that this process can still answer.
func (h *Handlers) livez(x *exchange) error { return h.well(x, "alive\n") }

// readyz says whether new requests should come here. It asks no downstream: theirs is not ours to answer for.
func (h *Handlers) readyz(x *exchange) error {
	if h.State() != Serving {
		return errDraining
	}
	return h.well(x, "ready\n")
}

func (h *Handlers) well(x *exchange, word string) error {
	x.w.Header().Set("Cache-Control", "no-store")
	h.send(x, answer{status: http.StatusOK, contentType: "text/plain; charset=utf-8", body: []byte(word)})
	return nil
}
