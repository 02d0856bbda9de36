package pipenet

import (
	"net"
	"sync"
)

// backlog is how many connections may wait to be accepted, Linux's own default. One more is refused.
const backlog = 4096

type listener struct {
	network *Network
	addr    string
	waiting chan *Conn
	closed  chan struct{}
	once    sync.Once
}

func newListener(n *Network, addr string) *listener {
	return &listener{network: n, addr: addr, waiting: make(chan *Conn, backlog), closed: make(chan struct{})}
}

// offer puts a connection in the backlog. The network's lock is held, so that none comes in behind Close.
func (l *listener) offer(c *Conn) bool {
	select {
	case l.waiting <- c:
		return true
	default:
		return false
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, l.fail("accept")
	}
}

// Close resets the connections that nobody has accepted. Those that somebody has stay.
func (l *listener) Close() error {
	err := l.fail("close")
	l.once.Do(func() {
		err = nil
		l.network.mu.Lock()
		l.network.at(l.addr).listener = nil
		l.network.mu.Unlock()
		close(l.closed)
		for {
			select {
			case c := <-l.waiting:
				c.Reset()
			default:
				return
			}
		}
	})
	return err
}

func (l *listener) Addr() net.Addr { return address(l.addr) }

func (l *listener) fail(op string) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: l.Addr(), Err: net.ErrClosed}
}
