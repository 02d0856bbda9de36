package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// rule says what a value may be: to people in text, and to the program in check, which returns the value as it will
// hold, or what is wrong with it as the end of a sentence that begins with the name.
type rule struct {
	text  string
	check func(any) (any, error)
}

func checked[T any](text string, check func(T) (T, error)) rule {
	return rule{text, func(v any) (any, error) { return check(v.(T)) }}
}

// and adds to the text what other names have to do with it.
func (r rule) and(more string) rule {
	r.text += ", " + more
	return r
}

func within[T cmp.Ordered](lo, hi T) rule {
	return checked(text(lo)+" to "+text(hi), func(v T) (T, error) {
		if !(lo <= v && v <= hi) { // so that NaN is refused too
			return v, errors.New("is out of range")
		}
		return v, nil
	})
}

func oneOf(words ...string) rule {
	return checked(strings.Join(words, " or "), func(v string) (string, error) {
		v = strings.ToLower(v)
		if !slices.Contains(words, v) {
			return v, errors.New("is neither")
		}
		return v, nil
	})
}

// list is a rule for each of at most limit items, which returns the item as it will hold. None may stand there twice.
func list(text string, limit int, item func(string) (string, error)) rule {
	return checked(fmt.Sprintf("%s; at most %d, separated by commas", text, limit), func(items []string) ([]string, error) {
		if len(items) > limit {
			return nil, errors.New("has too many items")
		}
		out := []string{}
		for _, given := range items {
			it, err := item(given)
			if err != nil {
				return nil, fmt.Errorf("has the item %s, which %w", quoted(masked(given)), err)
			}
			if slices.ContainsFunc(out, func(other string) bool { return strings.EqualFold(other, it) }) {
				return nil, fmt.Errorf("has %s twice", quoted(masked(given)))
			}
			out = append(out, it)
		}
		return out, nil
	})
}

var boolean = checked("true or false", func(v bool) (bool, error) { return v, nil })

var failureRate = checked("over 0, up to 1", func(v float64) (float64, error) {
	if !(0 < v && v <= 1) {
		return v, errors.New("is out of range")
	}
	return v, nil
})

var hedgeAfter = checked("off, p95, or 1ms and more, shorter than the attempt's timeout; not with retries",
	func(h downstreams.HedgeAfter) (downstreams.HedgeAfter, error) {
		if h.On() && !h.P95 && h.Delay < ms {
			return h, errors.New("is out of range")
		}
		return h, nil
	})

var rateLimit = checked("requests a second, 0.000001 to 1000000, and how many at once, 1 to 1000000, as in 50/s,burst=100",
	func(r RateLimit) (RateLimit, error) {
		if !(1e-6 <= r.PerSecond && r.PerSecond <= 1e6 && 1 <= r.Burst && r.Burst <= 1e6) {
			return r, errors.New("is out of range")
		}
		return r, nil
	})

var proxies = checked("addresses or networks, as in 10.0.0.0/8, 2001:db8::1; at most 64, separated by commas",
	func(all []netip.Prefix) ([]netip.Prefix, error) {
		if len(all) > 64 {
			return nil, errors.New("has too many items")
		}
		for i, p := range all {
			if slices.Contains(all[:i], p) {
				return nil, fmt.Errorf("has %s twice", p)
			}
		}
		return all, nil
	})

var headerValue = checked("a header's value of up to 256 printable ASCII characters", func(v string) (string, error) {
	if len(v) > 256 {
		return v, errors.New("is too long")
	}
	for i := range len(v) {
		if v[i] < ' ' || v[i] > '~' {
			return v, errors.New("has a character that a header cannot carry")
		}
	}
	return v, nil
})

// labels become values of a metric's label, so they are short, plain and few. The word for all the rest is not one.
var labels = list("names of up to 32 characters of A-Z a-z 0-9 . _ -, other than other", 32, func(v string) (string, error) {
	switch {
	case len(v) > 32:
		return v, errors.New("is too long")
	case strings.ContainsFunc(v, func(r rune) bool { return !strings.ContainsRune(alphanumeric+"._-", r) }):
		return v, errors.New("has a character that a label cannot have")
	case strings.EqualFold(v, page.Other):
		return v, errors.New("is the word for all the rest")
	}
	return v, nil
})

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
