package handlers_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var slugs = []string{
	"invalid-request", "product-not-found", "not-found", "method-not-allowed", "not-acceptable", "rate-limited",
	"dependency-unavailable", "overloaded", "deadline-exhausted", "shutting-down", "internal",
}

func TestEachKindOfProblemHasAPage(t *testing.T) {
	e := newEdge()
	for _, slug := range append([]string{""}, slugs...) {
		w := e.get("/problems/"+slug, "Accept", "text/html")
		h, html := w.Header(), w.Body.String()
		if w.Code != http.StatusOK || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Fatalf("%q: %d %v", slug, w.Code, h)
		}
		if !strings.Contains(html, "<code>"+slug) || strings.Contains(html, "ZgotmplZ") {
			t.Errorf("%q: %s", slug, html)
		}
		style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(html)
		hash := sha256.Sum256([]byte(style[1]))
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"';") {
			t.Errorf("%q: the policy does not fit the page: %s", slug, policy)
		}
		if regexp.MustCompile(`(?i)<script|style=|https?:|\son\w+=`).MatchString(html) {
			t.Errorf("%q reaches outside or runs something: %s", slug, html)
		}
	}
}

func TestIndexListsEveryKind(t *testing.T) {
	links := regexp.MustCompile(`href="/problems/([a-z-]+)"`).FindAllStringSubmatch(newEdge().get("/problems/").Body.String(), -1)
	if len(links) != len(slugs) {
		t.Fatalf("%d links", len(links))
	}
	for i, link := range links {
		if link[1] != slugs[i] {
			t.Errorf("%s where the contract has %s", link[1], slugs[i])
		}
	}
}
