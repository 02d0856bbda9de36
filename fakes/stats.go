package fakes

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Stats is what one downstream has seen since the start, or since its counts were reset. A call ends in exactly one of
// Answered, Abandoned and Cut; until then it is in InFlight or Queued. One that a reset finds there is counted at its end.
type Stats struct {
	Calls        int               `json:"calls"`        // requests that came in
	InFlight     int               `json:"inFlight"`     // being worked on
	MostInFlight int               `json:"mostInFlight"` // the most at once
	Queued       int               `json:"queued"`       // waiting for a worker
	MostQueued   int               `json:"mostQueued"`   // the most at once
	Abandoned    int               `json:"abandoned"`    // dropped: the caller had left, or its deadline had passed
	Cut          int               `json:"cut"`          // reset, or cut off when the fault ended
	Refused      int               `json:"refused"`      // answered 503 because the queue was full
	Answered     map[int]int       `json:"answered"`     // by status, the refused ones too
	LastPath     string            `json:"lastPath"`     // of the last request, as it was escaped, shortened to 256 bytes
	LastHeaders  map[string]string `json:"lastHeaders"`  // and its headers with Host: 64 at most, values shortened likewise
}

const (
	mostHeaders = 64
	longestText = 256
)

// counts is what a downstream counts itself; its pool counts the rest.
type counts struct {
	mu        sync.Mutex
	calls     int
	abandoned int
	cut       int
	refused   int
	answered  map[int]int
	last      seen
}

// seen is a request as it came. Nobody changes its headers any more, and most are never looked at: no copy is made.
type seen struct {
	url    *url.URL
	host   string
	header http.Header
}

func (c *counts) arrived(r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.last = seen{r.URL, r.Host, r.Header}
}

func (c *counts) ended(e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e {
	case callerLeft, tooLate:
		c.abandoned++
	case cutOff:
		c.cut++
	case queueFull:
		c.refused++
		c.answer(http.StatusServiceUnavailable)
	default:
		c.answer(int(e))
	}
}

func (c *counts) answer(status int) {
	if c.answered == nil {
		c.answered = map[int]int{}
	}
	c.answered[status]++
}

func (d *downstream) stats() Stats {
	running, waiting := d.pool.gauges()
	d.counts.mu.Lock()
	defer d.counts.mu.Unlock()
	c := &d.counts
	s := Stats{
		Calls: c.calls, Abandoned: c.abandoned, Cut: c.cut, Refused: c.refused,
		InFlight: running.now, MostInFlight: running.most, Queued: waiting.now, MostQueued: waiting.most,
		Answered: map[int]int{}, LastHeaders: map[string]string{},
	}
	maps.Copy(s.Answered, c.answered)
	if c.last.url != nil {
		s.LastPath = shorten(c.last.url.EscapedPath())
		s.LastHeaders = c.last.headers()
	}
	return s
}

func (s seen) headers() map[string]string {
	names := slices.Sorted(maps.Keys(s.header))
	told := map[string]string{"Host": shorten(s.host)}
	for _, name := range names[:min(len(names), mostHeaders-1)] {
		told[name] = shorten(strings.Join(s.header[name], ", "))
	}
	return told
}

func shorten(s string) string { return s[:min(len(s), longestText)] }

func (d *downstream) resetStats() {
	d.pool.resetMost()
	c := &d.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls, c.abandoned, c.cut, c.refused, c.answered, c.last = 0, 0, 0, 0, nil, seen{}
}
