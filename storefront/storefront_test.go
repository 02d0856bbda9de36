package storefront_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/bff/fakes"
	"example.com/bff/storefront"
)

func TestOptionsThatAreMissingAreTold(t *testing.T) {
	_, err := storefront.New(storefront.Options{})
	for _, what := range []string{"service", "catalog", "price", "stock", "reviews", "recommendations", "logger"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q does not speak of %s", err, what)
		}
	}
}

func TestThePageIsStrictAboutWhatItLoads(t *testing.T) {
	shop := newWorld(t).shop
	for _, path := range []string{"/p/p-1001", "/assets/app.js", "/assets/base.css", "/assets/icon.svg"} {
		res := get(t, shop+path, nil)
		policy := res.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, rule) {
				t.Errorf("%s: no %s in %q", path, rule, policy)
			}
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
		if again := get(t, shop+path, map[string]string{"If-None-Match": res.Header.Get("ETag")}); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", path, again.Status)
		}
	}
	page := get(t, shop+"/p/p-1001", nil).body
	for _, forbidden := range []string{"<style", "style=", "onclick", "http://", "https://", "<script>"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %s in it", forbidden)
		}
	}
}

func TestRoutes(t *testing.T) {
	shop := newWorld(t).shop
	for path, want := range map[string]int{
		"/": http.StatusFound, "/livez": http.StatusNoContent, "/p/anything": http.StatusOK, "/products/p-1001": http.StatusOK,
		"/assets/index.html": http.StatusNotFound, "/assets/nothing.js": http.StatusNotFound, "/elsewhere": http.StatusNotFound,
	} {
		if res := get(t, shop+path, nil); res.StatusCode != want {
			t.Errorf("%s: %s instead of %d", path, res.Status, want)
		}
	}
}

func TestTheServiceIsAskedAsTheBrowserAsked(t *testing.T) {
	var path, query, client, forwarded string
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, query, client, forwarded = r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("X-Client"), r.Header.Get("X-Forwarded-For")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	shop := serve(t, newStorefront(t, service, service)).String()
	res := get(t, shop+"/products/a%2Db/offer?x=1", map[string]string{"X-Client": "web", "X-Forwarded-For": "6.6.6.6"})
	if path != "/products/a%2Db/offer" || query != "x=1" || client != "web" || forwarded != "127.0.0.1" {
		t.Errorf("the service saw %q %q %q %q", path, query, client, forwarded)
	}
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") != "7" {
		t.Errorf("the browser got %s and Retry-After %q", res.Status, res.Header.Get("Retry-After"))
	}
}

func TestAServiceThatIsGone(t *testing.T) {
	gone := nowhere(t)
	shop := serve(t, newStorefront(t, gone, gone)).String()
	res := get(t, shop+"/products/p-1001", nil)
	if res.StatusCode != http.StatusBadGateway || res.Header.Get("Content-Type") != "application/problem+json" || strings.Contains(res.body, gone.Host) {
		t.Errorf("%s %s", res.Status, res.body)
	}
	want := `{"catalog":null,"price":null,"recommendations":null,"reviews":null,"stock":null}`
	if told := get(t, shop+"/fakes", nil); told.StatusCode != http.StatusOK || told.body != want {
		t.Errorf("%s %s", told.Status, told.body)
	}
}

func TestFaultsGoToTheFakeTheyAreFor(t *testing.T) {
	mine, others := fakes.New(fakes.Options{Only: []string{"price"}}), fakes.New(fakes.Options{})
	bases := map[string]*url.URL{}
	rest := serve(t, others)
	for _, name := range storefront.Downstreams() {
		bases[name] = rest
	}
	bases["price"] = serve(t, mine)
	front, err := storefront.New(storefront.Options{BFF: rest, Fakes: bases, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	shop := serve(t, front).String()

	set(t, http.MethodPut, shop+"/fakes/price/fault", `{"latencyMs":800}`, "", http.StatusOK)
	if f, _ := mine.Fault("price"); f.LatencyMs == nil || *f.LatencyMs != 800 {
		t.Errorf("price has %+v", f)
	}
	var told map[string]struct {
		Fault struct{ LatencyMs int }
		Stats map[string]any
	}
	if err := json.Unmarshal([]byte(get(t, shop+"/fakes", nil).body), &told); err != nil {
		t.Fatal(err)
	}
	if len(told) != 5 || told["price"].Fault.LatencyMs != 800 || told["stock"].Fault.LatencyMs != 0 || told["stock"].Stats["calls"] != 0.0 {
		t.Errorf("told is %+v", told)
	}
	set(t, http.MethodDelete, shop+"/fakes/price/fault", "", "", http.StatusNoContent)
	if f, _ := mine.Fault("price"); f.LatencyMs != nil {
		t.Errorf("price still has %+v", f)
	}
}

func TestFaultsAreRefused(t *testing.T) {
	shop := newWorld(t).shop
	set(t, http.MethodPut, shop+"/fakes/cart/fault", `{}`, "", http.StatusNotFound)
	set(t, http.MethodPut, shop+"/fakes/..%2F_stats/fault", `{}`, "", http.StatusNotFound)
	set(t, http.MethodPut, shop+"/fakes/price/fault", `{"nonsense":1}`, "", http.StatusBadRequest)
	set(t, http.MethodPut, shop+"/fakes/price/fault", strings.Repeat(" ", 5000)+`{}`, "", http.StatusRequestEntityTooLarge)
	set(t, http.MethodPut, shop+"/fakes/price/fault", `{"hang":true}`, "https://elsewhere.example", http.StatusForbidden)
	set(t, http.MethodDelete, shop+"/fakes/price/fault", "", "https://elsewhere.example", http.StatusForbidden)
}

var quiet = slog.New(slog.DiscardHandler)

type response struct {
	*http.Response
	body string
}

func get(t *testing.T, address string, header map[string]string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return do(t, req)
}

func set(t *testing.T, method, address, fault, origin string, want int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(fault))
	if err != nil {
		t.Fatal(err)
	}
	if origin != "" {
		req.Header.Set("Origin", origin)
	}
	if res := do(t, req); res.StatusCode != want {
		t.Errorf("%s %s %.40s: %s %s, not %d", method, address, fault, res.Status, res.body, want)
	}
}

func do(t *testing.T, req *http.Request) response {
	t.Helper()
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{res, string(body)}
}
