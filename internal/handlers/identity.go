package handlers

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// maxRequestID is the longest request id that is kept, in characters.
const maxRequestID = 128

// requestID is the one that came with the request, or a new one of 26 characters.
func requestID(h http.Header) string {
	if values := h.Values("X-Request-Id"); len(values) == 1 && validRequestID(values[0]) {
		return values[0]
	}
	return rand.Text()
}

func validRequestID(s string) bool {
	return 1 <= len(s) && len(s) <= maxRequestID && consistsOf(s, "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}

const hexDigits = "0123456789abcdef"

// traceID is that of a valid W3C traceparent, or empty, and whether the trace is sampled.
func traceID(h http.Header) (id string, sampled bool) {
	values := h.Values("Traceparent")
	if len(values) != 1 {
		return "", false
	}
	version, rest, _ := strings.Cut(values[0], "-")
	trace, rest, _ := strings.Cut(rest, "-")
	parent, rest, _ := strings.Cut(rest, "-")
	flags, more, later := strings.Cut(rest, "-")
	switch {
	case !isHex(version, 2) || version == "ff" || !isHex(flags, 2),
		!isHex(trace, 32) || consistsOf(trace, "0"),
		!isHex(parent, 16) || consistsOf(parent, "0"),
		version == "00" && (later || more != ""):
		return "", false
	}
	return trace, strings.IndexByte(hexDigits, flags[1])&1 == 1
}

func isHex(s string, length int) bool { return len(s) == length && consistsOf(s, hexDigits) }

func consistsOf(s, alphabet string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune(alphabet, r) }) < 0
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

// label is s if the set has it, else "other". It does not keep the request's memory alive.
func (set closedSet) label(s string) string {
	if name, ok := set[s]; ok {
		return name
	}
	return "other"
}
