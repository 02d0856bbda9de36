// Package peer tells who is at the other end of a connection, and whom of those to trust. Addresses have one form in it,
// so that a proxy is the same one however its address comes.
package peer

import (
	"net/http"
	"net/netip"
)

// Of is the address at the other end of r's connection, the zero Addr when it has none.
func Of(r *http.Request) netip.Addr {
	ap, _ := netip.ParseAddrPort(r.RemoteAddr)
	return Plain(ap.Addr())
}

// Plain is an address in its one form: an IPv4 one is not written as IPv6, and no zone.
func Plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Within tells whether one of the prefixes has a, which is plain. None has the zero Addr.
func Within(a netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
