package override

import (
	"encoding/json"
	"net/http"
	"strings"
)

// maxBody bounds a PUT's body, in bytes.
const maxBody = 4 << 10

// Handler serves GET /override, PUT /override/{target} and DELETE /override/{target}. A browser cannot be made to call
// the last two by a page from elsewhere.
func (b *Board) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /override", b.list)
	mux.HandleFunc("PUT /override/{target}", b.put)
	mux.HandleFunc("DELETE /override/{target}", b.delete)
	mux.HandleFunc("/override", wrongMethod("GET, HEAD"))
	mux.HandleFunc("/override/{target}", wrongMethod("DELETE, PUT"))
	mux.HandleFunc("/override/", func(w http.ResponseWriter, r *http.Request) { named(w, r) }) // nothing that there is
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "overrides are not for pages from elsewhere to change")
	}))
	return sameOrigin.Handler(mux)
}

func (b *Board) list(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, "application/json", struct {
		Overrides []View `json:"overrides"`
	}{b.InForce()})
}

func (b *Board) put(w http.ResponseWriter, r *http.Request) {
	t, ok := named(w, r)
	if !ok {
		return
	}
	o, err := read(t, http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	b.set(t, o)
	answer(w, http.StatusOK, "application/json", o.view(t))
}

// delete is content when there was nothing to take back: nothing is in force afterwards, which is what was asked for.
func (b *Board) delete(w http.ResponseWriter, r *http.Request) {
	if t, ok := named(w, r); ok {
		b.takeBack(t)
		w.WriteHeader(http.StatusNoContent)
	}
}

// named is the path's target. When it is none, the answer has been given.
func named(w http.ResponseWriter, r *http.Request) (target, bool) {
	names := make([]string, 0, numTargets)
	for t := range target(numTargets) {
		if t.String() == r.PathValue("target") {
			return t, true
		}
		names = append(names, t.String())
	}
	refuse(w, http.StatusNotFound, "what can be overridden: "+strings.Join(names, ", "))
	return 0, false
}

// wrongMethod is for whoever forgot curl's -X.
func wrongMethod(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allowed)
		refuse(w, http.StatusMethodNotAllowed, "GET /override lists what is in force; PUT and DELETE of /override/{target} change it")
	}
}

// refuse answers with a problem of RFC 9457.
func refuse(w http.ResponseWriter, status int, detail string) {
	answer(w, status, "application/problem+json", struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"about:blank", http.StatusText(status), status, detail})
}

func answer(w http.ResponseWriter, status int, contentType string, v any) {
	body, _ := json.Marshal(v) // strings and numbers: it cannot fail
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
