package admission_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"example.com/bff/internal/admission"
	"example.com/bff/internal/page"
)

var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}

const (
	forwarded = "X-Forwarded-For"
	clientID  = "X-Client-Id"
	proxy     = "10.0.0.1:443"
)

func TestWhomARequestIsCountedTo(t *testing.T) {
	for name, c := range map[string]struct {
		request *http.Request
		want    string
	}{
		"the peer":                        {from("192.0.2.1:1234"), "ip:192.0.2.1"},
		"IPv6 by /64":                     {from("[2001:db8:1:2:3:4:5:6]:1234"), "ip:2001:db8:1:2::/64"},
		"IPv4 in IPv6":                    {from("[::ffff:192.0.2.1]:1234"), "ip:192.0.2.1"},
		"link-local":                      {from("[fe80::1%eth0]:1234"), "ip:fe80::/64"},
		"no address":                      {from("@"), "ip:unknown"},
		"an id from anybody":              {from("192.0.2.1:1", clientID, "alice"), "ip:192.0.2.1"},
		"a forwarded address from anyone": {from("192.0.2.1:1", forwarded, "203.0.113.7"), "ip:192.0.2.1"},

		"a proxy with a zone":        {from("[fd00::1%eth0]:1", forwarded, "203.0.113.7"), "ip:203.0.113.7"},
		"a proxy as IPv4 in IPv6":    {from("[::ffff:10.1.2.3]:1", forwarded, "203.0.113.7"), "ip:203.0.113.7"},
		"a proxy that tells nothing": {from(proxy), "ip:10.0.0.1"},
		"an id":                      {from(proxy, clientID, "Shop.1_a~-"), "id:Shop.1_a~-"},
		"an id before an address":    {from(proxy, clientID, "alice", forwarded, "203.0.113.7"), "id:alice"},
		"the longest id":             {from(proxy, clientID, strings.Repeat("a", 64)), "id:" + strings.Repeat("a", 64)},
		"too long an id":             {from(proxy, clientID, strings.Repeat("a", 65)), "ip:10.0.0.1"},
		"an empty id":                {from(proxy, clientID, ""), "ip:10.0.0.1"},
		"a strange id":               {from(proxy, clientID, "a:b", forwarded, "203.0.113.7"), "ip:203.0.113.7"},
		"an id beyond ASCII":         {from(proxy, clientID, "é"), "ip:10.0.0.1"},
		"two ids":                    {from(proxy, clientID, "a", clientID, "b"), "ip:10.0.0.1"},

		"a forwarded address":           {from(proxy, forwarded, "203.0.113.7"), "ip:203.0.113.7"},
		"through an IPv6 proxy":         {from("[fd00::1]:443", forwarded, "2001:db8::1"), "ip:2001:db8::/64"},
		"with a port":                   {from(proxy, forwarded, "203.0.113.7:55"), "ip:203.0.113.7"},
		"IPv6 with a port":              {from(proxy, forwarded, "[2001:db8::1]:55"), "ip:2001:db8::/64"},
		"IPv6 in brackets":              {from(proxy, forwarded, "[2001:db8::1]"), "ip:2001:db8::/64"},
		"through two proxies":           {from(proxy, forwarded, "203.0.113.7, 10.9.9.9"), "ip:203.0.113.7"},
		"on two lines":                  {from(proxy, forwarded, "203.0.113.7", forwarded, "10.9.9.9"), "ip:203.0.113.7"},
		"what the client made up":       {from(proxy, forwarded, "198.51.100.1, 203.0.113.7"), "ip:203.0.113.7"},
		"made up, on a line of its own": {from(proxy, forwarded, "198.51.100.1", forwarded, "203.0.113.7"), "ip:203.0.113.7"},
		"a trusted one, made up":        {from(proxy, forwarded, "10.1.1.1,203.0.113.7,10.9.9.9"), "ip:203.0.113.7"},
		"proxies alone":                 {from(proxy, forwarded, "10.3.3.3,10.2.2.2"), "ip:10.3.3.3"},
		"nonsense":                      {from(proxy, forwarded, "203.0.113.7, unknown"), "ip:10.0.0.1"},
		"nonsense behind two":           {from(proxy, forwarded, "203.0.113.7, _hidden, 10.9.9.9"), "ip:10.9.9.9"},
		"an empty header":               {from(proxy, forwarded, ""), "ip:10.0.0.1"},
		"RFC 7239, which is ignored":    {from(proxy, "Forwarded", "for=203.0.113.7"), "ip:10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			store := storeFunc(func(key string) (page.Rate, error) {
				got = key
				return page.Rate{}, nil
			})
			admission.NewLimiter(admission.Allowance{PerSecond: 1, Burst: 1}, proxies, store).Allow(c.request)
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
