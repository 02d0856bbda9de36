package pipenet

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is one end of a connection.
type Conn struct {
	in, out       *stream
	local, remote net.Addr
	abort         atomic.Bool // Close resets
	once          sync.Once
	ended         func()
}

// newPair returns two connected ends; gone is called once, when both have been closed.
func newPair(clientAddr, serverAddr net.Addr, gone func(client *Conn)) (client, server *Conn) {
	up, down := newStream(), newStream()
	client = &Conn{in: down, out: up, local: clientAddr, remote: serverAddr}
	server = &Conn{in: up, out: down, local: serverAddr, remote: clientAddr}
	var closed atomic.Int32
	ended := func() {
		if closed.Add(1) == 2 {
			gone(client)
		}
	}
	client.ended, server.ended = ended, ended
	return client, server
}

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.explain("read", err)
}

func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.explain("write", err)
}

// Close ends this end. The peer reads what was written, then EOF; its writes fail with EPIPE.
func (c *Conn) Close() error {
	err := c.explain("close", net.ErrClosed)
	c.once.Do(func() {
		err = nil
		if c.abort.Load() {
			c.breakOff()
		}
		c.in.close(&c.in.reader)
		c.out.close(&c.out.writer)
		c.ended()
	})
	return err
}

// Reset closes this end so that the peer gets ECONNRESET, after what had arrived already.
func (c *Conn) Reset() {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// SetLinger is that of *net.TCPConn as far as this: after SetLinger(0), Close resets.
func (c *Conn) SetLinger(seconds int) error {
	c.abort.Store(seconds == 0)
	return nil
}

func (c *Conn) breakOff() {
	c.in.breakOff()
	c.out.breakOff()
}

// LocalAddr is this end: what was dialled, or a port of 127.0.0.1.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's LocalAddr.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline ends present and later reads at t, in the bubble's time. The zero time is never.
func (c *Conn) SetReadDeadline(t time.Time) error {
	return c.explain("set", c.in.setDeadline(&c.in.reader, t))
}

// SetWriteDeadline ends present and later writes at t, in the bubble's time. The zero time is never.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	return c.explain("set", c.out.setDeadline(&c.out.writer, t))
}

// explain says where an error came from, as package net does; io.EOF stays bare.
func (c *Conn) explain(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}
