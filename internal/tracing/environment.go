package tracing

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	allPrefix    = "OTEL_EXPORTER_OTLP_"
	tracesPrefix = "OTEL_EXPORTER_OTLP_TRACES_"
)

// Mistake is a variable that cannot be used, and what it may be. It holds no value: some are secrets.
type Mistake struct{ Name, Wrong string }

func (m Mistake) Error() string { return m.Name + " " + m.Wrong }

// environment reads variables and keeps every mistake in them. An empty one counts as not set.
type environment struct {
	values   map[string]string
	mistakes []Mistake
}

// joined is nil without mistakes.
func joined(mistakes []Mistake) error {
	errs := make([]error, len(mistakes))
	for i, m := range mistakes {
		errs[i] = m
	}
	return errors.Join(errs...)
}

func (e *environment) get(name string) string { return strings.TrimSpace(e.values[name]) }

// otlp is the full name under which an exporter's setting stands: that for traces goes before that for all signals.
func (e *environment) otlp(name string) string {
	if e.get(tracesPrefix+name) != "" {
		return tracesPrefix + name
	}
	return allPrefix + name
}

func (e *environment) wrong(name, allowed string) {
	e.mistakes = append(e.mistakes, Mistake{name, allowed})
}

// oneOf looks a word up, the default when there is none.
func oneOf[T any](e *environment, name string, words map[string]T, otherwise string) T {
	word := strings.ToLower(e.get(name))
	if word == "" {
		word = otherwise
	}
	v, ok := words[word]
	if !ok {
		e.wrong(name, "must be one of "+strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		return words[otherwise]
	}
	return v
}

func (e *environment) number(name string, otherwise, least, most int) int {
	s := e.get(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		e.wrong(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
		return otherwise
	}
	return n
}

// millis is a time of at most ten minutes.
func (e *environment) millis(name string, otherwise int) time.Duration {
	return time.Duration(e.number(name, otherwise, 1, 600_000)) * time.Millisecond
}

// share is 1 unless something from 0 to 1 is said.
func (e *environment) share(name string) float64 {
	s := e.get(name)
	if s == "" {
		return 1
	}
	share, err := strconv.ParseFloat(s, 64)
	if err != nil || !(0 <= share && share <= 1) {
		e.wrong(name, "must be a number from 0 to 1")
		return 1
	}
	return share
}

// pairs reads a=1,b=2, values percent-encoded. It is never nil.
func (e *environment) pairs(name string) map[string]string {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(e.get(name), ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		key, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !found || key == "" || err != nil {
			e.wrong(name, "must be pairs like name=value, separated by commas, the values percent-encoded")
			break
		}
		pairs[key] = value
	}
	return pairs
}

// tls is nil when no certificate is configured: then the system's roots count.
func (e *environment) tls() *tls.Config {
	roots, cert, key := e.otlp("CERTIFICATE"), e.otlp("CLIENT_CERTIFICATE"), e.otlp("CLIENT_KEY")
	if e.get(roots) == "" && e.get(cert) == "" && e.get(key) == "" {
		return nil
	}
	c := &tls.Config{}
	if file := e.get(roots); file != "" {
		pem, err := os.ReadFile(file)
		c.RootCAs = x509.NewCertPool()
		if err != nil || !c.RootCAs.AppendCertsFromPEM(pem) {
			e.wrong(roots, "must be a file with certificates in PEM")
		}
	}
	if e.get(cert) != "" || e.get(key) != "" {
		pair, err := tls.LoadX509KeyPair(e.get(cert), e.get(key))
		if err != nil {
			e.wrong(cert, "and "+key+" must be files with a certificate and its key in PEM")
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c
}
