package ops

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed static
var static embed.FS

// The document's parts, in order. Scripts share one scope: each uses what those before it define.
var (
	styles = []string{"base.css", "layout.css", "overview.css", "downstreams.css", "pages.css", "detail.css", "lists.css"}
	script = []string{
		"dom.js", "words.js", "model.js", "headline.js", "timeline.js", "downstreams.js", "objectives.js",
		"bars.js", "detail.js", "pages.js", "lists.js", "instance.js", "live.js",
	}
)

// document is the page with everything in it, and the policy that lets a browser run and ask for no more than that.
type document struct {
	body   []byte
	policy string
}

func newDocument() document {
	css, js := joined(styles), joined(script)
	body := strings.NewReplacer("/* styles */", css, "/* script */", js).Replace(part("ops.html"))
	return document{[]byte(body), strings.Join([]string{
		"default-src 'none'", "style-src " + hashed(css), "script-src " + hashed(js), "img-src data:", "connect-src 'self'",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")}
}

// joined is the parts one after the other.
func joined(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(part(name))
	}
	return b.String()
}

// part panics when there is none of that name: that is a defect of the build.
func part(name string) string {
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Handler serves /ops, the page, and /ops/events, its stream. Both only read.
func (o *Ops) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ops", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", o.document.policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		_, _ = bytes.NewReader(o.document.body).WriteTo(w) // all that can fail is the reader
	})
	mux.HandleFunc("GET /ops/events", o.stream)
	return mux
}
