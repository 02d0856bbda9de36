package downstreams_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// sent is what one call with q puts on the wire.
func sent(t *testing.T, q *page.Query, change func(*downstreams.Settings)) (req *http.Request) {
	t.Helper()
	inBubble(t, page.Catalog, func(r *http.Request) (*http.Response, error) {
		req = r
		return respond(200, "fine"), nil
	}, change, func(r *rig) { r.ask(pageDeadline, q) })
	return req
}

func TestHeadersOfAnAttempt(t *testing.T) {
	q := query("p", header("X-Market", "de"), header("Accept-Language", "de"), header("Accept-Language", "fr;q=0.5"),
		header("Cookie", "secret"), header("Authorization", "secret"))
	var end time.Time
	var told http.Header
	inBubble(t, page.Catalog, func(r *http.Request) (*http.Response, error) {
		end, told = time.Now().Add(200*ms), r.Header
		return respond(200, "fine"), nil
	}, nil, func(r *rig) { r.ask(pageDeadline, q) })
	want := map[string]string{
		"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "bff", "X-Request-Id": "request-1",
		"X-Market": "de", "Accept-Language": "de, fr;q=0.5",
		"X-Request-Deadline": strconv.FormatInt(end.UnixMilli(), 10), "X-Request-Timeout-Ms": "200",
	}
	for name, value := range want {
		if told.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, told.Get(name), value)
		}
	}
	if len(told) != len(want) {
		t.Errorf("there is more: %v", told)
	}
}

func TestTimeLeftIsToldInWholeMilliseconds(t *testing.T) {
	for left, want := range map[time.Duration]string{
		449 * ms: "200", 50*ms + 999*time.Microsecond: "50", 900 * time.Microsecond: "1",
	} {
		var told string
		inBubble(t, page.Catalog, func(r *http.Request) (*http.Response, error) {
			told = r.Header.Get("X-Request-Timeout-Ms")
			return respond(200, "fine"), nil
		}, nil, func(r *rig) { r.ask(left, query("p")) })
		if told != want {
			t.Errorf("with %v left: told %s ms, want %s", left, told, want)
		}
	}
}

func TestWhatIsForwarded(t *testing.T) {
	forward := func(names ...string) func(*downstreams.Settings) {
		return func(s *downstreams.Settings) { s.ForwardHeaders = names }
	}
	connected := func(lines ...string) *page.Query {
		q := query("p", header("X-Market", "de"))
		q.Header["Connection"] = lines
		return q
	}
	tests := map[string]struct {
		names []string
		q     *page.Query
		want  string // of X-Market
	}{
		"as it is":            {[]string{"x-market"}, query("p", header("X-Market", "de")), "de"},
		"128 bytes":           {[]string{"X-Market"}, query("p", header("X-Market", strings.Repeat("m", 128))), strings.Repeat("m", 128)},
		"129 bytes":           {[]string{"X-Market"}, query("p", header("X-Market", strings.Repeat("m", 129))), ""},
		"129 in two":          {[]string{"X-Market"}, query("p", header("X-Market", strings.Repeat("m", 127)), header("X-Market", "")), ""},
		"a line feed":         {[]string{"X-Market"}, query("p", header("X-Market", "de\r\nX-Admin: 1")), ""},
		"a control character": {[]string{"X-Market"}, query("p", header("X-Market", "d\x00e")), ""},
		"not let through":     {nil, query("p", header("X-Market", "de")), ""},
		"named by Connection": {[]string{"X-Market"}, connected("close, x-market"), ""},
		"named by none":       {[]string{"X-Market"}, connected(strings.Repeat("x-markets,", 25)), "de"},
		"named by a long one": {[]string{"X-Market"}, connected(strings.Repeat(",", 28<<10)), ""},
		"named by many":       {[]string{"X-Market"}, connected(slices.Repeat([]string{""}, 257)...), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sent(t, tt.q, forward(tt.names...)).Header.Get("X-Market"); got != tt.want {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
	hop := []string{"Host", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Proxy-Authorization",
		"Accept-Encoding", "Range", "If-None-Match", "Content-Length"}
	q := query("p", func(q *page.Query) {
		for _, name := range hop {
			q.Header.Set(name, "evil")
		}
	})
	req := sent(t, q, forward(hop...))
	for _, name := range hop {
		if req.Header.Get(name) == "evil" {
			t.Errorf("%s was forwarded", name)
		}
	}
	if req.Host != "downstream" {
		t.Errorf("Host is %q", req.Host)
	}
}

func TestTraceContext(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tests := map[string]bool{
		good: true, "01" + good[2:] + "-more": true,
		"": false, "ff" + good[2:]: false, "00-" + strings.Repeat("0", 32) + good[35:]: false,
		good[:36] + strings.Repeat("0", 16) + "-01": false, strings.ToUpper(good): false, good + "-more": false,
		good[:54]: false, "01" + good[2:] + "x": false, "01" + good[2:] + "-" + strings.Repeat("x", 100): false,
		"01" + good[2:] + "-\r\nx: y": false,
	}
	for parent, want := range tests {
		req := sent(t, query("p", header("Traceparent", parent), header("Tracestate", "a=b"), header("Tracestate", "c=d")), nil)
		if got := req.Header.Get("Traceparent") != ""; got != want {
			t.Errorf("%q passed on: %v, want %v", parent, got, want)
		}
		if state := req.Header.Get("Tracestate"); (state == "a=b, c=d") != want {
			t.Errorf("with %q the state %q was passed on", parent, state)
		}
	}
	long := sent(t, query("p", header("Traceparent", good), header("Tracestate", strings.Repeat("a", 513))), nil)
	if long.Header.Get("Tracestate") != "" || long.Header.Get("Traceparent") != good {
		t.Error("a long state was passed on")
	}
}

func TestTheIDIsOnePathSegment(t *testing.T) {
	for _, id := range []string{"p-1001", "...", "a.b_c~d-E9", strings.Repeat("z", 64)} {
		for template, want := range map[string]string{
			"http://d/catalog/{id}":              "http://d/catalog/" + id,
			"http://d/{id}":                      "http://d/" + id,
			"https://d:8443/v1/{id}/price":       "https://d:8443/v1/" + id + "/price",
			"http://d/a%2Fb/{id}/c%20d?lang=x&y": "http://d/a%2Fb/" + id + "/c%20d?lang=x&y",
		} {
			req := sent(t, query(id), func(s *downstreams.Settings) { s.URL = template })
			if got := req.URL.String(); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
		}
	}
}

func TestCredentialsInTheURL(t *testing.T) {
	req := sent(t, query("p"), func(s *downstreams.Settings) { s.URL = "http://bff:s%40crt@d/{id}" })
	user, password, _ := req.BasicAuth()
	if user != "bff" || password != "s@crt" || req.URL.User != nil {
		t.Errorf("%q, %q, %v", user, password, req.URL)
	}
}

func TestKeys(t *testing.T) {
	questions := []*page.Query{
		query("p"), query("q"), query("p", header("X-Market", "de")), query("p", header("X-Market", "fr")),
		query("p", header("Accept-Language", "de")), query("p", header("Accept-Language", "de"), header("X-Market", "de")),
		query("p", header("X-Market", "de\tAccept-Language=de")), query("p", header("X-Market", "=")),
	}
	inBubble(t, page.Catalog, ok, nil, func(r *rig) {
		var keys []string
		for i, q := range questions {
			key := r.client.Key(q)
			if i != 6 && slices.Contains(keys, key) {
				t.Errorf("question %d has the key of another: %q", i, key)
			}
			keys = append(keys, key)
		}
		if keys[6] != keys[0] {
			t.Errorf("a header that is not passed on shapes the key: %q", keys[6])
		}
		other := query("p", header("X-Market", "de"), header("Cookie", "c"), offer, shortened)
		if got := r.client.Key(other); got != keys[2] {
			t.Errorf("%q, want %q: what the downstream does not see has no part in it", got, keys[2])
		}
	})
	inBubble(t, page.Catalog, ok, func(s *downstreams.Settings) { s.ForwardHeaders = []string{"b", "A", "B"} }, func(r *rig) {
		q := query("p", header("A", "1"), header("B", "2"))
		if got, want := r.client.Key(q), "p\nA=1\nB=2"; got != want {
			t.Errorf("%q, want %q, in whatever order it was configured", got, want)
		}
	})
}

func TestSettingsThatCannotBe(t *testing.T) {
	wrong := map[string]func(*downstreams.Settings){
		"no id":               func(s *downstreams.Settings) { s.URL = "http://d/" },
		"two ids":             func(s *downstreams.Settings) { s.URL = "http://d/{id}/{id}" },
		"half a segment":      func(s *downstreams.Settings) { s.URL = "http://d/p-{id}" },
		"half a segment more": func(s *downstreams.Settings) { s.URL = "http://d/{id}.json" },
		"id in the query":     func(s *downstreams.Settings) { s.URL = "http://d/?id={id}" },
		"id in the host":      func(s *downstreams.Settings) { s.URL = "http://{id}/" },
		"a fragment":          func(s *downstreams.Settings) { s.URL = "http://d/{id}#x" },
		"no host":             func(s *downstreams.Settings) { s.URL = "http:///{id}" },
		"another scheme":      func(s *downstreams.Settings) { s.URL = "ftp://d/{id}" },
		"no timeout":          func(s *downstreams.Settings) { s.Timeout = 0 },
		"no bulkhead":         func(s *downstreams.Settings) { s.Bulkhead = 0 },
		"six retries":         func(s *downstreams.Settings) { s.Retries = 6 },
		"a ratio over 1":      func(s *downstreams.Settings) { s.RetryBudget = 1.1 },
		"a rate of 0":         func(s *downstreams.Settings) { s.BreakerFailureRate = 0 },
		"no probes":           func(s *downstreams.Settings) { s.BreakerProbes = 0 },
		"no cool-down":        func(s *downstreams.Settings) { s.BreakerCooldown = 0 },
		"fresh price":         func(s *downstreams.Settings) { s.Dependency, s.FreshFor = page.Price, 1 },
		"fresh stock":         func(s *downstreams.Settings) { s.Dependency, s.FreshFor = page.Stock, 1 },
	}
	for name, change := range wrong {
		s := downstreams.Table()[page.Catalog]
		s.URL = "http://user:secret@d/{id}"
		change(&s)
		_, err := downstreams.New(s, decodeText, downstreams.Options[string]{Transport: ok})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range downstreams.Table() {
		s.URL = "http://d/{id}"
		if _, err := downstreams.New(s, decodeText, downstreams.Options[string]{Transport: ok}); err != nil {
			t.Error(err)
		}
	}
}

func TestFreshAnswersAreServedAgain(t *testing.T) {
	change := func(s *downstreams.Settings) { s.FreshFor = 2 * time.Second }
	inBubble(t, page.Catalog, ok, change, func(r *rig) {
		ask := func(q *page.Query) page.Call { _, call := r.ask(pageDeadline, q); return call }
		ask(query("p"))
		v, call := r.ask(pageDeadline, query("p"))
		r.wants(call, page.OK, 0)
		if v != "fine" || !call.Asked || len(call.Attempts) != 0 {
			r.Errorf("%q, %+v", v, call)
		}
		r.wantsMade(1)
		ask(query("p", header("X-Market", "de")))
		r.wantsMade(2)
		time.Sleep(2*time.Second - 20*ms)
		ask(query("p")) // two seconds after it was sent, not after it came
		r.wantsMade(3)
		for _, bad := range []transport{down, after(0, 404, ""), after(0, 200, "")} {
			r.becomes(bad)
			n := r.made()
			ask(query("bad"))
			ask(query("bad"))
			r.wantsMade(n + 2)
		}
	})
	inBubble(t, page.Catalog, ok, nil, func(r *rig) {
		r.ask(pageDeadline, query("p"))
		r.ask(pageDeadline, query("p"))
		r.wantsMade(2) // off by default
	})
}

func TestAFreshAnswerIsNotReplacedByAnOlderOne(t *testing.T) {
	change := func(s *downstreams.Settings) { s.FreshFor, s.Coalesce = time.Minute, false }
	inBubble(t, page.Catalog, turns(after(100*ms, 200, "older"), after(0, 200, "newer")), change, func(r *rig) {
		slow := r.asks(pageDeadline, query("p"))
		time.Sleep(10 * ms)
		r.ask(pageDeadline, query("p"))
		<-slow
		if v, _ := r.ask(pageDeadline, query("p")); v != "newer" {
			r.Errorf("%q", v)
		}
		r.wantsMade(2)
	})
}

func TestFreshAnswersAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	body := turns(after(0, 200, big))
	inBubble(t, page.Catalog, body, func(s *downstreams.Settings) { s.FreshFor = time.Hour }, func(r *rig) {
		for i := range 20 {
			r.ask(pageDeadline, query(strconv.Itoa(i)))
		}
		for i := range 20 {
			r.ask(pageDeadline, query(strconv.Itoa(19-i)))
		}
		if n := r.made(); n != 20+5 {
			r.Errorf("%d exchanges: 16 MiB hold 15 such answers and their keys", n)
		}
		r.becomes(after(0, 200, "small"))
		for i := range 5000 {
			r.ask(pageDeadline, query("s"+strconv.Itoa(i)))
		}
		n := r.made()
		r.ask(pageDeadline, query("s0"))
		r.ask(pageDeadline, query("s4999"))
		r.wantsMade(n + 1) // the oldest has gone, the newest is there
	})
}
