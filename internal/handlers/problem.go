package handlers

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/bff/internal/page"
)

// What the edge itself refuses. The texts are what clients read as detail.
var (
	errBody          = errors.New("a request for this resource has no body")
	errNoRoute       = errors.New("there is nothing under this path")
	errMethod        = errors.New("this resource does not know the method; Allow tells which it knows")
	errNotAcceptable = errors.New("this resource is application/json, which Accept does not allow")
	errOverloaded    = errors.New("too much is in flight already")
	errOverridden    = errors.New("a part of all requests is refused for now")
	errQueuedAway    = errors.New("too little of the request's time was left when its turn could have come")
	errSpent         = errors.New("the deadline that came with the request leaves less than 20 ms")
	errOutOfTime     = errors.New("the request's time ran out")
	errShuttingDown  = errors.New("this instance has ended its drain; another one will answer")
	errDraining      = errors.New("this instance is ending; another one will answer")
)

// rateLimitedError says when the client may ask again.
type rateLimitedError struct{ retryAfter time.Duration }

func (*rateLimitedError) Error() string { return "this client asks more often than it may" }

// problemTable says what becomes of an error: which kind of problem a client is told, and which result the record is.
var problemTable = []struct {
	err    error
	kind   *kind
	result page.Result
}{
	{page.ErrNotFound, productNotFound, page.NotFound},
	{page.ErrNoPrice, productNotFound, page.NotFound},
	{page.ErrInvalidID, invalidRequest, page.Invalid},
	{errBody, invalidRequest, page.Invalid},
	{errNotAcceptable, notAcceptable, page.Invalid},
	{errNoRoute, notFound, page.Invalid},
	{errMethod, methodNotAllowed, page.Invalid},
	{errOverloaded, overloaded, page.Shed},
	{errOverridden, overloaded, page.Shed},
	{errQueuedAway, deadlineExhausted, page.Shed},
	{errSpent, deadlineExhausted, page.Deadline},
	{errOutOfTime, deadlineExhausted, page.Unavailable},
	{errShuttingDown, shuttingDown, page.Shed},
	{errDraining, shuttingDown, page.Shed},
}

// problem is an error as clients are told of it.
type problem struct {
	*kind
	result       page.Result
	detail       string
	dependencies []page.FailedDependency
	retryAfter   time.Duration // before the spread
}

// problemOf never passes on the text of an error that it does not know.
func problemOf(err error) problem {
	if e, ok := errors.AsType[*page.UnavailableError](err); ok {
		return problem{dependencyUnavailable, page.Unavailable, "could not be had: " + e.Error(), e.Dependencies, e.RetryAfter}
	}
	if e, ok := errors.AsType[*rateLimitedError](err); ok {
		return problem{rateLimited, page.RateLimited, e.Error(), nil, e.retryAfter}
	}
	for _, row := range problemTable {
		if errors.Is(err, row.err) {
			return problem{kind: row.kind, result: row.result, detail: row.err.Error()}
		}
	}
	return problem{kind: internal, result: page.Internal, detail: "a defect of ours; the requestId lets us find it"}
}

// refuse answers with what err comes to. A client that left before its deadline is not answered: there is nobody.
func (h *Handlers) refuse(x *exchange, err error) {
	if now := time.Now(); x.gone(err, now) {
		if now.Before(x.deadline) {
			x.settle(answer{result: page.ClientLeft}, now)
			x.abort = true
			return
		}
		err = errOutOfTime
	}
	p := problemOf(err)
	if p.kind == internal {
		h.note(x, err.Error())
	}
	header := x.w.Header()
	header.Set("Cache-Control", "no-store")
	retryAfter := h.retryAfter(p)
	if retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	h.send(x, answer{p.Status, p.result, "application/problem+json", p.body(x, retryAfter)})
}

// retryAfter is in whole seconds; 0 is no advice. Every 503 has one, spread so that clients do not come back together.
func (h *Handlers) retryAfter(p problem) int {
	switch p.Status {
	case http.StatusServiceUnavailable:
		return max(1, wholeSeconds(p.retryAfter)+h.config.Spread())
	case http.StatusTooManyRequests:
		return max(1, wholeSeconds(p.retryAfter))
	}
	return 0
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) int { return int((max(d, 0) + time.Second - 1) / time.Second) }

// body is the problem as RFC 9457 writes it.
func (p problem) body(x *exchange, retryAfter int) []byte {
	type dependency struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
	}
	members := struct {
		Type         string       `json:"type"`
		Title        string       `json:"title"`
		Status       int          `json:"status"`
		Detail       string       `json:"detail"`
		Instance     string       `json:"instance"`
		RequestID    string       `json:"requestId"`
		Dependencies []dependency `json:"dependencies,omitempty"`
		RetryAfter   int          `json:"retryAfter,omitempty"`
	}{
		Type: "/problems/" + p.Slug, Title: p.Title, Status: p.Status, Detail: p.detail,
		Instance: instance(x.r.URL), RequestID: x.requestID, RetryAfter: retryAfter,
	}
	for _, d := range p.dependencies {
		members.Dependencies = append(members.Dependencies, dependency{d.Name.String(), d.Reason.String()})
	}
	body, _ := json.Marshal(members) // strings and numbers: it cannot fail
	return body
}

// maxInstance bounds how much of a path is told back, in bytes.
const maxInstance = 256

func instance(u *url.URL) string {
	path := u.EscapedPath()
	return path[:min(len(path), maxInstance)]
}
