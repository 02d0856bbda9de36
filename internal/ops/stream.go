package ops

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

const (
	every        = 500 * time.Millisecond // a frame
	maxWatchers  = 32                     // streams at once
	patience     = 5 * time.Second        // with a client that does not read
	pagesInFrame = 20                     // of each kind, after the first frame; what is kept beyond these comes with the next
)

// cursor is how far one stream has come.
type cursor struct {
	begun  bool
	pages  [numKinds]uint64
	events uint64
	slot   int
}

// stream sends a frame at once and then twice a second, until the client leaves, does not keep up, or o is closed.
func (o *Ops) stream(w http.ResponseWriter, r *http.Request) {
	if !o.enter() {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "this instance is ending, or too many look at it already", http.StatusServiceUnavailable)
		return
	}
	defer o.watchers.Add(-1)
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	send := func(message []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(patience))
		_, err := w.Write(message)
		return err == nil && control.Flush() == nil
	}
	var c cursor
	for send(o.message(&c)) {
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-o.closed:
			send([]byte("event: end\ndata: {}\n\n"))
			return
		}
	}
}

func (o *Ops) enter() bool {
	select {
	case <-o.closed:
		return false
	default:
	}
	if o.watchers.Add(1) > maxWatchers {
		o.watchers.Add(-1)
		return false
	}
	return true
}

// message is the next frame after c as a server-sent event.
func (o *Ops) message(c *cursor) []byte {
	var b bytes.Buffer
	b.WriteString("data: ")
	if err := json.NewEncoder(&b).Encode(o.frame(c)); err != nil { // ends with a newline, and has no other
		panic(err) // a frame holds nothing that JSON cannot
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func (o *Ops) frame(c *cursor) *frame {
	now := time.Now()
	f := &frame{
		At: now.UnixMilli(), State: o.options.State(), Admission: (*o.admission.Load())(), Objectives: o.report.now(),
		Overrides: append([]Override{}, (*o.overrides.Load())()...), Downstreams: o.downstreamsNow(), Pages: []pageTrace{}, Events: []eventLine{},
	}
	most := pagesInFrame
	if !c.begun {
		c.begun, most = true, keptPages
		f.Fixed = o.fixed()
	}
	o.addPast(f, c, now)
	for k := range o.pages {
		o.addPages(f, c, kind(k), most)
	}
	return f
}

func (o *Ops) addPast(f *frame, c *cursor, now time.Time) {
	o.mu.Lock()
	o.settle(now)
	minute, seconds := o.past.last(now, recent), o.past.last(now, lately)
	first := max(c.slot, o.past.current-slots+1)
	for n := first; n <= o.past.current; n++ {
		f.Timeline = append(f.Timeline, o.past.slots[n%slots].slot(n))
	}
	c.slot = o.past.current
	events, number, _ := o.events.since(c.events, keptEvents)
	c.events = o.events.total
	o.mu.Unlock()

	f.Recent, f.Lately = minute.counts(), seconds.counts()
	for i, e := range events {
		f.Events = append(f.Events, eventLine{number + uint64(i), e.at.UnixMilli(), e.subject, e.tone, e.text})
	}
}

func (o *Ops) addPages(f *frame, c *cursor, k kind, most int) {
	o.mu.Lock()
	pages, number, missed := o.pages[k].since(c.pages[k], most)
	o.mu.Unlock()

	c.pages[k] = number - 1 + uint64(len(pages))
	f.Missed += missed
	for i := range pages {
		f.Pages = append(f.Pages, newTrace(k, number+uint64(i), &pages[i]))
	}
}
