package fakes

import (
	"context"
	"io"
	"net/http"
	"time"
)

// send answers with r, in the way of the spell.
func (s *spell) send(w http.ResponseWriter, r *http.Request, answer reply) ending {
	ctx, stop := s.guard(w, r)
	answer.writeHeader(w)
	body := answer.body
	switch {
	case r.Method == http.MethodHead:
		body = http.NoBody
	case s.Reset == ResetBody:
		body = io.LimitReader(body, answer.half())
	}
	err := s.copy(ctx, w, body)
	switch {
	case stop(): // asked first: a write that this stopped makes net/http end the request's context
		return cutOff
	case err != nil:
		return callerLeft
	case s.Reset == ResetBody:
		_ = http.NewResponseController(w).Flush()
		reset(w)
		return cutOff
	}
	return ending(answer.status)
}

// half is where a body is cut that a fault cuts; one of unknown length after 64 KiB.
func (r reply) half() int64 {
	if r.length == unknownLength {
		return 64 << 10
	}
	return int64(r.length / 2)
}

// guard lets a body that would take very long or for ever end with the spell: stop tells whether it has.
func (s *spell) guard(w http.ResponseWriter, r *http.Request) (ctx context.Context, stop func() bool) {
	if s.DripMs == 0 && !s.Endless {
		return r.Context(), func() bool { return false }
	}
	ctx, cancel := context.WithCancel(r.Context())
	unhook := context.AfterFunc(s.over, func() {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now())
		cancel()
	})
	return ctx, func() bool { cancel(); return !unhook() }
}

func (s *spell) copy(ctx context.Context, w http.ResponseWriter, body io.Reader) error {
	if s.DripMs == 0 {
		_, err := io.Copy(w, body)
		return err
	}
	flusher := http.NewResponseController(w)
	var drop [1]byte
	for {
		if err := flusher.Flush(); err != nil {
			return err
		}
		if _, err := body.Read(drop[:]); err == io.EOF {
			return nil
		}
		if !sleep(ctx, time.Duration(s.DripMs)*time.Millisecond) {
			return ctx.Err()
		}
		if _, err := w.Write(drop[:]); err != nil {
			return err
		}
	}
}

// reset closes the connection so that the caller gets a reset. Where a connection cannot be taken over, as in HTTP/2,
// it is left to the caller of this to abort.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if c, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
		_ = c.SetLinger(0)
	}
	_ = conn.Close()
}
