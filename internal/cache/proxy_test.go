package cache_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between a store and its Redis, and makes trouble on demand.
type proxy struct {
	addr     string
	backend  string
	reply    atomic.Pointer[replyFunc]
	requests atomic.Int64 // chunks that came from the store, and its dials

	mu    sync.Mutex
	ln    net.Listener
	conns map[net.Conn]bool
	most  int // of the store's connections at once
	wg    sync.WaitGroup
}

// replyFunc passes one chunk of Redis' reply on, or not.
type replyFunc func(client net.Conn, chunk []byte) error

func pass(client net.Conn, chunk []byte) error {
	_, err := client.Write(chunk)
	return err
}

func silent(net.Conn, []byte) error { return nil }

func slow(client net.Conn, chunk []byte) error {
	time.Sleep(400 * time.Millisecond)
	return pass(client, chunk)
}

// cut breaks the connection in the middle of a reply.
func cut(client net.Conn, chunk []byte) error {
	pass(client, chunk[:len(chunk)/2])
	return io.ErrUnexpectedEOF
}

func garble(client net.Conn, chunk []byte) error {
	return pass(client, []byte("\x00?!HTTP/1.1 400 Bad Request\r\n\r\n"))
}

func startProxy(t *testing.T, backend string) *proxy {
	t.Helper()
	p := &proxy{backend: backend, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	p.makes(pass)
	p.accept(t)
	t.Cleanup(func() {
		p.refuse()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) makes(f replyFunc) { p.reply.Store(&f) }

// accept listens, again after refuse.
func (p *proxy) accept(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.ln, p.addr = ln, ln.Addr().String()
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

// refuse stops listening and breaks what is open.
func (p *proxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ln.Close()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) serve(client net.Conn) {
	p.track(client, true)
	defer p.track(client, false)
	defer client.Close()
	server, err := net.Dial("tcp", p.backend)
	if err != nil {
		return
	}
	defer server.Close()
	p.wg.Go(func() {
		defer server.Close()
		copyChunks(client, func(chunk []byte) error {
			p.requests.Add(1)
			return pass(server, chunk)
		})
	})
	copyChunks(server, func(chunk []byte) error { return (*p.reply.Load())(client, chunk) })
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

func (p *proxy) track(c net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !open {
		delete(p.conns, c)
		return
	}
	p.conns[c] = true
	p.most = max(p.most, len(p.conns))
}

func (p *proxy) mostConns() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}
