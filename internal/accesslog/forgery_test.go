package accesslog_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/bff/internal/accesslog"
	"example.com/bff/internal/page"
)

var hostile = []string{
	"a\nlevel=ERROR msg=forged", "a\r\n{\"level\":\"ERROR\"}", `","level":"ERROR","x":"`, `a" outcome=full b="`, `a\" level=ERROR`,
	"\x00\x07\x1b[2J\x7f", "\u0085forged", "\u009b2J", "\u2028forged\u2029", "\u202eforged", "\xff\xfe\n", strings.Repeat("\n", 1<<20),
}

// spoiled is a degraded page with the text in every string that a record has.
func spoiled(text string) *page.Record {
	r := degraded()
	for _, field := range reflect.ValueOf(r).Elem().Fields() {
		if field.Kind() == reflect.String {
			field.SetString(text)
		}
	}
	return r
}

// written is the one line that the record makes, and must be one: printable ASCII, and bounded.
func written(t *testing.T, handler func(io.Writer) slog.Handler, r *page.Record) string {
	t.Helper()
	var out bytes.Buffer
	accesslog.New(slog.New(handler(&out)), 1).Served(r)
	line, ended := strings.CutSuffix(out.String(), "\n")
	if !ended || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || '~' < r }) {
		t.Errorf("not one line of printable text: %.300q", line)
	}
	if len(line) > 64<<10 {
		t.Errorf("a line of %d bytes", len(line))
	}
	return line
}

func TestNoInputForgesALineOfJSON(t *testing.T) {
	for _, text := range hostile {
		line := written(t, func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) }, spoiled(text))
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields["level"] != "WARN" || fields["outcome"] != "degraded" {
			t.Errorf("%.40q forged %v (%v)", text, fields, err)
		}
	}
}

func TestNoInputForgesALineOfText(t *testing.T) {
	handler := func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) }
	honest := logfmt(t, written(t, handler, spoiled("honest")))
	for _, text := range hostile {
		got := logfmt(t, written(t, handler, spoiled(text)))
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(honest))) || got["level"] != "WARN" || got["outcome"] != "degraded" {
			t.Errorf("%.40q forged %v", text, got)
		}
	}
}

// logfmt reads key=value pairs, of which a value may be quoted as in Go, and no key may come twice.
func logfmt(t *testing.T, line string) map[string]string {
	t.Helper()
	fields := make(map[string]string)
	for line != "" {
		key, rest, _ := strings.Cut(line, "=")
		value, _, _ := strings.Cut(rest, " ")
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			value = quoted
		}
		if _, twice := fields[key]; twice {
			t.Fatalf("%s comes twice", key)
		}
		fields[key] = value
		line = strings.TrimPrefix(rest[len(value):], " ")
	}
	return fields
}
