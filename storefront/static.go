package storefront

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
	"time"
)

//go:embed static
var static embed.FS

// policy lets a page load its own scripts, styles and answers, and nothing else: no inline script, no other host, and
// (trusted types) no text that becomes markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// contentTypes are fixed here because those of package mime depend on the machine.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file serves one embedded file. It panics when there is no such file: that is a defect of the build.
func file(name string) http.Handler {
	body, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(body)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	kind := contentTypes[path.Ext(name)]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", etag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	})
}

// assets serves every embedded file but the page itself.
func assets() http.Handler {
	entries, err := static.ReadDir("static")
	if err != nil {
		panic(err)
	}
	known := make(map[string]http.Handler, len(entries))
	for _, e := range entries {
		if path.Ext(e.Name()) != ".html" {
			known[e.Name()] = file(e.Name())
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := known[r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}
