package override

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/bff/internal/page"
)

const (
	shortest  = time.Second
	longest   = 24 * time.Hour
	maxReason = 200 // characters
)

// What the body of a PUT may be, as it is told to whoever got it wrong.
const (
	common       = `"for": a time from 1s to 24h, as in 10m; "reason": 1 to 200 printable characters`
	ofDownstream = `A downstream's override has "mode": open or no-retry; ` + common
	ofShedding   = `Shedding has "percent": 1 to 100; "priority": background, default or critical, those below it being shed alike; ` + common
)

// read makes an order of a PUT's body, or says what is wrong with it and what is allowed.
func read(t target, body io.Reader) (*order, error) {
	form, readForm := ofDownstream, readDownstream
	if t == shed {
		form, readForm = ofShedding, readShedding
	}
	o, err := readForm(body)
	if err != nil {
		return nil, fmt.Errorf("%w. %s", err, form)
	}
	return o, nil
}

func readDownstream(body io.Reader) (*order, error) {
	var wish struct {
		Mode   string `json:"mode"`
		For    string `json:"for"`
		Reason string `json:"reason"`
	}
	if err := decode(body, &wish); err != nil {
		return nil, err
	}
	mode, err := word("mode", wish.Mode, page.OverrideOpen, page.OverrideNoRetry)
	if err != nil {
		return nil, err
	}
	return (&order{mode: mode}).because(wish.For, wish.Reason)
}

func readShedding(body io.Reader) (*order, error) {
	var wish struct {
		Percent  int    `json:"percent"`
		Priority string `json:"priority"`
		For      string `json:"for"`
		Reason   string `json:"reason"`
	}
	if err := decode(body, &wish); err != nil {
		return nil, err
	}
	if wish.Percent < 1 || wish.Percent > 100 {
		return nil, notAllowed("percent")
	}
	priority, err := word("priority", wish.Priority, page.Background, page.Default, page.Critical)
	if err != nil {
		return nil, err
	}
	return (&order{percent: uint64(wish.Percent), priority: priority}).because(wish.For, wish.Reason)
}

// because completes o with its end and its reason.
func (o *order) because(length, reason string) (*order, error) {
	var err error
	if o.length, err = time.ParseDuration(length); err != nil || o.length < shortest || o.length > longest {
		return nil, notAllowed("for")
	}
	o.reason = strings.TrimSpace(reason)
	if o.reason == "" || utf8.RuneCountInString(o.reason) > maxReason || strings.ContainsFunc(o.reason, unprintable) {
		return nil, notAllowed("reason")
	}
	return o, nil
}

func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// word finds the one of all that s names.
func word[T fmt.Stringer](member, s string, all ...T) (T, error) {
	for _, w := range all {
		if w.String() == s {
			return w, nil
		}
	}
	return *new(T), notAllowed(member)
}

func notAllowed(member string) error { return fmt.Errorf("%q is missing or not allowed", member) }

// decode takes one JSON object of the members that v has, each once and spelt so, and nothing else.
func decode(body io.Reader, v any) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("the body cannot be read (%w)", err)
	}
	if err := distinct(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return notAllowed(wrong.Field)
		}
		return fmt.Errorf("the body is not one JSON object of these members (%w)", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the body is not one JSON object alone")
	}
	return nil
}

// distinct refuses what the decoder would take: "Mode" for "mode", a long s for an s, and the last of two.
func distinct(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	seen := map[string]bool{}
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return nil // the decoder will tell
		}
		switch name, isText := token.(string); {
		case token == json.Delim('{'), token == json.Delim('['):
			depth++
		case token == json.Delim('}'), token == json.Delim(']'):
			depth--
		case isText && depth == 1:
			if seen[name] || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
				return fmt.Errorf("%q is told twice, or not spelt so", name)
			}
			seen[name] = true
			_, _ = d.Token() // its value
		}
	}
}
