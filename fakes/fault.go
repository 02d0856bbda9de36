package fakes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fault is what is wrong with a downstream. The zero value is nothing. A pointer that is nil leaves its member out;
// new(0) is a number.
type Fault struct {
	LatencyMs  *int     `json:"latencyMs,omitempty"`  // takes so long, instead of its usual time
	P50Ms      int      `json:"p50Ms,omitempty"`      // or a time drawn from a log-normal distribution, with P99Ms
	P99Ms      int      `json:"p99Ms,omitempty"`      //
	Hang       bool     `json:"hang,omitempty"`       // takes requests and answers none
	Reset      string   `json:"reset,omitempty"`      // resets the connection: ResetHeaders or ResetBody
	ErrorRate  *float64 `json:"errorRate,omitempty"`  // the share of requests, 0 to 1, that get Status; all when that alone is set
	Status     int      `json:"status,omitempty"`     // 201 to 599; 500 when ErrorRate alone is set
	RetryAfter string   `json:"retryAfter,omitempty"` // the header's value on those answers, however malformed
	Garbage    string   `json:"garbage,omitempty"`    // answers 200 with a body by this name: see GarbageNames
	Oversize   bool     `json:"oversize,omitempty"`   // answers with valid JSON over 1 MiB
	Endless    bool     `json:"endless,omitempty"`    // answers with a body that never ends
	DripMs     int      `json:"dripMs,omitempty"`     // sends the body a byte at a time, each after so long
}

// Where Fault.Reset resets.
const (
	ResetHeaders = "headers" // instead of an answer
	ResetBody    = "body"    // half-way through the body
)

// mostMs bounds every time that a fault takes: ten minutes.
const mostMs = 600_000

// members is what the JSON of a fault may hold, and the sentence that says so.
var members = map[string]struct {
	field   func(*Fault) any
	allowed string
}{
	"latencyMs":  {func(f *Fault) any { return &f.LatencyMs }, "a whole number of milliseconds from 0 to 600000"},
	"p50Ms":      {func(f *Fault) any { return &f.P50Ms }, "a whole number of milliseconds from 1 to 600000, and not over p99Ms"},
	"p99Ms":      {func(f *Fault) any { return &f.P99Ms }, "a whole number of milliseconds from 1 to 600000, and comes with p50Ms"},
	"hang":       {func(f *Fault) any { return &f.Hang }, "true or false"},
	"reset":      {func(f *Fault) any { return &f.Reset }, `"headers" or "body"`},
	"errorRate":  {func(f *Fault) any { return &f.ErrorRate }, "a number from 0 to 1"},
	"status":     {func(f *Fault) any { return &f.Status }, "a whole number from 201 to 599"},
	"retryAfter": {func(f *Fault) any { return &f.RetryAfter }, "a string of up to 128 printable ASCII characters, and comes with status or errorRate"},
	"garbage":    {func(f *Fault) any { return &f.Garbage }, "the name of a body"},
	"oversize":   {func(f *Fault) any { return &f.Oversize }, "true or false"},
	"endless":    {func(f *Fault) any { return &f.Endless }, "true or false"},
	"dripMs":     {func(f *Fault) any { return &f.DripMs }, "a whole number of milliseconds from 1 to 600000"},
}

func notAllowed(member string) error {
	return fmt.Errorf("%s must be %s", member, members[member].allowed)
}

// UnmarshalJSON is strict: a member that no fault has, or a value of another type, is an error that says what is
// allowed. Values are judged by Set, which knows the downstream.
func (f *Fault) UnmarshalJSON(text []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		return errors.New(`a fault must be a JSON object, like {"latencyMs": 800}`)
	}
	var parsed Fault
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		m, known := members[name]
		switch {
		case !known:
			all := strings.Join(slices.Sorted(maps.Keys(members)), ", ")
			wrong = append(wrong, fmt.Errorf("%.40q is no member of a fault: choose from %s", name, all))
		case bytes.Equal(given[name], []byte("null")) || json.Unmarshal(given[name], m.field(&parsed)) != nil:
			wrong = append(wrong, notAllowed(name))
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	*f = parsed
	return nil
}

// check says everything that is wrong with f for a downstream of kind k.
func (f Fault) check(k kind) error {
	var wrong []error
	for _, name := range f.outOfRange() {
		wrong = append(wrong, notAllowed(name))
	}
	if f.Garbage != "" && k.garbage(f.Garbage) == nil {
		wrong = append(wrong, fmt.Errorf("garbage of %s must be one of %s", k.name, strings.Join(GarbageNames(k.name), ", ")))
	}
	if f.LatencyMs != nil && f.P50Ms != 0 {
		wrong = append(wrong, errors.New("choose latencyMs, or p50Ms and p99Ms"))
	}
	if f.Garbage != "" && (f.Oversize || f.Endless) || f.Oversize && f.Endless {
		wrong = append(wrong, errors.New("choose one body: garbage, oversize or endless"))
	}
	return errors.Join(wrong...)
}

func (f Fault) outOfRange() (names []string) {
	for name, broken := range map[string]bool{
		"latencyMs":  f.LatencyMs != nil && !within(*f.LatencyMs, 0, mostMs),
		"p50Ms":      !within(f.P50Ms, 0, mostMs) || f.P50Ms > f.P99Ms,
		"p99Ms":      !within(f.P99Ms, 0, mostMs) || f.P50Ms == 0 && f.P99Ms != 0,
		"reset":      f.Reset != "" && f.Reset != ResetHeaders && f.Reset != ResetBody,
		"errorRate":  f.ErrorRate != nil && !(0 <= *f.ErrorRate && *f.ErrorRate <= 1),
		"status":     f.Status != 0 && !within(f.Status, 201, 599),
		"retryAfter": !printable(f.RetryAfter) || f.RetryAfter != "" && f.Status == 0 && f.ErrorRate == nil,
		"dripMs":     !within(f.DripMs, 0, mostMs),
	} {
		if broken {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func within(n, least, most int) bool { return least <= n && n <= most }

func printable(s string) bool {
	return len(s) <= 128 && !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
}
