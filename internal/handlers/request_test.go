package handlers_test

import (
	"context"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"example.com/bff/internal/handlers"
	"example.com/bff/internal/page"
)

func TestRequestID(t *testing.T) {
	kept := []string{"r", "A-z0.9_~", strings.Repeat("x", 128)}
	replaced := []string{"", strings.Repeat("x", 129), "a b", "a/b", "ä", `a"b`, "a%20", "a,b", "<script>"}
	made := regexp.MustCompile(`^[A-Za-z0-9._~-]{16,64}$`)
	seen := map[string]bool{}
	for _, target := range []string{"/products/p", "/products/p/offer", "/products/%2F", "/nothing", "/livez", "/problems/"} {
		e := newEdge()
		for _, id := range kept {
			if got := e.get(target, "X-Request-Id", id).Header().Values("X-Request-Id"); len(got) != 1 || got[0] != id {
				t.Errorf("%s: %q became %q", target, id, got)
			}
		}
		for _, id := range replaced {
			got := e.get(target, "X-Request-Id", id).Header().Get("X-Request-Id")
			if !made.MatchString(got) || seen[got] {
				t.Errorf("%s: %q became %q", target, id, got)
			}
			seen[got] = true
		}
		if got := e.get(target, "X-Request-Id", "a", "X-Request-Id", "b").Header().Values("X-Request-Id"); len(got) != 1 || !made.MatchString(got[0]) {
			t.Errorf("%s: two became %q", target, got)
		}
	}
}

func TestWhatTheQueryCarries(t *testing.T) {
	e := newEdge()
	e.onPage = func(_ context.Context, q *page.Query, rec *page.Record) (*page.Page, error) {
		if q.RequestID != "r-1" || rec.RequestID != "r-1" || q.Header.Get("Accept-Language") != "de" || q.Offer {
			t.Errorf("%+v", q)
		}
		return full(q.ID), nil
	}
	e.get("/products/p", "X-Request-Id", "r-1", "Accept-Language", "de")
}

func TestTraceID(t *testing.T) {
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	tests := map[string]bool{
		"00-" + trace + "-" + parent + "-01": true, "00-" + trace + "-" + parent + "-00": true, "00-" + trace + "-" + parent + "-0b": true, "cc-" + trace + "-" + parent + "-01-later": true,
		"cc-" + trace + "-" + parent + "-01-" + strings.Repeat("x", 73): false, // 129 bytes, which no downstream is told
		"": false, trace: false, "ff-" + trace + "-" + parent + "-01": false, "00-" + trace + "-" + parent + "-01-more": false,
		"00-" + trace + "-" + parent + "-01-": false, "00-" + trace + "-" + parent: false, "00-" + trace[1:] + "-" + parent + "-01": false,
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01": false, "00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false,
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01": false, "0-" + trace + "-" + parent + "-01": false, "00-" + trace + "-" + parent + "-1": false,
	}
	for header, want := range tests {
		e := newEdge()
		e.get("/products/p", "Traceparent", header)
		rec := e.served(t)
		if rec.TraceID != trace && want || rec.TraceID != "" && !want {
			t.Errorf("%s: %q", header, rec.TraceID)
		}
		if sampled := want && !strings.HasSuffix(header, "-00"); rec.Sampled != sampled {
			t.Errorf("%s: sampled %v", header, rec.Sampled)
		}
	}
	e := newEdge()
	valid := "00-" + trace + "-" + parent + "-01"
	if e.get("/products/p", "Traceparent", valid, "Traceparent", valid); e.served(t).TraceID != "" {
		t.Error("two are believed")
	}
}

func TestLabelsAreClosedSets(t *testing.T) {
	for header, want := range map[string]string{"web": "web", "mobile": "mobile", "Web": "other", "": "other", "tv\n": "other", "de": "other"} {
		e := newEdge()
		e.get("/products/p", "X-Client", header)
		if rec := e.served(t); rec.Client != want || rec.Market != "other" {
			t.Errorf("client %q: %s, %s", header, rec.Client, rec.Market)
		}
	}
	e := newEdge()
	e.get("/products/p", "X-Market", "de")
	if rec := e.served(t); rec.Market != "de" || rec.Client != "other" {
		t.Errorf("market de: %s, %s", rec.Market, rec.Client)
	}
}

func TestPriority(t *testing.T) {
	const (
		stranger  = "203.0.113.9:4711"
		proxy     = "10.1.2.3:4711"
		googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
		chrome    = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
	)
	tests := map[string]struct {
		peer, path, asked, agent string
		want                     page.Priority
	}{
		"page":                      {stranger, "/products/p", "", chrome, page.Default},
		"offer":                     {stranger, "/products/p/offer", "", chrome, page.Critical},
		"page lowered":              {stranger, "/products/p", "background", chrome, page.Background},
		"offer lowered":             {stranger, "/products/p/offer", "default", chrome, page.Default},
		"page raised":               {stranger, "/products/p", "critical", chrome, page.Default},
		"nonsense":                  {stranger, "/products/p", "urgent", chrome, page.Default},
		"crawler":                   {stranger, "/products/p", "", googlebot, page.Background},
		"crawler, offer":            {stranger, "/products/p/offer", "", googlebot, page.Background},
		"crawler, raised":           {stranger, "/products/p", "critical", googlebot, page.Background},
		"a phone called Cubot":      {stranger, "/products/p", "", "Mozilla/5.0 (Linux; Android 11; CUBOT_X30)", page.Default},
		"crawler after 600 bytes":   {stranger, "/products/p", "", strings.Repeat(" ", 600) + "googlebot", page.Default},
		"trusted, raised":           {proxy, "/products/p", "critical", chrome, page.Critical},
		"trusted, lowered":          {proxy, "/products/p/offer", "background", chrome, page.Background},
		"trusted, crawler":          {proxy, "/products/p", "", googlebot, page.Background},
		"trusted, crawler raised":   {proxy, "/products/p", "default", googlebot, page.Default},
		"trusted, nonsense":         {proxy, "/products/p", "urgent", chrome, page.Default},
		"trusted as IPv4 in IPv6":   {"[::ffff:10.1.2.3]:1", "/products/p", "critical", chrome, page.Critical},
		"trusted, with a zone":      {"[fe80::1%eth0]:1", "/products/p", "critical", chrome, page.Critical},
		"a peer without an address": {"@", "/products/p", "critical", chrome, page.Default},
	}
	for name, tt := range tests {
		e := newEdge(func(c *handlers.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fe80::/10")}
		})
		r := request("GET", tt.path, "X-Priority", tt.asked, "User-Agent", tt.agent, "X-Forwarded-For", "10.1.2.3", "X-Real-Ip", "10.1.2.3")
		r.RemoteAddr = tt.peer
		e.ServeHTTP(httptest.NewRecorder(), r)
		if got := e.served(t).Priority; got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
