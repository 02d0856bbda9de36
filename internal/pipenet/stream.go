package pipenet

import (
	"bytes"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// bufferSize is how many bytes may be under way in one direction.
const bufferSize = 64 << 10

// stream is one direction of a connection. Waiting is done on a condition, never on the lock: a goroutine that waits for
// a mutex does not count as blocked in a bubble, and would stop its clock.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond
	data    bytes.Buffer
	reader  side
	writer  side
	broken  bool // reset
	writing bool // a Write is under way, perhaps waiting for room: the next one comes after it, whole
}

// side is what one end knows of a stream.
type side struct {
	closed bool
	late   bool // its deadline has passed
	timer  *time.Timer
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

// read returns what has arrived, also when the stream has ended since.
func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.reader.closed:
			return 0, net.ErrClosed
		case s.reader.late:
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case s.data.Len() > 0:
			s.changed.Broadcast()
			return s.data.Read(p)
		case s.broken:
			return 0, os.NewSyscallError("read", syscall.ECONNRESET)
		case s.writer.closed:
			return 0, io.EOF
		}
		s.changed.Wait()
	}
}

func (s *stream) write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writing && s.writeError() == nil {
		s.changed.Wait()
	}
	if err := s.writeError(); err != nil {
		return 0, err
	}
	s.writing = true
	defer func() { s.writing = false; s.changed.Broadcast() }()
	for n < len(p) {
		if err := s.writeError(); err != nil {
			return n, err
		}
		room := bufferSize - s.data.Len()
		if room == 0 {
			s.changed.Wait()
			continue
		}
		more := min(room, len(p)-n)
		s.data.Write(p[n : n+more])
		n += more
		s.changed.Broadcast()
	}
	return n, nil
}

func (s *stream) writeError() error {
	switch {
	case s.writer.closed:
		return net.ErrClosed
	case s.writer.late:
		return os.ErrDeadlineExceeded
	case s.broken:
		return os.NewSyscallError("write", syscall.ECONNRESET)
	case s.reader.closed:
		return os.NewSyscallError("write", syscall.EPIPE)
	}
	return nil
}

// close ends one side, which is the stream's reader or its writer, and tells whether it was open.
func (s *stream) close(side *side) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := !side.closed
	side.closed = true
	side.stop()
	if s.reader.closed {
		s.data = bytes.Buffer{}
	}
	s.changed.Broadcast()
	return was
}

func (s *stream) breakOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	s.changed.Broadcast()
}

// setDeadline ends the waits of one side at t; the zero time is never.
func (s *stream) setDeadline(side *side, t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if side.closed {
		return net.ErrClosed
	}
	side.stop()
	left := time.Until(t)
	side.late = !t.IsZero() && left <= 0
	if !t.IsZero() && left > 0 {
		var timer *time.Timer
		timer = time.AfterFunc(left, func() { s.expire(side, &timer) })
		side.timer = timer
	}
	s.changed.Broadcast()
	return nil
}

// expire is for the timer that is still the side's own: one that fired while it was being replaced changes nothing.
func (s *stream) expire(side *side, timer **time.Timer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if side.timer == *timer {
		side.late = true
		s.changed.Broadcast()
	}
}

func (s *side) stop() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
