package handlers

import (
	"bytes"
	"log"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// NewServer serves handler over HTTP/1.1 and, unencrypted, HTTP/2, with a bound on everything that a client can draw
// out: headers within 5 s and 32 KiB, a request and an answer within 10 s each, or work and 5 s if that is more, a
// connection that nobody uses for 2 minutes. What the server itself has to say goes to l, one line in ten seconds at most.
func NewServer(handler http.Handler, work time.Duration, l *slog.Logger) *http.Server {
	patience := max(10*time.Second, work+5*time.Second) // net/http counts our work as its client's time
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       patience,
		WriteTimeout:      patience,
		IdleTimeout:       2 * time.Minute,
		// Half a frame is no request yet, so that no timeout above holds: who does not answer a ping is cut off.
		HTTP2:          &http.HTTP2Config{SendPingTimeout: 4 * time.Second, PingTimeout: time.Second},
		MaxHeaderBytes: 32<<10 - 4<<10, // net/http reads 4 KiB more than it is told
		ErrorLog:       log.New(&serverLog{log: l}, "", 0),
	}
}

// serverLog passes a line of net/http's on, unless it passed one on in the last ten seconds: clients can cause as many
// as they like.
type serverLog struct {
	log *slog.Logger

	mu         sync.Mutex
	last       time.Time
	suppressed int
}

const (
	serverLogEvery = 10 * time.Second
	maxServerLine  = 512 // bytes
)

func (s *serverLog) Write(line []byte) (int, error) {
	s.mu.Lock()
	now := time.Now()
	if !s.last.IsZero() && now.Sub(s.last) < serverLogEvery {
		s.suppressed++
		s.mu.Unlock()
		return len(line), nil
	}
	suppressed := s.suppressed
	s.last, s.suppressed = now, 0
	s.mu.Unlock()
	text := bytes.TrimSpace(line[:min(len(line), maxServerLine)])
	s.log.Warn("http server", "text", string(text), "suppressed", suppressed)
	return len(line), nil
}
