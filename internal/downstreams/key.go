package downstreams

import (
	"net/http"
	"slices"
	"strings"

	"example.com/bff/internal/page"
)

const (
	maxForwarded  = 128 // bytes of a header's value passed on; a longer one counts as absent
	maxConnection = 256 // bytes of Connection's lines with their ends, read for each name anew; more count as naming all
)

var neverForwarded = []string{
	"Host", "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding", "Content-Type", "Expect", "Accept",
	"Accept-Encoding", "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
	headerRequestID, headerTimeout, headerDeadline, headerTraceParent, headerTraceState,
}

// MayForward tells whether configuration can let a downstream see a request header, by its canonical name: it cannot for
// those that are hop-by-hop or that the exchange itself decides.
func MayForward(name string) bool { return !slices.Contains(neverForwarded, name) }

// forwarding is what of an inbound request one downstream sees, and what its answers are therefore shared and
// remembered under.
type forwarding struct {
	names []string // canonical, sorted, each once
}

func newForwarding(configured []string) forwarding {
	var names []string
	for _, name := range configured {
		if name = http.CanonicalHeaderKey(name); MayForward(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return forwarding{slices.Compact(names)}
}

// values appends the value of each name to buf, empty for an absent one.
func (w forwarding) values(h http.Header, buf []string) []string {
	nominated := h["Connection"]
	for _, name := range w.names {
		v := fieldValue(h[name], maxForwarded)
		if v != "" && hopByHop(nominated, name) {
			v = ""
		}
		buf = append(buf, v)
	}
	return buf
}

// hopByHop tells whether the Connection header makes name the business of the inbound connection alone.
func hopByHop(connection []string, name string) bool {
	length := 0
	for _, line := range connection {
		if length += len(line) + 1; length > maxConnection {
			return true
		}
		for option := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(option), name) {
				return true
			}
		}
	}
	return false
}

// fieldValue joins a header's lines into one value. It is empty when it would be longer than limit or hold a control
// character.
func fieldValue(lines []string, limit int) string {
	var v string
	switch len(lines) {
	case 0:
		return ""
	case 1:
		v = lines[0]
	default:
		v = strings.Join(lines, ", ")
	}
	if len(v) > limit {
		return ""
	}
	for i := range len(v) {
		if v[i] < ' ' || v[i] == 0x7f {
			return ""
		}
	}
	return v
}

// key is the identity of a question: the id, and name and value of each header that is not absent. Neither can hold
// the line feed that separates them, so different questions have different keys.
func (w forwarding) key(id page.ID, values []string) string {
	var buf [256]byte
	b := append(buf[:0], id.String()...)
	for i, v := range values {
		if v != "" {
			b = append(b, '\n')
			b = append(b, w.names[i]...)
			b = append(b, '=')
			b = append(b, v...)
		}
	}
	return string(b)
}
