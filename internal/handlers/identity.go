package handlers

import (
	"crypto/rand"
	"net/http"

	"example.com/bff/internal/page"
)

// maxRequestID is the longest request id that is kept, in characters.
const maxRequestID = 128

// requestID is the one that came with the request, or a new one of 26 characters.
func requestID(h http.Header) string {
	if values := h.Values("X-Request-Id"); len(values) == 1 && page.Unreserved(values[0], maxRequestID) {
		return values[0]
	}
	return rand.Text()
}

// closedSet is what a label can be.
type closedSet map[string]string

func newClosedSet(names []string) closedSet {
	set := make(closedSet, len(names))
	for _, name := range names {
		set[name] = name
	}
	return set
}

// label is s if the set has it, else page.Other. It does not keep the request's memory alive.
func (set closedSet) label(s string) string {
	if name, ok := set[s]; ok {
		return name
	}
	return page.Other
}
