package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
)

// lanesOf are what befalls these downstreams: faults of their own, and of the network to them.
func lanesOf(downstreams []string) (all []lane) {
	for _, name := range downstreams {
		all = append(all,
			lane{func(dice *rand.Rand) Event { return ofFake(dice, name) }, 15 * time.Second},
			lane{func(dice *rand.Rand) Event { return ofNetwork(dice, name) }, 5 * time.Second},
		)
	}
	return all
}

func ofFake(dice *rand.Rand, name string) Event {
	f := drawFault(dice, name)
	text, _ := json.Marshal(f) // of numbers and strings
	return Event{
		What: fmt.Sprintf("%s: %s", name, text), harms: name,
		begin: func(r *run) { r.w.Fault(name, f) },
		end:   func(r *run) { r.w.Heal(name) },
	}
}

// drawFault draws one fault of every kind that a fake has.
func drawFault(dice *rand.Rand, name string) (f fakes.Fault) {
	kinds := []func(){
		func() { f.LatencyMs = new(pick(dice, 0, 60, 90, 140, 180, 400, 2000)) },
		func() { f.P50Ms = 20 + dice.IntN(150); f.P99Ms = f.P50Ms * (2 + dice.IntN(8)) },
		func() { f.Status = 404 },
		func() { f.Status = pick(dice, 429, 500, 502, 503, 504, 302, 418); f.RetryAfter = drawRetryAfter(dice) },
		func() {
			f.ErrorRate = new(0.2 + 0.8*dice.Float64())
			f.Status = pick(dice, 500, 503)
			f.RetryAfter = drawRetryAfter(dice)
		},
		func() { f.Hang = true },
		func() { f.DripMs = 2 + dice.IntN(60) },
		func() { f.Reset = pick(dice, fakes.ResetHeaders, fakes.ResetBody) },
		func() { f.Garbage = drawGarbage(dice, name) },
		func() { f.Oversize = true },
		func() { f.Endless = true },
	}
	kinds[dice.IntN(len(kinds))]()
	if f.LatencyMs == nil && f.P50Ms == 0 && dice.IntN(3) == 0 {
		f.LatencyMs = new(dice.IntN(200))
	}
	return f
}

func drawRetryAfter(dice *rand.Rand) string {
	return pick(dice, "", "0", "1", "40", "-1", "soon", "Sat, 01 Jan 2000 00:00:30 GMT")
}

// drawGarbage leaves out the valid ones: they are answers of another product.
func drawGarbage(dice *rand.Rand, name string) string {
	for {
		if g := pick(dice, fakes.GarbageNames(name)...); !strings.HasPrefix(g, "valid-") {
			return g
		}
	}
}

func ofNetwork(dice *rand.Rand, name string) Event {
	addr := name + ":80"
	dials := func(what string, f pipenet.Fault) Event {
		return Event{
			What: "dials to " + name + " " + what, harms: name,
			begin: func(r *run) { r.w.Net.SetFault(addr, f); r.w.Net.Reset(addr) },
			end:   func(r *run) { r.w.Net.SetFault(addr, pipenet.Fault{}) },
		}
	}
	switch dice.IntN(5) {
	case 0:
		return dials("are refused", pipenet.Fault{Refuse: true})
	case 1:
		return dials("hang", pipenet.Fault{Hang: true})
	case 2:
		slow := time.Duration(1+dice.IntN(200)) * ms
		return dials(fmt.Sprintf("take %v", slow), pipenet.Fault{Latency: slow})
	case 3:
		return Event{
			What: "connections to " + name + " are reset", harms: name,
			begin: func(r *run) { r.w.Net.Reset(addr) },
			end:   func(r *run) { r.w.Net.Reset(addr) },
		}
	}
	return Event{
		What: name + " is down", harms: name,
		begin: func(r *run) { r.w.StopDownstream(name) },
		end:   func(r *run) { r.w.StartDownstream(name) },
	}
}
