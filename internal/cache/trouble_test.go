package cache

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bff/internal/page"
)

var (
	gets, sets = source{op: page.MemoryGet}, source{op: page.MemorySet}
	elsewhere  = source{new(lane), page.MemoryGet}
)

func loggedTrouble() (*trouble, *bytes.Buffer) {
	var log bytes.Buffer
	tr := newTrouble(slog.New(slog.NewTextHandler(&log, nil)), "hunter2")
	return &tr, &log
}

func TestTroubleIsTold(t *testing.T) {
	const tick = 100 * time.Millisecond
	broken := errors.New("broken")
	// outage is one of so many ticks; it works again where it is asked again.
	outage := func(ticks int, asked source, fail ...source) func(*trouble, int) {
		return func(tr *trouble, i int) {
			if i >= ticks {
				tr.worked(asked)
				return
			}
			for _, s := range fail {
				tr.failed(s, broken)
			}
		}
	}
	for _, c := range []struct {
		name       string
		run        func(tr *trouble, i int)
		warn, info int
		after      string // what the last line says of the outage
	}{
		{"all is well", func(tr *trouble, i int) { tr.worked(gets) }, 0, 0, ""},
		{"ten minutes of outage", func(tr *trouble, i int) { tr.failed(gets, broken); tr.failed(sets, broken) }, 10, 0, ""},
		{"reads fail, writes work", func(tr *trouble, i int) { tr.failed(gets, broken); tr.worked(sets) }, 10, 0, ""},
		{"one node of two fails", func(tr *trouble, i int) { tr.failed(elsewhere, broken); tr.worked(gets) }, 10, 0, ""},
		{"every second read fails", func(tr *trouble, i int) { tr.failed(gets, broken); tr.worked(gets) }, 10, 0, ""},
		{"a second of outage", outage(10, sets, sets), 1, 1, "after=1s"},
		{"a minute and a half of outage", outage(900, sets, sets), 2, 1, "after=1m30s"},
		{"nobody reads any more", outage(100, sets, sets, gets), 1, 1, "after=10s"},
		{"a node is gone for good", outage(100, sets, elsewhere), 1, 1, "after=10s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr, log := loggedTrouble()
				lines, last := 0, time.Now().Add(-time.Hour)
				for i := range int(10 * time.Minute / tick) {
					c.run(tr, i)
					if n := strings.Count(log.String(), "\n"); n > lines {
						if n > lines+1 || time.Since(last) < time.Minute {
							t.Errorf("more than one line a minute:\n%s", log)
						}
						lines, last = n, time.Now()
					}
					time.Sleep(tick)
				}
				warn, info := strings.Count(log.String(), "level=WARN"), strings.Count(log.String(), "level=INFO")
				if warn != c.warn || info != c.info {
					t.Errorf("%d lines of trouble and %d of return, want %d and %d:\n%s", warn, info, c.warn, c.info, log)
				}
				if !strings.HasSuffix(log.String(), c.after+"\n") && c.after != "" {
					t.Errorf("want %s:\n%s", c.after, log)
				}
			})
		})
	}
}

func TestTroubleIsMaskedAndShort(t *testing.T) {
	tr, log := loggedTrouble()
	tr.failed(gets, errors.New("AUTH hunter2\n"+strings.Repeat("ö", 5000)))
	line := log.String()
	if strings.Contains(line, "hunter2") || strings.Count(line, "\n") != 1 || len(line) > 2*maxTroubleBytes {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}
