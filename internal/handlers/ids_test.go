package handlers_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/bff/internal/page"
)

func TestIDs(t *testing.T) {
	tests := []struct{ path, id string }{ // id is what is asked for; empty is a 400
		{"p-1001", "p-1001"}, {"A.z_9~-", "A.z_9~-"}, {"...", "..."}, {".a", ".a"}, {"%41", "A"}, {"%7e", "~"}, {"a%2Db%2E", "a-b."},
		{"p?id=other&x=%zz", "p"}, {strings.Repeat("x", 64), strings.Repeat("x", 64)}, {strings.Repeat("%61", 64), strings.Repeat("a", 64)},
		{"", ""}, {".", ""}, {"..", ""}, {"%2e", ""}, {"%2e%2e", ""}, {".%2E", ""}, {"%2541", ""}, {"a%252Fb", ""}, {"a%2Fb", ""}, {"%2F", ""},
		{"..%2f..%2fadmin", ""}, {"a%5Cb", ""}, {"a%20b", ""}, {"a+b", ""}, {"a%00", ""}, {"a%0d%0aX:y", ""}, {"%ff", ""}, {"%C3%A4", ""}, {"ä", ""},
		{"a;b", ""}, {"a:b", ""}, {"a@b", ""}, {"a*", ""}, {"{id}", ""}, {"a,b", ""}, {"'", ""}, {strings.Repeat("x", 65), ""},
		{strings.Repeat("x", 20000), ""},
	}
	for _, tt := range tests {
		for _, suffix := range []string{"", "/offer"} {
			path, query, _ := strings.Cut(tt.path, "?")
			checkID(t, "/products/"+path+suffix+"?"+query, tt.id)
		}
	}
}

func checkID(t *testing.T, target, id string) {
	t.Helper()
	e := newEdge()
	asked := e.keepIDs()
	w := e.get(target)
	rec := e.served(t)
	if id != "" {
		if w.Code != http.StatusOK || *asked != id || rec.ID != id {
			t.Errorf("%s: %d, asked for %q, record %q", target, w.Code, *asked, rec.ID)
		}
		return
	}
	p := problemIn(t, w)
	if w.Code != http.StatusBadRequest || p.Type != "/problems/invalid-request" {
		t.Errorf("%s: %d %s", target, w.Code, w.Body)
	}
	if e.calls.Load() != 0 || rec.ID != "" || rec.Result != page.Invalid || len(p.Instance) > 256 {
		t.Errorf("%s: %d calls, record %+v, instance %s", target, e.calls.Load(), rec, p.Instance)
	}
}

// keepIDs tells which id was asked for last.
func (e *edge) keepIDs() *string {
	asked := new(string)
	onPage, onOffer := e.onPage, e.onOffer
	e.onPage = func(ctx context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
		*asked = q.ID.String()
		return onPage(ctx, q, rec)
	}
	e.onOffer = func(ctx context.Context, q *page.Query, rec *page.Record) (page.Offer, error) {
		*asked = q.ID.String()
		return onOffer(ctx, q, rec)
	}
	return asked
}

func TestOtherPathsAreNotFound(t *testing.T) {
	for _, path := range []string{
		"/", "/products", "/products/p/", "/products/p/offer/", "/products/p/offers", "/products/p/q", "//products/p", "/Products/p",
		"/products/p%2Foffer/x", "/problems/nothing", "/problems/%2e%2e", "/.git/config", "/products/p/offer%2F",
	} {
		e := newEdge()
		w := e.get(path)
		if p := problemIn(t, w); w.Code != http.StatusNotFound || p.Type != "/problems/not-found" || p.Instance != path {
			t.Errorf("%s: %d %+v", path, w.Code, p)
		}
		if e.calls.Load() != 0 || len(e.records) != 0 {
			t.Errorf("%s: %d calls, %d records", path, e.calls.Load(), len(e.records))
		}
	}
}

var validID = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,64}$`)

// FuzzID sends whatever follows /products/ through the whole router, as the wire would bring it.
func FuzzID(f *testing.F) {
	for _, s := range []string{
		"p-1001", "p/offer", "", "/offer", ".", "..", "%2541", "%2F", "%2e%2e", "a%2Foffer", "%zz", "%", "ä", "%ff", "a;b", "a?b=%zz",
		"a#b", "{id}", "*", "a//offer", "%41%2doffer", strings.Repeat("x", 65),
	} {
		f.Add(s)
	}
	e := newEdge()
	asked := e.keepIDs()
	f.Fuzz(func(t *testing.T, s string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET /products/" + s + " HTTP/1.1\r\nHost: shop\r\n\r\n")))
		if err != nil || r.RequestURI != "/products/"+s || r.ContentLength != 0 {
			return // net/http refuses it by itself, or s reaches past the request line
		}
		raw, _, _ := strings.Cut(s, "?")
		segment, _ := strings.CutSuffix(raw, "/offer")
		want, err := url.PathUnescape(segment)
		valid := err == nil && validID.MatchString(want) && want != "." && want != ".."
		*asked = ""
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		for len(e.records) > 0 {
			<-e.records
		}
		switch {
		case valid && (w.Code != http.StatusOK || *asked != want):
			t.Errorf("%q: %d, asked for %q, want %q", s, w.Code, *asked, want)
		case !valid && (w.Code != http.StatusBadRequest && w.Code != http.StatusNotFound || *asked != ""):
			t.Errorf("%q: %d, asked for %q", s, w.Code, *asked)
		}
	})
}
