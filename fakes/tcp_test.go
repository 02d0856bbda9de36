package fakes_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"example.com/bff/fakes"
)

// Resets are the one thing that a network in memory can only imitate.
func TestResetOverTCP(t *testing.T) {
	s := fakes.New(fakes.Options{})
	server := httptest.NewServer(s)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	get := func() answer {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/price/p-1001", nil)
		return ask(&http.Client{Transport: transport}, req)
	}
	for where, status := range map[string]int{fakes.ResetHeaders: 0, fakes.ResetBody: 200} {
		if err := s.Set("price", fakes.Fault{Reset: where, LatencyMs: new(0)}); err != nil {
			t.Fatal(err)
		}
		if a := get(); a.status != status || !errors.Is(a.err, syscall.ECONNRESET) {
			t.Errorf("%s: %+v", where, a)
		}
	}
	_ = s.Clear("price")
	equal(t, "well again", get().status, 200)
}

// Over HTTP/2 there is no connection to take over: the stream is reset.
func TestResetOverHTTP2(t *testing.T) {
	s := fakes.New(fakes.Options{})
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for _, where := range []string{fakes.ResetHeaders, fakes.ResetBody} {
		_ = s.Set("price", fakes.Fault{Reset: where, LatencyMs: new(0)})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/price/p-1001", nil)
		a := ask(server.Client(), req)
		if a.err == nil {
			t.Errorf("%s: %+v", where, a)
		}
		contains(t, where, a.err.Error(), "stream error", "INTERNAL_ERROR")
	}
}
