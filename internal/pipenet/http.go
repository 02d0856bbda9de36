package pipenet

import (
	"net/http"
	"time"
)

// Cleaner is a test, as far as it is needed here: testing.TB is one.
type Cleaner interface{ Cleanup(func()) }

// Serve answers what is dialled to addr with h until the test ends, or the server is closed.
func (n *Network) Serve(t Cleaner, addr string, h http.Handler) *http.Server {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	l := n.Listen(addr)
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	return server
}

// Client asks over this network, with a pool of its own that is closed when the test ends.
func (n *Network) Client(t Cleaner) *http.Client {
	transport := &http.Transport{DialContext: n.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
