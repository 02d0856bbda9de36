package downstreams

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
)

var errTooLong = errors.New("the answer is over 1 MiB")

const (
	firstRead = 4 << 10  // room for a usual answer
	maxKept   = 64 << 10 // room that is kept for the next answer
)

// buffer holds one answer's body while it is decoded.
type buffer struct{ bytes []byte }

// buffers keeps a few for the next answers.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *buffer {
	if buf, ok := b.pool.Get().(*buffer); ok {
		return buf
	}
	return &buffer{make([]byte, 0, firstRead)}
}

func (b *buffers) put(buf *buffer) {
	if cap(buf.bytes) <= maxKept {
		buf.bytes = buf.bytes[:0]
		b.pool.Put(buf)
	}
}

// fill reads the whole body, of at most maxBody bytes. It takes memory for what has come, not for what was announced.
func (b *buffer) fill(resp *http.Response) error {
	if resp.ContentLength > maxBody {
		return errTooLong
	}
	for {
		if len(b.bytes) == cap(b.bytes) {
			b.bytes = slices.Grow(b.bytes, len(b.bytes))
		}
		free := b.bytes[len(b.bytes):min(cap(b.bytes), maxBody+1)]
		n, err := resp.Body.Read(free)
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case len(b.bytes) > maxBody:
			return errTooLong
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
