package pipenet

import (
	"net/http"
	"time"
)

// Cleaner is a test, as far as it is needed here: testing.TB is one.
type Cleaner interface{ Cleanup(func()) }

// lingering is longer than net/http keeps a connection open behind an answer that left some of the request unread. A
// bubble must not end before.
const lingering = time.Second

// Serve answers what is dialled to addr with h until the test ends, or the server is closed. It is for tests in a
// bubble: at the end it waits for a second of their time.
func (n *Network) Serve(t Cleaner, addr string, h http.Handler) *http.Server {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	l := n.Listen(addr)
	t.Cleanup(func() {
		_ = server.Close()
		time.Sleep(lingering)
	})
	go func() { _ = server.Serve(l) }()
	return server
}

// Client asks over this network, with a pool of its own that is closed when the test ends.
func (n *Network) Client(t Cleaner) *http.Client {
	transport := &http.Transport{DialContext: n.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
