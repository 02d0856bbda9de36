package handlers

import (
	"container/list"
	"log"
	"net"
	"net/http"
	"sync"
)

// LimitConnections has s keep at most so many connections. One more takes the place of the one that has been without a
// request for the longest, half a request being none; when all have one, it is closed itself. So connections that are
// held for nothing, by a large pool or in bad faith, cost nobody an answer.
func LimitConnections(s *http.Server, most int) {
	c := &connections{most: most, log: s.ErrorLog, open: map[net.Conn]*list.Element{}}
	s.ConnState = c.moved
}

type connections struct {
	most int
	log  *log.Logger

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // the place in waiting; nil while there is a request
	waiting list.List                  // of net.Conn, the longest without a request first
}

func (c *connections) moved(conn net.Conn, to http.ConnState) {
	if victim := c.enter(conn, to); victim != nil {
		c.log.Print("too many connections: one without a request was closed")
		_ = victim.Close()
	}
}

// enter notes where a connection is now, and returns one that has to go.
func (c *connections) enter(conn net.Conn, to http.ConnState) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.waiting.Remove(place)
	}
	switch to {
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
		return nil
	case http.StateActive:
		c.open[conn] = nil
		return nil
	}
	c.open[conn] = c.waiting.PushBack(conn)
	if len(c.open) <= c.most {
		return nil
	}
	longest := c.waiting.Front()
	victim = c.waiting.Remove(longest).(net.Conn)
	delete(c.open, victim)
	return victim
}
