package downstreams

import (
	"bytes"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"example.com/bff/internal/page"
)

// maxDepth bounds the nesting of what is passed on: the parsers of clients sit behind us.
const maxDepth = 1000

var errInvalid = errors.New("the answer is not what was agreed")

// member is one named member of an object: what it is called, and its value as written, nil when it is not there.
type member struct {
	name  string
	value []byte
}

// readObject checks that body is one JSON object in valid UTF-8 and nothing else, and fills in the members that are
// wanted. Their names are matched exactly; each may be there once. Other members are left alone, duplicates of theirs
// too. The object is returned as written, without white space around it; all that it fills in lies in body.
func readObject(body []byte, want []member) ([]byte, error) {
	if !utf8.Valid(body) || tooDeep(body) {
		return nil, errInvalid
	}
	// UTF-8 was checked above. The decoder would also refuse half a surrogate pair, written as an escape, which is
	// valid JSON and what becomes of an emoji that somebody has cut through.
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errInvalid
	}
	start := dec.InputOffset() - 1
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return nil, errInvalid
		}
		m := named(want, name)
		value, err := dec.ReadValue()
		if err != nil || m != nil && m.value != nil {
			return nil, errInvalid
		}
		if m != nil {
			end := dec.InputOffset()
			m.value = body[end-int64(len(value)) : end]
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, errInvalid
	}
	end := dec.InputOffset()
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errInvalid
	}
	return body[start:end], nil
}

// named finds the member whose name is quoted, in whatever way that is written.
func named(want []member, quoted []byte) *member {
	name := quoted[1 : len(quoted)-1]
	if len(want) > 0 && bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted)
	}
	for i := range want {
		if string(name) == want[i].name {
			return &want[i]
		}
	}
	return nil
}

// tooDeep tells whether the brackets outside strings nest deeper than maxDepth. It is exact for valid JSON.
func tooDeep(body []byte) bool {
	if bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) <= maxDepth {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// isString tells whether the member is there and a string.
func (m member) isString() bool { return len(m.value) > 0 && m.value[0] == '"' }

// text is the member's string; empty when it is none.
func (m member) text() string {
	if !m.isString() {
		return ""
	}
	inner := m.value[1 : len(m.value)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		inner, _ = jsontext.AppendUnquote(nil, m.value)
	}
	return string(inner)
}

// DecodeCatalog reads a product: an object with a string id and a name that is not empty. The whole of it is the value.
func DecodeCatalog(body []byte, _ time.Time) (page.Product, error) {
	want := [...]member{{name: "id"}, {name: "name"}}
	object, err := readObject(body, want[:])
	if err != nil || !want[0].isString() || !want[1].isString() || len(want[1].value) == len(`""`) {
		return nil, errInvalid
	}
	return bytes.Clone(object), nil
}

// DecodeReviews reads an object, whatever is in it.
func DecodeReviews(body []byte, _ time.Time) (page.ReviewSummary, error) {
	object, err := readObject(body, nil)
	return bytes.Clone(object), err
}

// DecodeRecommendations reads an object's items, an array, as it is written.
func DecodeRecommendations(body []byte, _ time.Time) (page.Items, error) {
	want := [...]member{{name: "items"}}
	if _, err := readObject(body, want[:]); err != nil || len(want[0].value) == 0 || want[0].value[0] != '[' {
		return nil, errInvalid
	}
	return bytes.Clone(want[0].value), nil
}
