package cache

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// target is where a Redis is, as its URL says.
type target struct {
	form
	user, password string
	addrs          []string // host:port, at least one
	master         string   // of Sentinel
	db             int
	sentinelAuth   bool // the Sentinels ask for the same user and password
}

type form struct {
	kind kind
	tls  bool
}

type kind uint8

const (
	single kind = iota
	sentinel
	cluster
)

var forms = map[string]form{
	"redis": {single, false}, "redis+sentinel": {sentinel, false}, "redis+cluster": {cluster, false},
	"rediss": {single, true}, "rediss+sentinel": {sentinel, true}, "rediss+cluster": {cluster, true},
}

// The errors never quote the URL: a password that was not percent-encoded can end up in any part of it.
var (
	errURLForm = errors.New("a Redis URL is redis://host:port/db, redis+sentinel://host:port,host:port/master/db " +
		"or redis+cluster://host:port,host:port, with rediss in the place of redis for TLS")
	errURLUser = errors.New("a Redis URL's user and password are written user:password@ or :password@, " +
		"with characters that have a meaning in URLs percent-encoded")
	errURLHost = errors.New("a Redis URL's hosts are written host or host:port, with a port from 1 to 65535, IPv6 addresses " +
		"in brackets, and a comma between them where the form allows several")
	errURLPath = errors.New("a Redis URL's path is /db for a single Redis, /master or /master/db for Sentinel, " +
		"and empty for a Cluster; db is a number from 0")
	errURLQuery = errors.New("a Redis URL has no query, except sentinel_auth=true or =false with Sentinel and a password")
)

// CheckURL tells what is wrong with a Redis URL, without repeating it.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

// parseURL does not use net/url for the whole: that neither takes several hosts nor keeps passwords out of its errors.
func parseURL(raw string) (target, error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	f, known := forms[scheme]
	if !known {
		return target{}, errURLForm
	}
	t := target{form: f}
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	hosts := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		hosts = authority[at+1:]
		if err := t.setUser(authority[:at]); err != nil {
			return target{}, err
		}
	}
	for _, set := range []func() error{
		func() error { return t.setHosts(hosts) },
		func() error { return t.setPath(path) },
		func() error { return t.setQuery(query) },
	} {
		if err := set(); err != nil {
			return target{}, err
		}
	}
	return t, nil
}

func (t *target) setUser(s string) error {
	user, password, _ := strings.Cut(s, ":")
	var err1, err2 error
	t.user, err1 = url.PathUnescape(user)
	t.password, err2 = url.PathUnescape(password)
	if err1 != nil || err2 != nil || t.password == "" {
		return errURLUser
	}
	return nil
}

func (t *target) setHosts(s string) error {
	port := "6379"
	if t.kind == sentinel {
		port = "26379"
	}
	for hostPort := range strings.SplitSeq(s, ",") {
		if strings.LastIndexByte(hostPort, ':') <= strings.LastIndexByte(hostPort, ']') {
			hostPort += ":" + port
		}
		host, port, err := net.SplitHostPort(hostPort)
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || host == "" || bad != nil || n == 0 {
			return errURLHost
		}
		t.addrs = append(t.addrs, net.JoinHostPort(host, port))
	}
	if t.kind == single && len(t.addrs) > 1 {
		return errURLHost
	}
	return nil
}

func (t *target) setPath(path string) error {
	db := path
	if t.kind == sentinel {
		var master string
		var err error
		master, db, _ = strings.Cut(path, "/")
		if t.master, err = url.PathUnescape(master); err != nil || t.master == "" {
			return errURLPath
		}
	}
	if db == "" {
		return nil
	}
	n, err := strconv.ParseUint(db, 10, 31)
	if err != nil || t.kind == cluster {
		return errURLPath
	}
	t.db = int(n)
	return nil
}

func (t *target) setQuery(query string) error {
	switch query {
	case "":
		return nil
	case "sentinel_auth=true", "sentinel_auth=false":
		t.sentinelAuth = query == "sentinel_auth=true"
	default:
		return errURLQuery
	}
	if t.kind != sentinel || t.password == "" {
		return errURLQuery
	}
	return nil
}
