package livecheck

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// asked is what the runbook tells somebody to ask Prometheus: each piece of code in it that names a metric.
func asked(t *testing.T) []string {
	t.Helper()
	book, err := os.ReadFile("../../docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	piece := regexp.MustCompile("`+([^`]*\\b(?:bff|go|process)_[a-z][^`]*)`+")
	var all []string
	for _, found := range piece.FindAllStringSubmatch(string(book), -1) {
		all = append(all, strings.ReplaceAll(strings.TrimSpace(found[1]), "…", "price"))
	}
	if len(all) < 20 {
		t.Fatalf("the runbook asks only %q", all)
	}
	return all
}

// tellsSomething fails unless Prometheus understands the query and has series for it. A comparison may hold for none.
func (p *prometheus) tellsSomething(t *testing.T, query string) {
	t.Helper()
	left, _, _ := strings.Cut(query, " == ")
	eventually(t, query+" tells something", func() bool {
		var whole, compared struct{ Result []series }
		if err := p.get("query", url.Values{"query": {query}}, &compared); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if err := p.get("query", url.Values{"query": {left}}, &whole); err != nil {
			t.Fatalf("%s: %v", left, err)
		}
		return someFinite(whole.Result)
	})
}
