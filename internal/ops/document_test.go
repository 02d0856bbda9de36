package ops_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestThePageIsOneDocumentThatAsksNobodyElse(t *testing.T) {
	bubble(t, func(w *world) {
		resp, err := w.client.Get("http://admin/ops")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("%d %v %v", resp.StatusCode, resp.Header, err)
		}
		body, policy := string(b), resp.Header.Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "connect-src 'self'"} {
			if !strings.Contains(policy, directive) {
				t.Errorf("the policy lacks %s: %s", directive, policy)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("the policy is not strict: %s", policy)
		}
		for _, tag := range []string{"style", "script"} {
			inside := regexp.MustCompile(`(?s)<` + tag + `[^>]*>(.*)</` + tag + `>`).FindStringSubmatch(body)
			if inside == nil {
				t.Fatalf("no %s", tag)
			}
			sum := sha256.Sum256([]byte(inside[1]))
			if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, tag+"-src 'sha256-"+hash+"'") {
				t.Errorf("the policy does not allow the %s that is there: %s", tag, policy)
			}
		}
		for _, forbidden := range []string{`\bsrc=`, `<link[^>]*href="[^d]`, `https?://[^w]`, `url\(`, `@import`, ` on[a-z]+="`, ` style="`, `innerHTML`, `insertAdjacentHTML`, `eval\(`} {
			if found := regexp.MustCompile(forbidden).FindString(body); found != "" {
				t.Errorf("it has %q", found)
			}
		}
	})
}

func TestItOnlyReads(t *testing.T) {
	bubble(t, func(w *world) {
		for _, path := range []string{"/ops", "/ops/events"} {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
				req, err := http.NewRequest(method, "http://admin"+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := w.client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusMethodNotAllowed {
					t.Errorf("%s %s: %d", method, path, resp.StatusCode)
				}
			}
			resp, err := w.client.Head("http://admin" + path)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("HEAD %s: %v", path, err)
			}
		}
	})
}
