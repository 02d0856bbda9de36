package downstreams

import (
	"context"
	"net"
	"net/http"
	"time"
)

const (
	idleTimeout    = 4 * time.Second // less than the 5 s that many servers keep, so that we close first
	keepAlive      = 15 * time.Second
	maxHeaderBytes = 64 << 10
)

// NewTransport is a downstream's own pool of connections, so that one cannot use up another's. dial replaces the
// machine's network where a test has its own. Its user closes the idle connections in the end.
func NewTransport(s Settings, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: keepAlive}).DialContext
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		// net/http dials on behalf of a request and goes on when that has ended: the dial needs an end of its own.
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, s.Timeout)
			defer cancel()
			return dial(ctx, network, addr)
		},
		Proxy:                  nil, // downstreams are neighbours; the environment has no say in it
		Protocols:              http1,
		DisableCompression:     true, // see buffer.fill
		TLSHandshakeTimeout:    s.Timeout,
		ResponseHeaderTimeout:  s.Timeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           s.Bulkhead,
		MaxIdleConnsPerHost:    s.Bulkhead,
		MaxConnsPerHost:        2 * s.Bulkhead, // a hedge beside each call, or a dial that hangs
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}
