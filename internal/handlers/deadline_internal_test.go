package handlers

import (
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 29, 10, 0, 0, 500_000, time.UTC)

const limit = 450 * time.Millisecond

// at is the absolute deadline d from now, as the header tells it: in whole milliseconds.
func at(d time.Duration) string { return strconv.FormatInt(now.Add(d).UnixMilli(), 10) }

func TestAllowed(t *testing.T) {
	const ms = time.Millisecond
	none := []string(nil)
	tests := map[string]struct {
		timeout, deadline []string
		want              time.Duration
		shortened         bool
	}{
		"nothing":                   {none, none, limit, false},
		"shorter":                   {[]string{"120"}, none, 120 * ms, true},
		"longer":                    {[]string{"9999"}, none, limit, false},
		"the same":                  {[]string{"450"}, none, limit, false},
		"nine digits":               {[]string{"000000100"}, none, 100 * ms, true},
		"ten digits":                {[]string{"0000000100"}, none, limit, false},
		"spent":                     {[]string{"0"}, none, 0, true},
		"negative":                  {[]string{"-1"}, none, limit, false},
		"plus":                      {[]string{"+100"}, none, limit, false},
		"fraction":                  {[]string{"100.5"}, none, limit, false},
		"unit":                      {[]string{"100ms"}, none, limit, false},
		"spaces":                    {[]string{"1 0"}, none, limit, false},
		"hexadecimal":               {[]string{"0x10"}, none, limit, false},
		"underscore":                {[]string{"1_0"}, none, limit, false},
		"other digits":              {[]string{"١٢"}, none, limit, false},
		"empty":                     {[]string{""}, []string{""}, limit, false},
		"twice":                     {[]string{"100", "100"}, none, limit, false},
		"a list":                    {[]string{"100, 100"}, none, limit, false},
		"instant":                   {none, []string{at(200 * ms)}, 199500 * time.Microsecond, true},
		"instant later":             {none, []string{at(time.Hour)}, limit, false},
		"instant past":              {none, []string{at(-time.Second)}, 0, true},
		"instant long past":         {none, []string{at(-25 * time.Hour)}, limit, false},
		"instant within a day":      {none, []string{at(-23 * time.Hour)}, 0, true},
		"instant in seconds":        {none, []string{"1796000000"}, limit, false},
		"instant twice":             {none, []string{at(0), at(0)}, limit, false},
		"instant of many digits":    {none, []string{strings.Repeat("9", 19)}, limit, false},
		"both, timeout earlier":     {[]string{"100"}, []string{at(200 * ms)}, 100 * ms, true},
		"both, instant earlier":     {[]string{"300"}, []string{at(200 * ms)}, 199500 * time.Microsecond, true},
		"both, timeout malformed":   {[]string{"soon"}, []string{at(200 * ms)}, 199500 * time.Microsecond, true},
		"both, instant unbelieved":  {[]string{"300"}, []string{at(-48 * time.Hour)}, 300 * ms, true},
		"both, timeout told twice":  {[]string{"30", "30"}, []string{at(200 * ms)}, 199500 * time.Microsecond, true},
		"both, neither shortens it": {[]string{"500"}, []string{at(time.Second)}, limit, false},
	}
	for name, tt := range tests {
		h := http.Header{"X-Request-Timeout-Ms": tt.timeout, "X-Request-Deadline": tt.deadline}
		if d, shortened := allowed(h, now, limit); d != tt.want || shortened != tt.shortened {
			t.Errorf("%s: %v, %v; want %v, %v", name, d, shortened, tt.want, tt.shortened)
		}
	}
}

// FuzzDeadline holds the parser against the contract's words, in arithmetic that knows no overflow.
func FuzzDeadline(f *testing.F) {
	for _, s := range []string{"", "0", "19", "450", "999999999", "0000000001", "-1", "1e3", " 5", "٣"} {
		f.Add(s, at(100*time.Millisecond))
	}
	for _, s := range []string{"", at(-time.Minute), at(24 * time.Hour), at(25 * time.Hour), "9223372036854775808", "999999999999999", "0x1"} {
		f.Add("200", s)
	}
	f.Fuzz(func(t *testing.T, timeout, deadline string) {
		h := http.Header{"X-Request-Timeout-Ms": {timeout}, "X-Request-Deadline": {deadline}}
		want := big.NewInt(int64(limit))
		if regexp.MustCompile(`^[0-9]{1,9}$`).MatchString(timeout) {
			want = earlier(want, new(big.Int).Mul(number(timeout), big.NewInt(1e6)))
		}
		if regexp.MustCompile(`^[0-9]+$`).MatchString(deadline) && len(deadline) <= 15 {
			left := new(big.Int).Sub(new(big.Int).Mul(number(deadline), big.NewInt(1e6)), big.NewInt(now.UnixNano()))
			if left.CmpAbs(big.NewInt(int64(24*time.Hour))) <= 0 {
				want = earlier(want, left)
			}
		}
		if want.Sign() < 0 {
			want.SetInt64(0)
		}
		d, shortened := allowed(h, now, limit)
		if d != time.Duration(want.Int64()) || shortened != (d < limit) {
			t.Errorf("%q, %q: %v, %v; want %v", timeout, deadline, d, shortened, time.Duration(want.Int64()))
		}
	})
}

func number(s string) *big.Int {
	n, _ := new(big.Int).SetString(s, 10)
	return n
}

func earlier(a, b *big.Int) *big.Int {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}
