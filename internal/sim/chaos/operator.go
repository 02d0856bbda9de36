package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// operators are the levers that somebody pulls at night.
var operators = []lane{
	{func(dice *rand.Rand) Event {
		name := pick(dice, fakes.Names()...)
		e := command{target: name, mode: "open"}.event()
		e.harms = name
		return e
	}, 10 * time.Second},
	{func(dice *rand.Rand) Event {
		return command{target: pick(dice, fakes.Names()...), mode: "no-retry"}.event()
	}, 10 * time.Second},
	{func(dice *rand.Rand) Event {
		c := command{target: "shed", percent: 1 + dice.IntN(100), priority: pick(dice, priorities...)}
		e := c.event()
		e.crowds = true
		return e
	}, 10 * time.Second},
}

// priorities are from the lowest to the highest.
var priorities = []string{"background", "default", "critical"}

// command is what an operator orders.
type command struct {
	target, mode string // of a downstream
	percent      int    // of requests to shed
	priority     string // theirs, at most
}

func (c command) String() string {
	if c.target == "shed" {
		return fmt.Sprintf(`"percent":%d,"priority":%q`, c.percent, c.priority)
	}
	return fmt.Sprintf(`"mode":%q`, c.mode)
}

func (c command) event() Event {
	return Event{
		What: fmt.Sprintf("an operator orders %s: %v", c.target, c),
		begin: func(r *run) {
			r.pull(http.MethodPut, c.target, fmt.Sprintf(`{%v,"for":"1h","reason":"chaos"}`, c))
			r.obeyed(c.target)
			r.orders[c.target] = r.newOrder(c)
		},
		end: func(r *run) {
			r.obeyed(c.target)
			r.pull(http.MethodDelete, c.target, "")
		},
	}
}

func (r *run) pull(method, target, body string) {
	if r.sabotage.Deaf {
		return
	}
	req, err := http.NewRequest(method, "http://"+world.Admin+"/override/"+target, strings.NewReader(body))
	if err != nil {
		panic(err) // it is made of constants
	}
	resp, err := r.w.Client.Do(req)
	if err != nil {
		r.stage.violate("the world's own", "%s %s: %v", method, target, err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		r.stage.violate("the world's own", "%s %s: %d", method, target, resp.StatusCode)
	}
}

// order is a command while it holds.
type order struct {
	command
	from, to time.Time // to is zero until it is over

	// What was made in spite of it before it could hold.
	noted  bool
	before float64
}

// underWay is how long an attempt that began before an order can still be: the longest timeout, and some.
const underWay = 250 * ms

func (r *run) newOrder(c command) *order {
	o := &order{command: c, from: time.Now()}
	if c.target != "shed" {
		time.AfterFunc(underWay, func() {
			before := r.inSpiteOf(c)
			r.mu.Lock()
			defer r.mu.Unlock()
			o.noted, o.before = true, before
		})
	}
	return o
}

// obeyed ends the order that holds for the target, if one does, and checks that a downstream's was obeyed.
func (r *run) obeyed(target string) {
	o := r.orders[target]
	if o == nil {
		return
	}
	delete(r.orders, target)
	o.to = time.Now()
	if target == "shed" {
		r.sheds = append(r.sheds, *o)
		return
	}
	r.mu.Lock()
	noted, before := o.noted, o.before
	r.mu.Unlock()
	if !noted {
		return
	}
	if now := r.inSpiteOf(o.command); now > before {
		r.stage.violate("what an operator orders is done", "%s: %v: %v attempts nevertheless", target, o.command, now-before)
	}
}

// inSpiteOf is how many attempts there have been, of those that a downstream's order forbids.
func (r *run) inSpiteOf(c command) float64 {
	if c.mode == "open" {
		return float64(r.taps[c.target].seen())
	}
	return again(r.w.Scrape(), c.target)
}

// auditSheds compares what was shed on order with what was ordered: so much of a hundred in a row, and no more than three
// off in fewer.
func (r *run) auditSheds(m world.Metrics) {
	for p, name := range priorities {
		expected, off := 0.0, 0.0
		for _, o := range r.sheds {
			if o.priority == name || p == 0 || p == 1 && o.priority == "critical" {
				n, perhaps := r.admissible(name, o.from, o.to)
				expected += n * float64(o.percent) / 100
				off += 3 + perhaps
			}
		}
		counted := m.Sum("bff_shed_total", `reason="override"`, `priority="`+name+`"`)
		if counted < expected-off || counted > expected+off {
			r.stage.violate("what an operator orders is done", "shed of %s: %v counted, about %v were ordered", name, counted, expected)
		}
	}
}

// admissible is how many requests of a priority reached admission meanwhile; of some more it cannot be told.
func (r *run) admissible(priority string, from, to time.Time) (n, perhaps float64) {
	for i := range r.exchanges {
		x := &r.exchanges[i]
		if x.priority() != priority || x.malformed || x.Status == http.StatusTooManyRequests || x.start.Before(from) || x.start.After(to) {
			continue
		}
		switch least := x.limit() - queueAge; {
		case least < 0:
		case least < ms && x.allows > 0, x.start.Equal(from), x.start.Equal(to): // told in whole milliseconds
			perhaps++
		default:
			n++
		}
	}
	return n, perhaps
}

func (q request) priority() string {
	switch {
	case q.background:
		return "background"
	case q.offer:
		return "critical"
	}
	return "default"
}
