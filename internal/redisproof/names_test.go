package redisproof

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"
	"testing"
)

// names is this process' DNS while a test runs: it knows no name, and from learn on, each as this machine.
type names struct{ known atomic.Bool }

func (n *names) learn() { n.known.Store(true) }

func startNames(t *testing.T) *names {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n, ended, usual := new(names), make(chan struct{}), net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	go func() {
		defer close(ended)
		for buf := make([]byte, 1<<10); ; {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(n.answer(buf[:size]), from)
		}
	}()
	t.Cleanup(func() {
		net.DefaultResolver = usual
		_ = conn.Close()
		<-ended
	})
	return n
}

// answer is that of RFC 1035, 4.1.
func (n *names) answer(query []byte) []byte {
	const header, typeA = 12, 1
	end := header
	for query[end] != 0 { // the labels of the name
		end += 1 + int(query[end])
	}
	kind := binary.BigEndian.Uint16(query[end+1:])
	a := append([]byte{}, query[:end+5]...)
	binary.BigEndian.PutUint16(a[2:], 0x8180)         // an answer, and no error
	copy(a[4:header], []byte{0, 1, 0, 0, 0, 0, 0, 0}) // to one question
	switch {
	case !n.known.Load():
		a[3] |= 3 // no such name
	case kind == typeA:
		a[7] = 1
		a = append(a, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
	}
	return a
}
