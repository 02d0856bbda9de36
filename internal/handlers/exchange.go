package handlers

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"example.com/bff/internal/page"
)

// exchange is one request and what is known of its answer.
type exchange struct {
	w         http.ResponseWriter
	r         *http.Request
	ctx       context.Context // what the answer is made under: the client's, and for a resource the deadline
	start     time.Time
	requestID string
	wrote     bool // the answer is on its way: it cannot become another
	abort     bool // there is nothing left to say: the connection ends

	// Of pages and offers.
	rec      *page.Record
	query    page.Query
	deadline time.Time
	leave    func() // gives back the place that admission gave
}

// edge gives every request an id, every error an answer, and every record to Served.
func (h *Handlers) edge(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{w: w, r: r, ctx: r.Context(), start: time.Now(), requestID: requestID(r.Header), leave: func() {}}
		h.greet(x)
		defer h.end(x)
		if err := next(x); err != nil {
			h.refuse(x, err)
		}
	}
}

// greet sets what every answer carries.
func (h *Handlers) greet(x *exchange) {
	header := x.w.Header()
	header.Set("X-Request-Id", x.requestID)
	header.Set("X-Content-Type-Options", "nosniff")
	if h.State() != Serving || unreadBody(x.r) {
		header.Set("Connection", "close")
	}
	h.cors.allow(header, x.r.Header)
}

// unreadBody tells whether r has a body that net/http would wait for before it answers, though nobody wants it, unless the
// connection ends with the answer. HTTP/2 just ends the stream.
func unreadBody(r *http.Request) bool { return r.ContentLength != 0 && r.ProtoMajor == 1 }

// NoBodies is next for what has no use for a body in a GET: nobody waits for one that was announced.
func NoBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if unreadBody(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// end must be deferred itself: it recovers.
func (h *Handlers) end(x *exchange) {
	if v := recover(); v != nil {
		h.broke(x, v)
	}
	if x.rec != nil {
		h.config.Served(x.r.Context(), x.rec)
	}
	if x.abort {
		panic(http.ErrAbortHandler)
	}
}

// maxDefect bounds what the log is told of one defect, in bytes.
const maxDefect = 8 << 10

func (h *Handlers) broke(x *exchange, v any) {
	defect := fmt.Sprintf("panic: %v", v)
	if v != http.ErrAbortHandler {
		defect += "\n" + string(debug.Stack())
	}
	x.abort = x.wrote || v == http.ErrAbortHandler
	if !x.abort {
		h.refuse(x, defectError(defect))
		return
	}
	h.note(x, defect)
	if x.rec != nil {
		x.rec.Result = page.Internal
	}
}

// defectError is a defect of ours, for the log alone.
type defectError string

func (e defectError) Error() string { return string(e) }

// note keeps what broke where it will be read: in the record, or in the log when there is none.
func (h *Handlers) note(x *exchange, defect string) {
	defect = defect[:min(len(defect), maxDefect)]
	if x.rec != nil {
		x.rec.Defect = defect
		return
	}
	h.config.Log.Error("defect", "requestId", x.requestID, "path", instance(x.r.URL), "defect", defect)
}

// methods lets GET and HEAD through, and answers OPTIONS where scripts from elsewhere may ask.
func (h *Handlers) methods(next handler) handler {
	return func(x *exchange) error {
		switch {
		case x.r.Method == http.MethodGet || x.r.Method == http.MethodHead:
			return next(x)
		case x.r.Method == http.MethodOptions && h.cors.on():
			h.cors.preflight(x.w.Header())
			x.w.Header().Set("Allow", h.cors.methods())
			x.w.Header().Set("Cache-Control", "no-store")
			h.send(x, answer{status: http.StatusNoContent})
			return nil
		}
		x.w.Header().Set("Allow", h.cors.methods())
		return errMethod
	}
}
