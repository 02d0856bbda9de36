// Package pipenet is a network in memory, so that whole servers and their clients run inside a testing/synctest bubble.
//
// It promises what such tests lean on: connections are full duplex and buffered like a socket's (64 KiB each way),
// deadlines keep the bubble's time, everybody who waits is durably blocked, nothing is global and no goroutine is
// started, and errors look like those of package net: a *net.OpError around ECONNREFUSED, ECONNRESET, EPIPE and the
// rest. Make the Network inside the bubble.
//
// An address is any string, and only ever equal to itself. An http.Transport dials host and port: what answers
// http://price/ is Listen("price:80").
package pipenet

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// dialTimeout is when a dial that nobody answers gives up by itself: what Linux takes over its six SYN retries.
// Without an end of its own, a dial that http.Transport has detached from its request would never leave the bubble.
const dialTimeout = 127 * time.Second

// Fault is what befalls the dials to an address. The zero value is none.
type Fault struct {
	Refuse  bool          // ECONNREFUSED, although somebody listens
	Hang    bool          // no answer until the dial's context ends, or ETIMEDOUT after 127 s
	Latency time.Duration // before the dial is answered
}

// Network is a set of addresses. Use New.
type Network struct {
	mu     sync.Mutex
	places map[string]*place
	opened int // connections so far
}

// place is what is known of one address.
type place struct {
	listener *listener
	fault    Fault
	dials    int
	open     map[*Conn]struct{} // by the dialling end
}

// New is a network on which nobody listens yet.
func New() *Network {
	return &Network{places: map[string]*place{}}
}

// at returns addr's place. n.mu is held.
func (n *Network) at(addr string) *place {
	p := n.places[addr]
	if p == nil {
		p = &place{open: map[*Conn]struct{}{}}
		n.places[addr] = p
	}
	return p
}

// Listen accepts what is dialled to addr until the listener is closed. It panics when somebody listens there already.
func (n *Network) Listen(addr string) net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.at(addr)
	if p.listener != nil {
		panic(fmt.Sprintf("pipenet: %q is in use", addr))
	}
	p.listener = newListener(n, addr)
	return p.listener
}

// DialContext connects to who listens at addr. The kind of network is not judged.
func (n *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	err := n.dialFault(addr).befall(ctx)
	if err == nil {
		var conn *Conn
		if conn, err = n.connect(addr); err == nil {
			return conn, nil
		}
	}
	return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: err}
}

// dialFault counts a dial and returns what befalls it.
func (n *Network) dialFault(addr string) Fault {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.at(addr)
	p.dials++
	return p.fault
}

func (f Fault) befall(ctx context.Context) error {
	delay := f.Latency
	if f.Hang {
		delay = dialTimeout
	}
	if err := pause(ctx, delay); err != nil {
		return err
	}
	switch {
	case f.Hang:
		return os.NewSyscallError("connect", syscall.ETIMEDOUT)
	case f.Refuse:
		return errRefused
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// firstPort is where the ports begin that a dialling end takes, round and round.
const firstPort = 49152

var errRefused = os.NewSyscallError("connect", syscall.ECONNREFUSED)

func (n *Network) connect(addr string) (*Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.at(addr)
	if p.listener == nil {
		return nil, errRefused
	}
	n.opened++
	from := fmt.Sprintf("127.0.0.1:%d", firstPort+n.opened%(1<<16-firstPort))
	client, server := newPair(address(from), address(addr), func(client *Conn) { n.forget(addr, client) })
	if !p.listener.offer(server) {
		return nil, errRefused
	}
	p.open[client] = struct{}{}
	return client, nil
}

func (n *Network) forget(addr string, client *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.at(addr).open, client)
}

// SetFault decides what befalls the dials to addr that begin after it. Connections that are there stay.
func (n *Network) SetFault(addr string, f Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at(addr).fault = f
}

// Reset breaks all connections to addr: both ends of each get ECONNRESET, after what had arrived already.
func (n *Network) Reset(addr string) {
	n.mu.Lock()
	var all []*Conn
	for c := range n.at(addr).open {
		all = append(all, c)
	}
	n.mu.Unlock()
	for _, c := range all {
		c.breakOff()
	}
}

// Open is the number of connections to addr of which some end has not been closed yet, be it broken or not.
func (n *Network) Open(addr string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.at(addr).open)
}

// Dials is the number of dials to addr since the beginning, failed ones included.
func (n *Network) Dials(addr string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.at(addr).dials
}

// address is both a connection's end and a listener's place.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
