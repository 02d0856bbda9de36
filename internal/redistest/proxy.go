package redistest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Proxy stands between a Redis and its clients, and makes trouble on demand.
type Proxy struct {
	Addr string

	backend  string
	reply    atomic.Pointer[Reply]
	requests atomic.Int64

	mu      sync.Mutex
	ln      net.Listener // nil while it refuses
	conns   map[net.Conn]bool
	most    int
	hanging []io.Closer // what keeps it unreachable
	wg      sync.WaitGroup
}

// Reply passes one chunk of what Redis answers on to the client, or does something else. An error ends the connection.
type Reply func(client net.Conn, chunk []byte) error

// Pass passes everything on.
func Pass(client net.Conn, chunk []byte) error {
	_, err := client.Write(chunk)
	return err
}

// Silent answers nothing.
func Silent(net.Conn, []byte) error { return nil }

// Slow takes longer than a page can wait, and less than a write may take.
func Slow(client net.Conn, chunk []byte) error {
	time.Sleep(700 * time.Millisecond)
	return Pass(client, chunk)
}

// Cut breaks the connection in the middle of a reply.
func Cut(client net.Conn, chunk []byte) error {
	_ = Pass(client, chunk[:len(chunk)/2])
	return io.ErrUnexpectedEOF
}

// Garble answers what is not Redis' protocol.
func Garble(client net.Conn, _ []byte) error {
	return Pass(client, []byte("\x00?!HTTP/1.1 400 Bad Request\r\n\r\n"))
}

// StartProxy listens at a free port of loopback until the test ends, and passes everything on to backend.
func StartProxy(t testing.TB, backend string) *Proxy {
	t.Helper()
	p := &Proxy{backend: backend, Addr: "127.0.0.1:" + FreePort(), conns: map[net.Conn]bool{}}
	p.Makes(Pass)
	p.Accept(t)
	t.Cleanup(func() {
		p.Refuse()
		p.wg.Wait()
	})
	return p
}

// SetBackend is for connections that begin from now on.
func (p *Proxy) SetBackend(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backend = addr
}

// Makes decides what becomes of Redis' answers from now on.
func (p *Proxy) Makes(r Reply) { p.reply.Store(&r) }

// Accept listens, again after Refuse or Hang.
func (p *Proxy) Accept(t testing.TB) {
	t.Helper()
	p.Refuse()
	ln := p.listen(t)
	p.mu.Lock()
	p.ln = ln
	p.mu.Unlock()
	p.wg.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			p.requests.Add(1)
			p.wg.Go(func() { p.serve(client) })
		}
	})
}

func (p *Proxy) listen(t testing.TB) (ln net.Listener) {
	t.Helper()
	Eventually(t, "the proxy listens", func() (ok bool) { // a process that is being started holds a closed one for a moment
		var err error
		ln, err = net.Listen("tcp", p.Addr)
		return err == nil
	})
	return ln
}

// Hang breaks what is open and lets nobody connect, nor find out that nobody can: so is a machine that is down, or
// behind a firewall that drops packets.
func (p *Proxy) Hang(t testing.TB) {
	t.Helper()
	p.Refuse()
	ln := p.listen(t)
	p.hanging = append(p.hanging, ln)
	raw, err := ln.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) { err = syscall.Listen(int(fd), 0) }) // connections wait to be accepted, one at a time
	for range 100 {
		c, dialErr := net.DialTimeout("tcp", p.Addr, 200*time.Millisecond)
		if dialErr != nil {
			return
		}
		p.hanging = append(p.hanging, c)
	}
	t.Fatalf("the proxy can still be reached: %v", err)
}

// Refuse stops listening and breaks what is open.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.hanging {
		_ = c.Close()
	}
	p.hanging = nil
	if p.ln != nil {
		_ = p.ln.Close()
		p.ln = nil
	}
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	if !p.track(client) {
		return
	}
	defer p.forget(client)
	server, err := net.Dial("tcp", p.target())
	if err != nil {
		return
	}
	defer server.Close()
	p.wg.Go(func() {
		defer server.Close()
		copyChunks(client, func(chunk []byte) error {
			p.requests.Add(1)
			return Pass(server, chunk)
		})
	})
	copyChunks(server, func(chunk []byte) error { return (*p.reply.Load())(client, chunk) })
}

func (p *Proxy) target() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.backend
}

func copyChunks(from net.Conn, to func([]byte) error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil || to(buf[:n]) != nil {
			return
		}
	}
}

// track is false for a connection that was accepted just before Refuse.
func (p *Proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ln == nil {
		return false
	}
	p.conns[c] = true
	p.most = max(p.most, len(p.conns))
	return true
}

func (p *Proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// Most is the most connections there were at once. It counts those that the client has given up until Redis' side of
// them has ended too.
func (p *Proxy) Most() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// Requests counts what came from clients: chunks, and dials.
func (p *Proxy) Requests() int64 { return p.requests.Load() }
