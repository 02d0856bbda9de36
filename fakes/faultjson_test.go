package fakes_test

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/bff/fakes"
)

func TestFaultsThatAreRefused(t *testing.T) {
	for fault, want := range map[string][]string{
		`{"latencyMs": -1}`:                                 {"latencyMs must be a whole number of milliseconds from 0 to 600000"},
		`{"latencyMs": 600001}`:                             {"latencyMs must be"},
		`{"latencyMs": "8s"}`:                               {"latencyMs must be"},
		`{"latencyMs": 1.5}`:                                {"latencyMs must be"},
		`{"latencyMs": null}`:                               {"latencyMs must be"},
		`{"p50Ms": 40}`:                                     {"not over p99Ms"},
		`{"p99Ms": 40}`:                                     {"comes with p50Ms"},
		`{"p50Ms": 50, "p99Ms": 40}`:                        {"not over p99Ms"},
		`{"latencyMs": 1, "p50Ms": 1, "p99Ms": 2}`:          {"choose latencyMs, or p50Ms and p99Ms"},
		`{"errorRate": 1.01}`:                               {"errorRate must be a number from 0 to 1"},
		`{"errorRate": -0.1}`:                               {"errorRate must be"},
		`{"status": 200}`:                                   {"status must be a whole number from 201 to 599"},
		`{"status": 600}`:                                   {"status must be"},
		`{"retryAfter": "3"}`:                               {"comes with status or errorRate"},
		`{"retryAfter": 3, "status": 503}`:                  {"retryAfter must be a string"},
		`{"status": 503, "retryAfter": "a\nSet-Cookie: b"}`: {"printable"},
		`{"hang": "yes"}`:                                   {"hang must be true or false"},
		`{"reset": "sometimes"}`:                            {`reset must be "headers" or "body"`},
		`{"dripMs": -5}`:                                    {"dripMs must be"},
		`{"garbage": "rubbish"}`:                            {"garbage of price must be one of", "html", "missing-amount"},
		`{"garbage": "missing-name"}`:                       {"garbage of price must be one of"},
		`{"garbage": "html", "endless": true}`:              {"choose one body"},
		`{"oversize": true, "endless": true}`:               {"choose one body"},
		`{"latncyMs": 1}`:                                   {`"latncyMs" is no member of a fault`, "latencyMs", "retryAfter"},
		`{"LatencyMs": 1}`:                                  {`"LatencyMs" is no member of a fault`},
		`{"status": 99, "dripMs": -1, "reset": "x"}`:        {"status must be", "dripMs must be", "reset must be"},
		`{"latencyMs": 1} {}`:                               {"must be a JSON object"},
		`null`:                                              {"must be a JSON object"},
		`[]`:                                                {"must be a JSON object"},
		`latencyMs=1`:                                       {"must be a JSON object"},
		``:                                                  {"must be a JSON object"},
		`{"garbage": "` + strings.Repeat("x", 20<<10) + `"}`: {"too large"},
	} {
		t.Run(fault[:min(len(fault), 40)], func(t *testing.T) {
			inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
				const before = `{"latencyMs":5,"status":503,"retryAfter":"3"}`
				w.set("price", before)
				a := w.do(t.Context(), "PUT", "/_fault/price", fault)
				equal(t, "status", a.status, 400)
				contains(t, "text", a.body, want...)
				equal(t, "what holds", strings.TrimSpace(w.get("/_fault/price").body), before)
			})
		})
	}
}

func TestGoCallersAreToldTheSame(t *testing.T) {
	s := fakes.New(fakes.Options{Only: []string{"price"}})
	for want, err := range map[string]error{
		"latencyMs must be":     s.Set("price", fakes.Fault{LatencyMs: new(-1)}),
		"errorRate must be":     s.Set("price", fakes.Fault{ErrorRate: new(math.NaN())}),
		"choose one of price":   s.Set("stock", fakes.Fault{}),
		"no such downstream is": s.Clear("prize"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	want := fakes.Fault{LatencyMs: new(0), Status: 503, RetryAfter: "soon"}
	if err := s.Set("price", want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Fault("price")
	equal(t, "error", err, nil)
	equal(t, "latency", *got.LatencyMs, 0)
	equal(t, "status", got.Status, 503)
	if _, err := s.Fault("stock"); err == nil {
		t.Error("a downstream that is not served has a fault")
	}
}

// Whatever can be set is explained to who reads about it.
func TestReadmeNamesEverything(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, downstream := range fakes.Names() {
		names = append(names, fakes.GarbageNames(downstream)...)
	}
	_, members, _ := strings.Cut(new(fakes.Fault).UnmarshalJSON([]byte(`{"?": 1}`)).Error(), "choose from ")
	names = append(names, strings.Split(members, ", ")...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		contains(t, "README.md", string(readme), "`"+name+"`")
	}
}
