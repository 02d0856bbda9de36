package handlers

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"

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
	t := template.Must(template.New("problems").Parse(problemsHTML))
	style := sha256.Sum256([]byte(problemsCSS))
	m := manual{
		pages: map[string][]byte{"": render(t, kinds)},
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
	for _, k := range kinds {
		m.pages[k.Slug] = render(t, []*kind{k})
	}
	return m
}

func render(t *template.Template, shown []*kind) []byte {
	var b bytes.Buffer
	data := struct {
		Style template.CSS
		Kinds []*kind
	}{template.CSS(problemsCSS), shown}
	if err := t.Execute(&b, data); err != nil {
		panic(err) // the template and the table are part of the program
	}
	return b.Bytes()
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
