package downstreams

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// errUnusable is of a body that came whole, or could have, and is no answer.
var errUnusable = errors.New("the answer is over 1 MiB, or not the gzip that it says it is")

const (
	firstRead = 4 << 10  // room for a usual answer
	maxKept   = 64 << 10 // room that is kept for the next answer
)

// buffer holds one answer's body while it is decoded.
type buffer struct {
	bytes []byte
	gzip  gzip.Reader
}

// buffers keeps a few for the next answers.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *buffer {
	if buf, ok := b.pool.Get().(*buffer); ok {
		return buf
	}
	return &buffer{bytes: make([]byte, 0, firstRead)}
}

func (b *buffers) put(buf *buffer) {
	if cap(buf.bytes) <= maxKept {
		buf.bytes = buf.bytes[:0]
		b.pool.Put(buf)
	}
}

// fill takes the whole body in, unpacked. The error is errUnusable, or the connection's. Unpacking is not left to
// net/http, whose errors do not tell a bad answer from a broken connection.
func (b *buffer) fill(resp *http.Response) error {
	if resp.ContentLength > maxBody {
		return errUnusable
	}
	if !strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		return b.readAll(resp.Body)
	}
	wire := &wire{body: resp.Body}
	err := b.gzip.Reset(wire)
	if err == nil {
		err = b.readAll(&b.gzip)
	}
	switch {
	case err == nil:
		return nil
	case wire.broke != nil:
		return wire.broke
	}
	return errUnusable
}

// wire is a body as it comes, and keeps what broke it.
type wire struct {
	body  io.Reader
	broke error
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.body.Read(p)
	if err != nil && err != io.EOF {
		w.broke = err
	}
	return n, err
}

// readAll reads at most maxBody bytes. It takes memory for what has come, not for what was announced.
func (b *buffer) readAll(from io.Reader) error {
	for {
		if len(b.bytes) == cap(b.bytes) {
			b.bytes = slices.Grow(b.bytes, len(b.bytes))
		}
		free := b.bytes[len(b.bytes):min(cap(b.bytes), maxBody+1)]
		n, err := from.Read(free)
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case len(b.bytes) > maxBody:
			return errUnusable
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
