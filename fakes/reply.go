package fakes

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

// reply is an answer before it is sent.
type reply struct {
	status int
	header http.Header
	body   io.Reader
	length int // of the body
}

const unknownLength = -1

func jsonReply(status int, body []byte) reply {
	return reply{status, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body), len(body)}
}

func complaint(status int, text string) reply {
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return jsonReply(status, nil) // they have no body
	}
	return jsonReply(status, []byte(`{"error":"`+text+`"}`))
}

// reply is what a downstream of this kind answers under a fault.
func (k kind) reply(f fate, q question) reply {
	switch {
	case f.fails:
		return k.failure(f)
	case !k.knows(q.id):
		return complaint(http.StatusNotFound, "no such product")
	}
	good, err := json.Marshal(k.answer(q))
	if err != nil {
		panic(err) // what the answers are made of can always be told
	}
	switch {
	case f.Garbage != "":
		return k.garbage(f.Garbage)(good)
	case f.Oversize:
		r := jsonReply(http.StatusOK, nil)
		r.body, r.length = extended(good, oversize), unknownLength
		return r
	case f.Endless:
		r := jsonReply(http.StatusOK, nil)
		r.body, r.length = extended(good, forever), unknownLength
		return r
	}
	return jsonReply(http.StatusOK, good)
}

// failure names a host, a port and a cause, as real ones do: none of it may reach a shop's customer.
func (k kind) failure(f fate) reply {
	status := f.Status
	if status == 0 {
		status = http.StatusInternalServerError
	}
	r := complaint(status, "panic: dial tcp "+k.name+"-7.internal:5432: connection refused")
	if f.RetryAfter != "" {
		r.header.Set("Retry-After", f.RetryAfter)
	}
	if status/100 == 3 {
		r.header.Set("Location", "/"+k.name+"/moved")
	}
	return r
}

func (r reply) writeHeader(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	if r.length > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(r.length))
	}
	w.WriteHeader(r.status)
}

// writeTo sends an answer that is small enough to need no care.
func (r reply) writeTo(w http.ResponseWriter) {
	r.writeHeader(w)
	_, _ = io.Copy(w, r.body)
}

// forever, as a length, is that of a body without end.
const forever = -1

// repeated reads as a piece, again and again, until it has read left bytes.
type repeated struct {
	piece []byte
	at    int
	left  int // < 0: without end
}

func repeat(piece []byte, length int) io.Reader { return &repeated{piece: piece, left: length} }

func (r *repeated) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if r.left > 0 {
		p = p[:min(len(p), r.left)]
	}
	n := copy(p, r.piece[r.at:])
	r.at = (r.at + n) % len(r.piece)
	if r.left > 0 {
		r.left -= n
	}
	return n, nil
}
