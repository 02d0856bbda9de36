package fakes

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
)

// largestFault bounds the body of a PUT.
const largestFault = 16 << 10

func (s *Server) routeControls() {
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /_fault/{downstream}":     s.getFault,
		"PUT /_fault/{downstream}":     s.putFault,
		"DELETE /_fault/{downstream}":  s.deleteFault,
		"OPTIONS /_fault/{downstream}": preflight,
		"GET /_stats":                  func(w http.ResponseWriter, _ *http.Request) { tell(w, s.Stats()) },
		"DELETE /_stats":               func(w http.ResponseWriter, _ *http.Request) { s.ResetStats(); w.WriteHeader(http.StatusNoContent) },
		"OPTIONS /_stats":              preflight,
	} {
		s.mux.Handle(pattern, fromLoopbackPages(h))
	}
}

func (s *Server) getFault(w http.ResponseWriter, r *http.Request) {
	f, err := s.Fault(r.PathValue("downstream"))
	if err != nil {
		complain(w, err)
		return
	}
	tell(w, f)
}

func (s *Server) putFault(w http.ResponseWriter, r *http.Request) {
	var f Fault
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestFault))
	if err == nil {
		err = f.UnmarshalJSON(body)
	}
	if err == nil {
		err = s.Set(r.PathValue("downstream"), f)
	}
	if err != nil {
		complain(w, err)
		return
	}
	tell(w, f)
}

func (s *Server) deleteFault(w http.ResponseWriter, r *http.Request) {
	if err := s.Clear(r.PathValue("downstream")); err != nil {
		complain(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func complain(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if errors.Is(err, errNoDownstream) {
		status = http.StatusNotFound
	}
	http.Error(w, err.Error(), status)
}

func tell(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // the caller has left
}

// fromLoopbackPages lets pages of this machine, whatever their port, use h. Other pages cannot read the answers, and
// their browsers do not send a PUT or a DELETE without a preflight that agrees.
func fromLoopbackPages(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Origin")
		if origin := r.Header.Get("Origin"); isLoopback(origin) {
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		h.ServeHTTP(w, r)
	})
}

func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func preflight(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Access-Control-Allow-Methods", "GET, PUT, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}
