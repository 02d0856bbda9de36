package accesslog

import (
	"log/slog"
	"strconv"
	"strings"
	"time"

	"example.com/bff/internal/page"
)

// maxText is the longest string that a line takes over, in bytes.
const maxText = 2048

func attributes(r *page.Record) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("outcome", r.Result.String()),
		slog.Int("status", r.Status),
		millis("duration_ms", r.Duration),
		millis("allowed_ms", r.Allowed),
		text("client", r.Client),
		text("market", r.Market),
		slog.String("priority", r.Priority.String()),
		text("request_id", r.RequestID),
	}
	optional := [...]struct {
		told bool
		attr slog.Attr
	}{
		{r.TraceID != "", text("trace_id", r.TraceID)},
		{r.ID != "", text("id", r.ID)},
		{r.Shortened, slog.Bool("shortened", true)},
		{r.Queued > 0, millis("queued_ms", r.Queued)},
		{r.Shed != page.NotShed, slog.String("shed", r.Shed.String())},
		{r.Defect != "", text("defect", r.Defect)},
		{r.Recall.Asked, group("memory", slog.String("result", r.Recall.Result.String()), millis("ms", r.Recall.Duration))},
	}
	for _, o := range optional {
		if o.told {
			attrs = append(attrs, o.attr)
		}
	}
	if r.HasNotes {
		attrs = append(attrs, group("sections", sections(&r.Notes)...))
	}
	return append(attrs, group("calls", calls(&r.Calls)...)) // slog leaves an empty group out
}

func sections(notes *[page.NumDependencies]page.Note) []slog.Attr {
	attrs := make([]slog.Attr, len(notes))
	for i, d := range page.Dependencies {
		note := []slog.Attr{slog.String("status", notes[i].Status.String())}
		if notes[i].Degrades() {
			note = append(note, slog.String("reason", notes[i].Reason.String()))
		}
		if notes[i].Status == page.StatusStale {
			note = append(note, slog.Int64("age_ms", notes[i].Age.Milliseconds()))
		}
		attrs[i] = group(d.Section(), note...)
	}
	return attrs
}

func calls(all *[page.NumDependencies]page.Call) []slog.Attr {
	var attrs []slog.Attr
	for i, d := range page.Dependencies {
		c := &all[i]
		if !c.Asked {
			continue
		}
		call := []slog.Attr{
			slog.String("outcome", c.Outcome.String()),
			millis("ms", c.Duration),
			slog.Int("attempts", len(c.Attempts)),
		}
		if len(c.Attempts) > 0 {
			call = append(call, slog.String("tried", tried(c.Attempts)))
		}
		if c.Queued > 0 {
			call = append(call, millis("queued_ms", c.Queued))
		}
		if c.Coalesced {
			call = append(call, slog.Bool("coalesced", true))
		}
		attrs = append(attrs, group(d.String(), call...))
	}
	return attrs
}

// tried tells the attempts in order, like "first timeout 150.012, retry ok 20.3"; one that still runs has no time.
func tried(attempts []page.Attempt) string {
	var b []byte
	for i, a := range attempts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, a.Kind.String()...)
		if a.Duration == 0 {
			b = append(b, " running"...)
			continue
		}
		b = append(b, ' ')
		b = append(b, a.Outcome.String()...)
		b = append(b, ' ')
		b = strconv.AppendFloat(b, inMillis(a.Duration), 'f', -1, 64)
	}
	return string(b)
}

func group(name string, attrs ...slog.Attr) slog.Attr {
	return slog.Attr{Key: name, Value: slog.GroupValue(attrs...)}
}

// millis has three decimals at most.
func millis(name string, d time.Duration) slog.Attr { return slog.Float64(name, inMillis(d)) }

func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// text bounds what was not written by us, and escapes it unless it is printable ASCII: handlers leave alone what some
// terminals and viewers take for a new line or a command (U+0085, U+009B, U+202E).
func text(name, s string) slog.Attr {
	s = s[:min(len(s), maxText)]
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || '~' < r }) {
		quoted := strconv.QuoteToASCII(s)
		s = quoted[1 : len(quoted)-1]
	}
	return slog.String(name, s)
}
