package config

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/bff/internal/downstreams"
)

// What the network's own forms may be: addresses, URLs, origins and header names.

var address = checked("host:port, the host empty for every interface", func(v string) (string, error) {
	host, port, err := net.SplitHostPort(v)
	if err != nil {
		return v, errors.New("is not host:port")
	}
	if !validPort(port) {
		return v, errors.New("has no port between 0 and 65535")
	}
	if host != "" && !validHost(host) {
		return v, errors.New("has no valid host")
	}
	return v, nil
})

// splitAddress takes apart what address let through.
func splitAddress(v string) (host, port string) {
	host, port, _ = net.SplitHostPort(v)
	return host, port
}

func anyHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

func loopback(host, port string) string {
	switch {
	case host == "::":
		host = "::1"
	case anyHost(host):
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

func validPort(port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}

func validHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return host != "" && len(host) <= 253 && !strings.ContainsFunc(host, func(r rune) bool {
		return !strings.ContainsRune(alphanumeric+".-_", r)
	})
}

const placeholder = "{id}"

var urlTemplate = checked("http:// or https://, a host, and a path with {id} as one whole segment, as in http://catalog:8080/catalog/{id}",
	func(v string) (string, error) {
		u, err := url.Parse(v)
		switch {
		case err != nil:
			return v, errors.New("is not a URL") // err would repeat the value, password and all
		case u.Scheme != "http" && u.Scheme != "https":
			return v, errors.New("is neither http:// nor https://")
		case !validHost(u.Hostname()) || (u.Port() != "" && !validPort(u.Port())):
			return v, errors.New("has no valid host")
		case strings.Contains(v, "#"):
			return v, errors.New("has a fragment, which is never sent")
		case strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }):
			return v, errors.New("has a character that a URL must percent-encode")
		}
		return v, checkPlaceholder(v)
	})

func checkPlaceholder(v string) error {
	_, rest, _ := strings.Cut(v, "://")
	rest, query, _ := strings.Cut(rest, "?")
	_, path, _ := strings.Cut(rest, "/")
	whole := 0
	for segment := range strings.SplitSeq(path, "/") {
		if segment == placeholder {
			whole++
		}
	}
	switch {
	case strings.Contains(query, placeholder):
		return errors.New("has {id} in its query; it belongs in the path")
	case strings.Count(v, placeholder) > 1:
		return errors.New("has {id} more than once")
	case !strings.Contains(v, placeholder):
		return errors.New("lacks {id}")
	case whole != 1:
		return errors.New("has {id} elsewhere than as one whole segment of its path")
	case strings.ContainsAny(strings.Replace(v, placeholder, "", 1), "{}"):
		return errors.New("has a placeholder other than {id}")
	}
	return nil
}

var redisSchemes = []string{
	"redis", "rediss", "redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster",
}

// redisURL looks at the scheme alone: the rest is the store's to read, which knows each form.
var redisURL = checked("redis:// or rediss://, with +sentinel or +cluster before the colon for those forms",
	func(v Secret) (Secret, error) {
		scheme, rest, ok := strings.Cut(v.Reveal(), "://")
		switch {
		case !ok || !slices.Contains(redisSchemes, scheme):
			return v, errors.New("does not begin as a Redis URL does")
		case rest == "" || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f }):
			return v, errors.New("is not a URL")
		}
		return v, nil
	})

var origins = list("* alone, or origins, as in https://shop.example", 64, func(v string) (string, error) {
	if v == "*" {
		return v, nil
	}
	u, err := url.Parse(v)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https"):
		return v, errors.New("is not http:// or https:// and a host")
	case u.User != nil || u.Path != "" || strings.ContainsAny(v, "?#"):
		return v, errors.New("has more than scheme, host and port")
	case !validHost(u.Hostname()) || strings.HasSuffix(u.Host, ":") || (u.Port() != "" && !validPort(u.Port())):
		return v, errors.New("has no valid host")
	}
	return asBrowsersWrite(u), nil
}).alone("*")

// alone refuses a list that has word and anything beside it.
func (r rule) alone(word string) rule {
	check := r.check
	r.check = func(v any) (any, error) {
		v, err := check(v)
		if items, ok := v.([]string); ok && err == nil && len(items) > 1 && slices.Contains(items, word) {
			return nil, errors.New("has " + word + " beside others")
		}
		return v, err
	}
	return r
}

// asBrowsersWrite is the form that Origin has: lower case, no port that the scheme implies.
func asBrowsersWrite(u *url.URL) string {
	host := strings.ToLower(u.Host)
	implied := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(host, implied)
}

var forwardHeaders = list("header names, none of them Host, hop-by-hop or the service's own", 16, func(v string) (string, error) {
	if strings.ContainsFunc(v, func(r rune) bool { return !strings.ContainsRune(alphanumeric+"!#$%&'*+-.^_`|~", r) }) {
		return v, errors.New("is no header's name")
	}
	v = http.CanonicalHeaderKey(v)
	if !downstreams.MayForward(v) {
		return v, errors.New("is not forwarded as it came")
	}
	return v, nil
})
