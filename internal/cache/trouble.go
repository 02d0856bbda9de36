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

// trouble tells the log about an unhealthy Redis, one line a minute at most, and one when all is well again.
type trouble struct {
	log    *slog.Logger
	secret string // never in a line

	mu      sync.Mutex
	failing [page.NumMemoryOps]bool
	since   time.Time // the first failure since all was well
	told    time.Time // the last line
	open    bool      // a line was told and not yet taken back
}

func (t *trouble) failed(op page.MemoryOp, err error) {
	now := time.Now()
	t.mu.Lock()
	if t.failing == [page.NumMemoryOps]bool{} {
		t.since = now
	}
	t.failing[op] = true
	since, tell := t.since, now.Sub(t.told) >= troubleEvery
	if tell {
		t.told, t.open = now, true
	}
	t.mu.Unlock()
	if tell {
		t.log.Warn("the remembered price: trouble with Redis",
			"op", op, "error", t.masked(err), "for", now.Sub(since).Round(time.Second))
	}
}

func (t *trouble) worked(op page.MemoryOp) {
	t.mu.Lock()
	t.failing[op] = false
	since, tell := t.since, t.open && t.failing == [page.NumMemoryOps]bool{}
	if tell {
		t.open = false
	}
	t.mu.Unlock()
	if tell {
		t.log.Info("the remembered price: Redis is back", "after", time.Since(since).Round(time.Second))
	}
}

func (t *trouble) masked(err error) string {
	s := err.Error()
	if t.secret != "" {
		s = strings.ReplaceAll(s, t.secret, "***")
	}
	return strings.ToValidUTF8(s[:min(len(s), maxTroubleBytes)], "")
}
