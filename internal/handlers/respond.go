package handlers

import (
	"net/http"
	"strconv"
	"time"

	"example.com/bff/internal/page"
)

// answer is what send writes; the headers that depend on more than these are set before.
type answer struct {
	status      int
	result      page.Result // of a page or an offer
	contentType string      // of the body
	body        []byte
}

// send settles the record and writes the answer in one go.
func (h *Handlers) send(x *exchange, a answer) error {
	header := x.w.Header()
	if x.rec != nil {
		x.settle(a, time.Now())
		if h.config.ServerTiming {
			header.Set("Server-Timing", serverTiming(x.rec))
		}
	}
	if a.body != nil {
		header.Set("Content-Type", a.contentType)
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	x.wrote = true
	x.leave() // from here on it is the client who is waited for, who may read as slowly as it likes
	x.w.WriteHeader(a.status)
	if a.body == nil || x.r.Method == http.MethodHead {
		return nil
	}
	_, err := x.w.Write(a.body)
	return err
}

// serverTiming tells what each downstream that was asked took, and all of it, in milliseconds.
func serverTiming(rec *page.Record) string {
	b := make([]byte, 0, 256)
	for i, call := range rec.Calls {
		if !call.Asked {
			continue
		}
		b = appendTiming(b, page.Dependency(i).String(), call.Duration)
		b = append(b, `;desc="`...)
		b = append(b, call.Outcome.String()...)
		b = append(b, `", `...)
	}
	return string(appendTiming(b, "total", rec.Duration))
}

func appendTiming(b []byte, name string, d time.Duration) []byte {
	b = append(b, name...)
	b = append(b, ";dur="...)
	return strconv.AppendFloat(b, float64(d)/float64(time.Millisecond), 'f', 1, 64)
}

// maxKept is the largest body whose memory is used again, in bytes.
const maxKept = 64 << 10

// body is where an answer's body is put together. It comes empty.
func (h *Handlers) body() *[]byte {
	if b, ok := h.bodies.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, 0, 4<<10)
	return &b
}

// release lets the memory of b be used again after a write that ended in err. A write that failed may not have let go
// of it: HTTP/2's writer can still be reading when the stream is reset.
func (h *Handlers) release(b *[]byte, err error) {
	if err != nil || cap(*b) > maxKept {
		return
	}
	*b = (*b)[:0]
	h.bodies.Put(b)
}
