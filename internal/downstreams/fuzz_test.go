package downstreams_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"
	"unicode/utf8"

	"example.com/bff/internal/downstreams"
	"example.com/bff/internal/page"
)

// seed starts a fuzz target with the bodies that the table of decoders knows.
func seed(f *testing.F, d page.Dependency) {
	for _, b := range bodies[d] {
		f.Add([]byte(b[0]))
	}
}

// unchanged checks what every accepted body must be: valid by the standard library's own judgement, and passed on as
// it came.
func unchanged(t *testing.T, body, passedOn []byte) {
	t.Helper()
	if !utf8.Valid(body) || !json.Valid(body) {
		t.Errorf("accepted %q", body)
	}
	if !json.Valid(passedOn) || !bytes.Contains(body, passedOn) || !bytes.Equal(passedOn, bytes.Trim(passedOn, " \t\r\n")) {
		t.Errorf("passed %q on as %q", body, passedOn)
	}
}

// object reads body as the standard library does, which takes the last of several members.
func object(t *testing.T, body []byte) map[string]json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		t.Errorf("%q is no object: %v", body, err)
	}
	return members
}

func FuzzDecodeCatalog(f *testing.F) {
	seed(f, page.Catalog)
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := downstreams.DecodeCatalog(body, asked)
		if err != nil {
			return
		}
		unchanged(t, body, v)
		var id, name *string
		members := object(t, v)
		if json.Unmarshal(members["id"], &id) != nil || json.Unmarshal(members["name"], &name) != nil ||
			id == nil || name == nil || *name == "" {
			t.Errorf("accepted %q", body)
		}
	})
}

var exactAmount = regexp.MustCompile(`^(0|[1-9]\d{0,14})(\.\d{1,6})?$`)

func FuzzDecodePrice(f *testing.F) {
	seed(f, page.Price)
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := downstreams.DecodePrice(body, asked); err != nil {
			return
		}
		unchanged(t, body, bytes.Trim(body, " \t\r\n"))
		members := object(t, body)
		amount := string(members["amount"])
		var text string
		if json.Unmarshal(members["amount"], &text) == nil {
			amount = text
		}
		var currency string
		if err := json.Unmarshal(members["currency"], &currency); err != nil || len(currency) != 3 || !exactAmount.MatchString(amount) {
			t.Errorf("accepted %q", body)
		}
		if got := decoders[page.Price](string(body)); got != `{"amount":"`+amount+`","currency":"`+currency+`","asOf":"2026-11-29T10:00:00.123Z"}` {
			t.Errorf("%q was read as %s", body, got)
		}
	})
}

func FuzzDecodeStock(f *testing.F) {
	seed(f, page.Stock)
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := downstreams.DecodeStock(body, asked); err != nil {
			return
		}
		unchanged(t, body, bytes.Trim(body, " \t\r\n"))
		var stock struct {
			Available *bool
			Quantity  *uint64
		}
		members := object(t, body)
		exact, _ := json.Marshal(map[string]json.RawMessage{"available": members["available"]})
		if q, ok := members["quantity"]; ok {
			exact, _ = json.Marshal(map[string]json.RawMessage{"available": members["available"], "quantity": q})
		}
		if err := json.Unmarshal(exact, &stock); err != nil || stock.Available == nil || (stock.Quantity != nil && *stock.Quantity > 1<<63-1) {
			t.Errorf("accepted %q: %v", body, err)
		}
	})
}

func FuzzDecodeReviews(f *testing.F) {
	seed(f, page.Reviews)
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := downstreams.DecodeReviews(body, asked)
		if valid := utf8.Valid(body) && json.Valid(body) && bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")); valid != (err == nil) {
			t.Errorf("%q: %v", body, err) // nothing else is asked of them (a fuzzer's input nests less than the limit)
		}
		if err == nil {
			unchanged(t, body, v)
		}
	})
}

func FuzzDecodeRecommendations(f *testing.F) {
	seed(f, page.Recommendations)
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := downstreams.DecodeRecommendations(body, asked)
		if err != nil {
			return
		}
		unchanged(t, body, v)
		var items []json.RawMessage
		if json.Unmarshal(v, &items) != nil || !bytes.Equal(object(t, body)["items"], v) {
			t.Errorf("%q was read as %q", body, v)
		}
	})
}
