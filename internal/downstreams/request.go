package downstreams

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/bff/internal/page"
)

const (
	headerRequestID   = "X-Request-Id"
	headerDeadline    = "X-Request-Deadline"
	headerTimeout     = "X-Request-Timeout-Ms"
	headerTraceParent = "Traceparent"
	headerTraceState  = "Tracestate"

	userAgent     = "bff"
	maxTraceState = 512
)

// target makes the URL of a product from a template.
type target struct {
	base              url.URL
	before, after     string // of the path, around the id
	rawBefore, rawEnd string // likewise as written; empty when the path needs no escapes of its own
	authorization     string // from the template's user information; empty without
}

// errTemplate never repeats the template: it may hold a password.
var errTemplate = errors.New("the URL must be http:// or https://, a host, and a path with {id} as one whole segment")

func newTarget(template string) (target, error) {
	before, after, found := strings.Cut(template, "{id}")
	head, err := url.Parse(before)
	whole, err2 := url.Parse(before + "0" + after)
	switch {
	case !found, err != nil, err2 != nil, strings.Contains(after, "{id}"):
		return target{}, errTemplate
	case head.Scheme != "http" && head.Scheme != "https", head.Host == "", strings.ContainsAny(before, "?#"),
		strings.Contains(after, "#"), !strings.HasSuffix(head.Path, "/"), after != "" && after[0] != '/' && after[0] != '?':
		return target{}, errTemplate
	}
	t := target{base: *whole, before: head.Path, after: strings.TrimPrefix(whole.Path, head.Path+"0")}
	if whole.RawPath != "" {
		t.rawBefore = head.EscapedPath()
		t.rawEnd = strings.TrimPrefix(whole.EscapedPath(), t.rawBefore+"0")
	}
	if user := whole.User; user != nil {
		password, _ := user.Password()
		t.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
		t.base.User = nil
	}
	return t, nil
}

// url is the address of id, which needs no escaping.
func (t *target) url(id page.ID) *url.URL {
	u := t.base
	u.Path = t.before + id.String() + t.after
	if t.rawBefore != "" {
		u.RawPath = t.rawBefore + id.String() + t.rawEnd
	}
	return &u
}

// field is one outbound header.
type field struct{ name, value string }

// fields are the headers that every attempt of a call sends alike. What a request brought that is not well formed is
// left out.
func (c *Client[T]) fields(q *page.Query, forwarded []string) []field {
	fields := make([]field, 0, len(forwarded)+7)
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, field{name, value})
		}
	}
	add("Accept", "application/json")
	add("Accept-Encoding", "gzip")
	add("User-Agent", userAgent)
	add("Authorization", c.target.authorization)
	for i, v := range forwarded {
		add(c.forward.names[i], v)
	}
	add(headerRequestID, q.RequestID)
	parent := q.Header[headerTraceParent]
	if _, _, ok := page.ParseTraceParent(parent); ok {
		add(headerTraceParent, parent[0])
		add(headerTraceState, fieldValue(q.Header[headerTraceState], maxTraceState))
	}
	return fields
}

// request is one attempt's, sent at start and ending at end.
func (f *flight[T]) request(ctx context.Context, start, end time.Time) *http.Request {
	n := len(f.fields) + 2
	header, values := make(http.Header, n), make([]string, n)
	set := func(i int, name, value string) {
		values[i] = value
		header[name] = values[i : i+1 : i+1]
	}
	for i, field := range f.fields {
		set(i, field.name, field.value)
	}
	set(n-2, headerDeadline, strconv.FormatInt(end.UnixMilli(), 10))
	set(n-1, headerTimeout, strconv.FormatInt(max(1, end.Sub(start).Milliseconds()), 10))
	r := &http.Request{
		Method: http.MethodGet, URL: f.url, Host: f.url.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: nothing{}, TransferEncoding: asIs,
	}
	return r.WithContext(ctx)
}

// nothing is a body that is empty and cannot be had again. With it net/http does not send a request a second time by
// itself when the connection it had kept turns out to be closed or is reset: that would be an attempt that neither
// breaker nor budget sees. With asIs it neither probes the body nor writes a header for it, so that the request on the
// wire is one without a body.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
func (nothing) Close() error             { return nil }

// WriteTo spares each request the 32 KiB through which io.Copy would copy nothing.
func (nothing) WriteTo(io.Writer) (int64, error) { return 0, nil }

var asIs = []string{"identity"}
