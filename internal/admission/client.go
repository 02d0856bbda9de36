package admission

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"example.com/bff/internal/page"
	"example.com/bff/internal/peer"
)

const maxClientID = 64

// clientKey names the client to whom r is counted, with unreserved characters, colons and a slash alone.
func clientKey(r *http.Request, trusted []netip.Prefix) string {
	p := peer.Of(r)
	if !peer.Within(p, trusted) {
		return addressKey(p)
	}
	if id := r.Header["X-Client-Id"]; len(id) == 1 && page.Unreserved(id[0], maxClientID) {
		return "id:" + id[0]
	}
	return addressKey(forwardedFor(r.Header["X-Forwarded-For"], p, trusted))
}

// addressKey counts all of an IPv6 /64 as one: a single customer has that many addresses. Peers without an address (a
// Unix socket's) are one client.
func addressKey(a netip.Addr) string {
	if !a.IsValid() {
		return "ip:unknown"
	}
	if a.Is6() {
		return "ip:" + netip.PrefixFrom(a, 64).Masked().String()
	}
	return "ip:" + a.String()
}

// forwardedFor walks from the peer back to the client, hop by hop, for as long as the hop that tells of the one before
// is trusted. What cannot be read ends the walk, as it may hide anybody.
func forwardedFor(lines []string, hop netip.Addr, trusted []netip.Prefix) netip.Addr {
	for _, line := range slices.Backward(lines) {
		for more := true; more; {
			var last string
			line, last, more = cutLast(line)
			before := parseHop(last)
			if !before.IsValid() {
				return hop
			}
			if hop = before; !peer.Within(hop, trusted) {
				return hop
			}
		}
	}
	return hop
}

func cutLast(list string) (before, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// parseHop reads an address with or without a port. Any other text gives the zero Addr.
func parseHop(s string) netip.Addr {
	s = strings.TrimSpace(s)
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return peer.Plain(ap.Addr())
	}
	a, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return peer.Plain(a)
}
