package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"example.com/bff/storefront"
)

const (
	prefix      = "STOREFRONT_"
	addr        = prefix + "ADDR"
	bff         = prefix + "BFF"
	defaultAddr = "127.0.0.1:8000"
)

// config is what the environment says.
type config struct {
	addr  string
	bff   *url.URL
	fakes map[string]*url.URL
}

// load reads the environment (as os.Environ gives it), or tells every mistake in it.
func load(environ []string) (*config, error) {
	set := settings(environ)
	var wrong []error
	address := func(name string) *url.URL {
		u, err := parse(name, set[name])
		delete(set, name)
		wrong = append(wrong, err)
		return u
	}
	c := &config{addr: defaultAddr, bff: address(bff), fakes: map[string]*url.URL{}}
	for _, d := range storefront.Downstreams() {
		c.fakes[d] = address(prefix + strings.ToUpper(d) + "_FAKE")
	}
	if given := set[addr]; given != "" {
		c.addr = given
	}
	delete(set, addr)
	if _, _, err := net.SplitHostPort(c.addr); err != nil {
		wrong = append(wrong, fmt.Errorf("%s must be host:port, not %.100q", addr, c.addr))
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		wrong = append(wrong, fmt.Errorf("%.100q means nothing here", name))
	}
	return c, errors.Join(wrong...)
}

// settings are those that are meant for the storefront. Kubernetes puts others of that prefix beside a Service of its
// name.
func settings(environ []string) map[string]string {
	set := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		injected := strings.HasPrefix(name, prefix+"SERVICE_") || name == prefix+"PORT" || strings.HasPrefix(name, prefix+"PORT_")
		if strings.HasPrefix(name, prefix) && !injected {
			set[name] = value
		}
	}
	return set
}

func parse(name, value string) (*url.URL, error) {
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("%s must be an address like http://host:8080, not %.100q", name, value)
	}
	return u, nil
}
