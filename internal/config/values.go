package config

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.com/bff/internal/downstreams"
)

// RateLimit is what one client may ask. The zero value is no limit.
type RateLimit struct {
	PerSecond float64 // a millionth to a million: less is more time until a bucket is full than Redis can keep it
	Burst     int     // at once, 1 to a million
}

// On tells whether there is a limit.
func (r RateLimit) On() bool { return r.PerSecond > 0 }

func (r RateLimit) String() string {
	if !r.On() {
		return ""
	}
	return fmt.Sprintf("%s/s,burst=%d", text(r.PerSecond), r.Burst)
}

// reader turns a text, white space around it removed, into a value. Its error ends a sentence that begins with the name.
type reader func(string) (any, error)

var readers = map[reflect.Type]reader{
	reflect.TypeFor[string]():                 func(s string) (any, error) { return s, nil },
	reflect.TypeFor[Secret]():                 func(s string) (any, error) { return Secret(s), nil },
	reflect.TypeFor[int]():                    saying("is not a whole number", strconv.Atoi),
	reflect.TypeFor[bool]():                   saying("is neither", func(s string) (bool, error) { return strconv.ParseBool(strings.ToLower(s)) }),
	reflect.TypeFor[float64]():                saying("is not a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }),
	reflect.TypeFor[time.Duration]():          saying("is not a time with its unit, as in 450ms, 1.5s or 15m", time.ParseDuration),
	reflect.TypeFor[[]string]():               items,
	reflect.TypeFor[[]netip.Prefix]():         prefixes,
	reflect.TypeFor[RateLimit]():              readRateLimit,
	reflect.TypeFor[downstreams.HedgeAfter](): readHedgeAfter,
}

// saying replaces what the standard library says of a wrong value, which repeats it, by something for people.
func saying[T any](wrong string, parse func(string) (T, error)) reader {
	return func(s string) (any, error) {
		v, err := parse(s)
		if err != nil {
			return nil, errors.New(wrong)
		}
		return v, nil
	}
}

// none is how a list with a default is emptied: an empty value means the default.
const none = "none"

func items(s string) (any, error) {
	if strings.EqualFold(s, none) {
		return []string{}, nil
	}
	all := strings.Split(s, ",")
	for i, item := range all {
		if all[i] = strings.TrimSpace(item); all[i] == "" {
			return nil, errors.New("has an empty item")
		}
	}
	return all, nil
}

func prefixes(s string) (any, error) {
	all, err := items(s)
	if err != nil {
		return nil, err
	}
	var out []netip.Prefix
	for _, item := range all.([]string) {
		p, err := readPrefix(item)
		if err != nil {
			return nil, fmt.Errorf("has the item %s, which is neither an address nor a network", quoted(item))
		}
		out = append(out, p)
	}
	return out, nil
}

func readPrefix(s string) (netip.Prefix, error) {
	if strings.Contains(s, "/") {
		p, err := netip.ParsePrefix(s)
		if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 { // an IPv4 one: peers have no other form
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		return p.Masked(), err
	}
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, errors.New("no address")
	}
	a = a.Unmap()
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// readRateLimit reads 50/s,burst=100. Without a burst, as many may come at once as in one second.
func readRateLimit(s string) (any, error) {
	form := errors.New("is not of the form 50/s,burst=100")
	rate, burst, hasBurst := strings.Cut(strings.ToLower(strings.ReplaceAll(s, " ", "")), ",")
	number, isPerSecond := strings.CutSuffix(rate, "/s")
	r := RateLimit{}
	var err error
	if r.PerSecond, err = strconv.ParseFloat(number, 64); err != nil || !isPerSecond {
		return nil, form
	}
	if !hasBurst {
		r.Burst = int(math.Ceil(min(max(r.PerSecond, 1), math.MaxInt32)))
		return r, nil
	}
	number, isBurst := strings.CutPrefix(burst, "burst=")
	if r.Burst, err = strconv.Atoi(number); err != nil || !isBurst {
		return nil, form
	}
	return r, nil
}

func readHedgeAfter(s string) (any, error) {
	switch strings.ToLower(s) {
	case "off":
		return downstreams.HedgeAfter{}, nil
	case "p95":
		return downstreams.HedgeAfter{P95: true}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return nil, errors.New("is neither off, nor p95, nor a time with its unit, as in 40ms")
	}
	if d <= 0 {
		return nil, errors.New("is out of range")
	}
	return downstreams.HedgeAfter{Delay: d}, nil
}

// text is a value as people would write it into the environment.
func text(v any) string {
	switch v := v.(type) {
	case time.Duration:
		s := v.String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []string:
		if v != nil && len(v) == 0 {
			return none
		}
		return strings.Join(v, ",")
	case []netip.Prefix:
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ",")
	case downstreams.HedgeAfter:
		switch {
		case v.P95:
			return "p95"
		case v.On():
			return text(v.Delay)
		}
		return "off"
	}
	return fmt.Sprint(v)
}
