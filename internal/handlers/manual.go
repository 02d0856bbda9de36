package handlers

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
)

//go:embed problems.html
var problemsHTML string

//go:embed problems.css
var problemsCSS string

// manual is what people can read about each kind of problem: a page for each slug, and one, under the empty slug, for
// all of them.
type manual struct {
	pages  map[string][]byte
	policy string // Content-Security-Policy
}

func newManual() manual {
	style := sha256.Sum256([]byte(problemsCSS))
	m := manual{
		pages: map[string][]byte{"": index()},
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, k := range kinds {
		m.pages[k.Slug] = k.page()
	}
	return m
}

// A template would find methods by their names, and with that make the linker keep every method of every library: a
// third of the program.
func framed(title, main string) []byte {
	return []byte(strings.NewReplacer("{title}", html.EscapeString(title), "{style}", problemsCSS, "{main}", main).Replace(problemsHTML))
}

func index() []byte {
	var b strings.Builder
	b.WriteString(`<h1>Problems</h1>
<p>Whatever this service cannot answer, it answers with <code>application/problem+json</code> of one of these types.</p>`)
	for _, k := range kinds {
		b.WriteString(k.told(`
<section>
<h2><a href="/problems/{slug}">{title}</a></h2>
<p class="status"><code>{slug}</code>, HTTP {status}</p>
<p>{means}</p>
</section>`))
	}
	return framed("Problems", b.String())
}

func (k *kind) page() []byte {
	return framed(k.Title, k.told(`<h1>{title}</h1>
<p class="status"><code>{slug}</code>, HTTP {status}</p>
<p>{means}</p>
<p><strong>What to do:</strong> {advice}</p>
<p><a href="/problems/">All problems</a></p>`))
}

func (k *kind) told(markup string) string {
	return strings.NewReplacer(
		"{slug}", html.EscapeString(k.Slug), "{status}", strconv.Itoa(k.Status), "{title}", html.EscapeString(k.Title),
		"{means}", html.EscapeString(k.Means), "{advice}", html.EscapeString(k.Advice),
	).Replace(markup)
}

func (h *Handlers) problemIndex(x *exchange) error { return h.manualPage(x, "") }

func (h *Handlers) problemPage(x *exchange) error { return h.manualPage(x, chi.URLParam(x.r, "slug")) }

func (h *Handlers) manualPage(x *exchange, slug string) error {
	body, ok := h.manual.pages[slug]
	if !ok {
		return errNoRoute
	}
	header := x.w.Header()
	header.Set("Content-Security-Policy", h.manual.policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "public, max-age=3600")
	h.send(x, answer{status: http.StatusOK, contentType: "text/html; charset=utf-8", body: body})
	return nil
}
