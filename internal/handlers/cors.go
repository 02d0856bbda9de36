package handlers

import (
	"net/http"
	"slices"
	"strings"
)

// exposed are the headers of an answer that a script from elsewhere may read.
const exposed = "ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Server-Timing, X-Degraded, X-Request-Id"

// ownHeaders are the request headers that mean something to this service itself.
var ownHeaders = []string{
	"If-None-Match", "Traceparent", "Tracestate", "X-Client", "X-Client-Id", "X-Market", "X-Priority",
	"X-Request-Deadline", "X-Request-Id", "X-Request-Timeout-Ms",
}

// cors says whose scripts may read answers. It is a few lines of its own because every answer has to have one Vary, and
// this service knows one answer to every preflight.
type cors struct {
	everybody bool
	origins   []string
	headers   string // that scripts may send
}

func newCORS(origins, forwarded []string) *cors {
	return &cors{
		everybody: slices.Contains(origins, "*"),
		origins:   origins,
		headers:   names(append(slices.Clone(ownHeaders), forwarded...)),
	}
}

func (c *cors) on() bool { return len(c.origins) > 0 }

// methods is what Allow says.
func (c *cors) methods() string {
	if c.on() {
		return "GET, HEAD, OPTIONS"
	}
	return "GET, HEAD"
}

// vary names the request headers that shape an answer, in the order given.
func (c *cors) vary(shaping []string) string {
	if c.on() && !c.everybody {
		shaping = append(slices.Clone(shaping), "Origin")
	}
	return names(shaping)
}

// allow lets the script that asked read the answer, if its origin may.
func (c *cors) allow(answer, request http.Header) {
	if !c.on() {
		return
	}
	origin := "*"
	if !c.everybody {
		answer.Set("Vary", "Origin")
		if origin = request.Get("Origin"); !slices.Contains(c.origins, origin) {
			return
		}
	}
	answer.Set("Access-Control-Allow-Origin", origin)
	answer.Set("Access-Control-Expose-Headers", exposed)
	answer.Set("Timing-Allow-Origin", origin)
}

// preflight tells a browser what the script may send, once allow has said that it may ask.
func (c *cors) preflight(answer http.Header) {
	if answer.Get("Access-Control-Allow-Origin") == "" {
		return
	}
	answer.Set("Access-Control-Allow-Methods", "GET, HEAD")
	answer.Set("Access-Control-Allow-Headers", c.headers)
	answer.Set("Access-Control-Max-Age", "600")
}

// names lists header names, each once, as a header's value.
func names(headers []string) string {
	var list []string
	for _, name := range headers {
		if name = http.CanonicalHeaderKey(name); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}
