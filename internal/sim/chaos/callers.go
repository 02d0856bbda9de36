package chaos

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// mood is how callers behave beside asking for one thing after another: shares of them, 0 to 1.
type mood struct {
	leave, hurry, background float64
	distress                 bool // not theirs: this process's own
}

const distress = "the process is in distress"

// callers are the troubles that they make, and the one that this process can be in.
var callers = []lane{
	{func(dice *rand.Rand) Event {
		share := 0.3 + 0.7*dice.Float64()
		return moody(fmt.Sprintf("%.0f %% of the callers hang up", 100*share), func(m *mood, on bool) { m.leave = when(on, share) })
	}, 15 * time.Second},
	{func(dice *rand.Rand) Event {
		share := 0.3 + 0.7*dice.Float64()
		return moody(fmt.Sprintf("%.0f %% of the callers are in a hurry", 100*share), func(m *mood, on bool) { m.hurry = when(on, share) })
	}, 15 * time.Second},
	{func(dice *rand.Rand) Event {
		share := dice.Float64()
		return moody(fmt.Sprintf("%.0f %% of the callers are crawlers", 100*share), func(m *mood, on bool) { m.background = when(on, share) })
	}, 15 * time.Second},
	{func(*rand.Rand) Event {
		e := moody(distress, func(m *mood, on bool) { m.distress = on })
		e.crowds = true
		return e
	}, 10 * time.Second},
	{crowd("different pages", func(q *request, i int) { q.id = fmt.Sprintf("crowd-%d", i) }), time.Second},
	{crowd("times the same page", func(q *request, _ int) { q.id = "p-1001" }), time.Second},
	{crowd("offers", func(q *request, i int) { q.offer, q.id = true, fmt.Sprintf("cart-%d", i) }), time.Second},
	{crowd("crawlers", func(q *request, i int) { q.background, q.id = true, fmt.Sprintf("deep-%d", i) }), time.Second},
}

func when(on bool, share float64) float64 {
	if on {
		return share
	}
	return 0
}

func moody(what string, set func(m *mood, on bool)) Event {
	return Event{
		What:  what,
		begin: func(r *run) { r.change(func(m *mood) { set(m, true) }) },
		end:   func(r *run) { r.change(func(m *mood) { set(m, false) }) },
	}
}

// crowd is many at once, at the beginning.
func crowd(what string, each func(q *request, i int)) func(*rand.Rand) Event {
	return func(dice *rand.Rand) Event {
		n, seed := 10+dice.IntN(70), dice.Uint64()
		return Event{
			What: fmt.Sprintf("%d %s at once", n, what), crowds: true,
			begin: func(r *run) {
				own := rand.New(rand.NewPCG(seed, 1))
				for i := range n {
					q := r.draw(own)
					q.malformed = false
					each(&q, i)
					r.send(q)
				}
			},
			end: func(*run) {},
		}
	}
}
