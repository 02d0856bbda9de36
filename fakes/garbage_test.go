package fakes_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/bff/fakes"
)

// Each name of garbage is served, is not what was agreed unless it says so, and keeps the connection.
func TestGarbage(t *testing.T) {
	for _, downstream := range fakes.Names() {
		inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
			for _, name := range fakes.GarbageNames(downstream) {
				w.set(downstream, `{"garbage": "`+name+`", "latencyMs": 0}`)
				a := w.get("/" + downstream + "/p-1001")
				want := 200
				if name == "no-content" {
					want = 204
				}
				equal(t, downstream+" "+name, a.status, want)
				if strings.HasPrefix(name, "valid-") && !json.Valid([]byte(a.body)) {
					t.Errorf("%s of %s: %s", name, downstream, a.body)
				}
			}
		})
	}
	if len(fakes.GarbageNames("prize")) != 0 {
		t.Error("garbage of an unknown downstream")
	}
}

func TestWhatGarbageIs(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		good := w.get("/price/p-1001").body
		for name, right := range map[string]func(a answer) bool{
			"html": func(a answer) bool {
				return strings.HasPrefix(a.header.Get("Content-Type"), "text/html") && a.body[0] == '<'
			},
			"half": func(a answer) bool {
				return a.err == nil && strings.HasPrefix(good, a.body) && len(a.body) == len(good)/2
			},
			"two-documents": func(a answer) bool { return a.body == good+good },
			"null":          func(a answer) bool { return a.body == "null" },
			"empty":         func(a answer) bool { return a.status == 200 && a.body == "" },
			"no-content":    func(a answer) bool { return a.status == 204 && a.body == "" },
			"invalid-utf8":  func(a answer) bool { return json.Valid([]byte(a.body)) && !utf8.ValidString(a.body) },
			"deep": func(a answer) bool {
				return strings.Contains(a.body, strings.Repeat("[", 40_000)+strings.Repeat("]", 40_000)+"}")
			},
			"false-gzip":     func(a answer) bool { return errors.Is(a.err, gzip.ErrHeader) },
			"missing-amount": func(a answer) bool { return a.body == `{"currency":"EUR"}` },
		} {
			w.set("price", `{"garbage": "`+name+`"}`)
			if a := w.get("/price/p-1001"); !right(a) {
				t.Errorf("%s: %d %v %.200q %v", name, a.status, a.header, a.body, a.err)
			}
		}
	})
}

// The bomb is small on the wire, and 1 GiB of valid JSON for who unpacks all of it: a gzip member of 1 MiB, 1024 times.
func TestBomb(t *testing.T) {
	inBubble(t, fakes.Options{}, func(t *testing.T, w world) {
		w.set("price", `{"garbage": "bomb"}`)
		w.client.Transport.(*http.Transport).DisableCompression = true
		a := w.get("/price/p-1001")
		equal(t, "Content-Encoding", a.header.Get("Content-Encoding"), "gzip")

		const magic = "\x1f\x8b\x08"
		members := strings.Split(a.body, magic)[1:]
		equal(t, "members", len(members), 1026)
		for i := range members {
			members[i] = magic + members[i]
			if 1 < i && i < 1025 {
				equal(t, "every one like the first", members[i] == members[1], true)
			}
		}
		equal(t, "the beginning", unpack(t, members[0]), `{"amount":"129.90","currency":"EUR","taxRate":"0.19","more":"`)
		equal(t, "the middle", unpack(t, members[1]) == strings.Repeat("a", 1<<20), true)
		equal(t, "the end", unpack(t, members[1025]), `"}`)
	})
}

func unpack(t *testing.T, packed string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
