package slo

import (
	"sync"
	"time"

	"example.com/bff/internal/page"
)

// slotLength is how finely the recent past is kept, slots how much of it: the longest window, and the slot under way.
const (
	slotLength = 10 * time.Second
	slots      = int(longestWindow/slotLength) + 1
)

// count is how many answers kept an objective and how many broke it.
type count struct{ good, bad uint64 }

func (c *count) add(v Verdict) {
	switch v {
	case Good:
		c.good++
	case Bad:
		c.bad++
	}
}

// counts has one count per objective.
type counts [NumObjectives]count

func (c *counts) plus(other *counts) {
	for i := range c {
		c[i].good += other[i].good
		c[i].bad += other[i].bad
	}
}

// Ledger counts what this instance did to each objective since it started, per client, and how fast of late. Its memory
// is fixed when it is made. Its methods may be called from any goroutine.
type Ledger struct {
	clients closedSet
	start   time.Time

	mu      sync.Mutex
	totals  []counts // by client, since start
	recent  []counts // by slot and client: a ring
	current int      // the slot under way, counted from the start and never wrapped
}

// NewLedger starts counting now. clients are BFF_CLIENTS; page.Other is always one more.
func NewLedger(clients []string) *Ledger {
	set := newClosedSet(clients)
	return &Ledger{
		clients: set,
		start:   time.Now(),
		totals:  make([]counts, len(set.names)),
		recent:  make([]counts, slots*len(set.names)),
	}
}

// Served enters one page or offer.
func (l *Ledger) Served(r *page.Record) {
	client := l.clients.number(r.Client)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance()
	recent := &l.slot(l.current)[client]
	for i := range Objectives {
		verdict := Objectives[i].Judge(r)
		l.totals[client][i].add(verdict)
		recent[i].add(verdict)
	}
}

// slot is the counts by client of the slot with that number since the start.
func (l *Ledger) slot(number int) []counts {
	width := len(l.clients.names)
	at := number % slots * width
	return l.recent[at : at+width]
}

// advance empties the slots that time has passed into since the last call.
func (l *Ledger) advance() {
	now := int(time.Since(l.start) / slotLength)
	for l.current = max(l.current, now-slots); l.current < now; {
		l.current++
		clear(l.slot(l.current))
	}
}

// standing is a copy of the totals, and of the sums over each window, by client.
func (l *Ledger) standing() (totals []counts, windows [numWindows][]counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance()
	sum := make([]counts, len(l.totals))
	slot := l.current
	for i, w := range burnWindows {
		// The slot under way is young: one more makes the window at least as long as it says.
		for oldest := l.current - int(w.length/slotLength); slot >= max(oldest, 0); slot-- {
			for client := range sum {
				sum[client].plus(&l.slot(slot)[client])
			}
		}
		windows[i] = append([]counts(nil), sum...)
	}
	return append([]counts(nil), l.totals...), windows
}
