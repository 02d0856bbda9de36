// Package config turns environment variables into a Config, or into the list of every mistake in them.
//
// It promises: a Config that Load returns needs no further check; nothing that may be a secret is in an error or in what
// Print writes; and no name that starts with BFF_ is ignored silently, save those that Kubernetes injects.
package config

import (
	"net/netip"
	"net/url"
	"slices"
	"time"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// Config is what holds for one process. Every field was checked against the table in names.go.
type Config struct {
	Addr             string         `env:"ADDR"`               // host:port of the public listener
	AdminAddr        string         `env:"ADMIN_ADDR"`         // host:port of the admin listener
	Deadline         time.Duration  `env:"DEADLINE"`           // for a whole page, queueing included
	RedisURL         Secret         `env:"REDIS_URL"`          // empty: prices are remembered in this process
	PriceStaleFor    time.Duration  `env:"PRICE_STALE_FOR"`    // how old a price may be and still be shown
	Clients          []string       `env:"CLIENTS"`            // values of X-Client that get a label of their own
	Markets          []string       `env:"MARKETS"`            // values of X-Market likewise
	MaxInFlight      int            `env:"MAX_IN_FLIGHT"`      // pages and offers at once
	RateLimit        RateLimit      `env:"RATE_LIMIT"`         // per client; zero: none
	TrustedProxies   []netip.Prefix `env:"TRUSTED_PROXIES"`    // peers whose word on client and priority counts
	PageCacheControl string         `env:"PAGE_CACHE_CONTROL"` // Cache-Control of a full page; empty: the handlers' own
	ServerTiming     bool           `env:"SERVER_TIMING"`
	CORSOrigins      []string       `env:"CORS_ORIGINS"` // scheme://host[:port] in lower case, or * alone
	Drain            time.Duration  `env:"DRAIN"`        // how long to go on serving after SIGTERM
	Log              string         `env:"LOG"`          // json or text
	LogSample        float64        `env:"LOG_SAMPLE"`   // share of full pages that are logged, 0 to 1

	Downstreams [page.NumDependencies]downstreams.Settings `env:"-"`

	// OTel holds the OTEL_ variables as they were given: OpenTelemetry's own names, which tracing judges.
	OTel map[string]string `env:"-"`

	origins map[string]string // by name, where its value comes from; a name that is missing has its default
}

func defaults() *Config {
	return &Config{
		Addr:          ":8080",
		AdminAddr:     "127.0.0.1:9090",
		Deadline:      450 * time.Millisecond,
		PriceStaleFor: 15 * time.Minute,
		Clients:       []string{"web", "mobile"},
		MaxInFlight:   1000,
		ServerTiming:  true,
		Drain:         10 * time.Second,
		Log:           "json",
		LogSample:     0.01,
		Downstreams:   downstreams.Table(),
		OTel:          map[string]string{},
		origins:       map[string]string{},
	}
}

// Judge tells the mistakes in values that only the part that uses them understands. What was not given, or is wrong
// already, has its default.
type Judge func(*Config) []Mistake

// Load reads environ, of the form of os.Environ, and nothing else. The error is Mistakes: all of them, the judges' too.
func Load(environ []string, judges ...Judge) (*Config, error) {
	c := defaults()
	l := newLoader(environ)
	l.overlay(c, prefix)
	for i := range c.Downstreams {
		l.overlay(&c.Downstreams[i], downstreamPrefix(page.Dependency(i)))
	}
	l.refuseUnknownNames()
	l.checkAddresses(c)
	for i := range c.Downstreams {
		l.checkDownstream(c, &c.Downstreams[i])
	}
	for name := range l.values {
		c.origins[name] = fromEnvironment
	}
	c.OTel = l.otel
	for _, judge := range judges {
		l.mistakes = append(l.mistakes, judge(c)...)
	}
	if len(l.mistakes) > 0 {
		return nil, l.sorted()
	}
	return c, nil
}

func (l *loader) checkAddresses(c *Config) {
	if l.wrong("ADDR") || l.wrong("ADMIN_ADDR") {
		return
	}
	if host, port := splitAddress(c.Addr); port != "0" {
		adminHost, adminPort := splitAddress(c.AdminAddr)
		if port == adminPort && (host == adminHost || anyHost(host) || anyHost(adminHost)) {
			l.add(prefix+"ADMIN_ADDR", c.AdminAddr, "needs a port of its own: "+prefix+"ADDR="+c.Addr+" takes this one", "")
		}
	}
}

// checkDownstream checks what one name alone cannot tell, and lets a hedge replace the default retry.
func (l *loader) checkDownstream(c *Config, s *downstreams.Settings) {
	x := downstreamPrefix(s.Dependency)
	if s.URL == "" && !l.wrong(x+"URL") {
		l.add(x+"URL", "", "is not set", urlTemplate.text)
	}
	if s.Timeout >= c.Deadline && !l.wrong(prefix+"DEADLINE") && !l.wrong(x+"TIMEOUT") {
		l.add(x+"TIMEOUT", text(s.Timeout), "is "+l.byDefault(x+"TIMEOUT")+"not shorter than "+prefix+"DEADLINE="+text(c.Deadline), "")
	}
	if s.HedgeAfter.Delay >= s.Timeout && !l.wrong(x+"TIMEOUT") {
		l.add(x+"HEDGE_AFTER", text(s.HedgeAfter), "would never come: "+x+"TIMEOUT="+text(s.Timeout)+" ends the first attempt before", "")
	}
	if s.HedgeAfter.On() {
		l.hedgeInsteadOfRetry(c, s, x)
	}
	if u, err := url.Parse(s.URL); err == nil && u.User != nil && slices.Contains(s.ForwardHeaders, "Authorization") {
		l.add(x+"FORWARD_HEADERS", text(s.ForwardHeaders), "has Authorization, which the user in "+x+"URL already decides", "")
	}
	if s.FreshFor > 0 && (s.Dependency == page.Price || s.Dependency == page.Stock) {
		l.add(x+"FRESH_FOR", text(s.FreshFor), "is not for "+s.Dependency.String()+", whose answers are never served again as live", "0s")
	}
}

func (l *loader) hedgeInsteadOfRetry(c *Config, s *downstreams.Settings, x string) {
	switch {
	case s.Retries == 0 || l.wrong(x+"RETRIES"):
	case !l.given(x + "RETRIES"):
		s.Retries = 0
		c.origins[x+"RETRIES"] = x + "HEDGE_AFTER is set"
	default:
		l.add(x+"HEDGE_AFTER", text(s.HedgeAfter), "excludes "+x+"RETRIES="+text(s.Retries)+": a call retries or hedges, never both", "")
	}
}

// ProbeAddr is where a client on this machine reaches the service that environ configures: the admin listener, or the
// public one where the admin's port is left to the system. A listener on every interface is asked on loopback.
// The error is Mistakes.
func ProbeAddr(environ []string) (string, error) {
	l := newLoader(environ)
	c := defaults()
	l.overlay(c, prefix)
	l.mistakes = slices.DeleteFunc(l.mistakes, func(m Mistake) bool {
		return m.Name != prefix+"ADDR" && m.Name != prefix+"ADMIN_ADDR"
	})
	if len(l.mistakes) > 0 {
		return "", l.sorted()
	}
	for _, addr := range []string{c.AdminAddr, c.Addr} {
		if host, port := splitAddress(addr); port != "0" {
			return loopback(host, port), nil
		}
	}
	l.add(prefix+"ADMIN_ADDR", c.AdminAddr, "leaves the port to the system, so nobody can know it", address.text)
	return "", l.sorted()
}
