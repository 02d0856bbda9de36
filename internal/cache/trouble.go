package cache

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"example.com/bff/internal/page"
)

const (
	troubleEvery    = time.Minute
	maxTroubleBytes = 300 // of an error's text, some of which the server writes
)

// trouble tells the log about an unhealthy Redis, and when all is well again. Both together are one line a minute at
// most, so that the return from a short outage is told a minute after the outage was.
type trouble struct {
	log    *slog.Logger
	secret string // never in a line

	mu      sync.Mutex
	failing map[source]time.Time // the last failure of what has not worked since
	since   time.Time            // the first failure since all was well
	until   time.Time            // and when all was well again
	told    time.Time            // the last line
	open    bool                 // a line was told and not yet taken back
}

// source is what goes well or does not.
type source struct {
	lane *lane
	op   page.MemoryOp
}

func newTrouble(log *slog.Logger, secret string) trouble {
	return trouble{log: log, secret: secret, failing: map[source]time.Time{}}
}

func (t *trouble) failed(s source, err error) {
	now := time.Now()
	t.mu.Lock()
	if len(t.failing) == 0 {
		t.since = now
	}
	t.failing[s] = now
	since, tell := t.since, now.Sub(t.told) >= troubleEvery
	if tell {
		t.told, t.open = now, true
	}
	t.mu.Unlock()
	if tell {
		t.log.Warn("the remembered price: trouble with Redis",
			"op", s.op.String(), "error", t.masked(err), "for", seconds(now.Sub(since)))
	}
}

func (t *trouble) worked(s source) {
	now := time.Now()
	t.mu.Lock()
	for failing, last := range t.failing {
		switch {
		case failing == s:
			t.until = now
		case now.Sub(last) < troubleEvery:
			continue
		case last.After(t.until): // nobody asks it any more: pages are healthy, or a node of a Cluster is gone
			t.until = last
		}
		delete(t.failing, failing)
	}
	outage := t.until.Sub(t.since)
	tell := t.open && len(t.failing) == 0 && now.Sub(t.told) >= troubleEvery
	if tell {
		t.told, t.open = now, false
	}
	t.mu.Unlock()
	if tell {
		t.log.Info("the remembered price: Redis is back", "after", seconds(outage))
	}
}

func seconds(d time.Duration) string { return d.Round(time.Second).String() }

func (t *trouble) masked(err error) string {
	s := err.Error()
	if t.secret != "" {
		s = strings.ReplaceAll(s, t.secret, "***")
	}
	return strings.ToValidUTF8(s[:min(len(s), maxTroubleBytes)], "")
}
