package storefront

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"time"
)

const (
	dialTimeout = 2 * time.Second
	// answerTimeout is far above the service's own deadline: it only ends the wait for a process that is stuck.
	answerTimeout = 5 * time.Second
	maxFault      = 4 << 10 // bytes of a fault's description
)

func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		ResponseHeaderTimeout: answerTimeout,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       30 * time.Second,
	}
}

// target rewrites the outgoing URL of a request.
type target func(*httputil.ProxyRequest)

func toService(base *url.URL) target {
	return func(r *httputil.ProxyRequest) { r.SetURL(base) }
}

// toFault leads /fakes/{downstream}/fault to /_fault/{downstream} of that downstream's fake.
func toFault(fakes map[string]*url.URL) target {
	return func(r *httputil.ProxyRequest) {
		name := r.In.PathValue("downstream")
		r.Out.URL.Path, r.Out.URL.RawPath, r.Out.URL.RawQuery = "/_fault/"+name, "", ""
		r.SetURL(fakes[name])
	}
}

func forward(o Options, to target) http.Handler {
	return &httputil.ReverseProxy{
		Transport: o.Transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			to(r)
			r.SetXForwarded()
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			var tooLarge *http.MaxBytesError
			switch {
			case errors.Is(err, context.Canceled): // the visitor has left: nobody reads an answer
			case errors.As(err, &tooLarge):
				http.Error(w, "that is no fault: it is too long", http.StatusRequestEntityTooLarge)
			default:
				o.Logger.Warn("no answer to pass on", "error", err)
				badGateway(w)
			}
		},
	}
}

// badGateway tells a front-end that the way to the service is broken, in the form of the service's own problems.
func badGateway(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusBadGateway)
	fmt.Fprintf(w, `{"type":"about:blank","title":"Bad Gateway","status":%d}`, http.StatusBadGateway)
}

// small lets through only the five downstreams' names and a description of a sensible size.
func small(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(downstreams[:], r.PathValue("downstream")) {
			http.NotFound(w, r)
			return
		}
		http.MaxBytesHandler(next, maxFault).ServeHTTP(w, r)
	})
}
