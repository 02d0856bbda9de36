package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// Violation is a promise that was broken.
type Violation struct{ Rule, Text string }

func (v Violation) String() string { return v.Rule + ": " + v.Text }

// Report is what came of a run.
type Report struct {
	Violations []Violation
	Requests   int
}

// Sabotage is how the rules themselves are tested: what is done to the service behind their back. The zero value is nothing.
type Sabotage struct {
	Env    []string                                      // instead of what the schedule says
	Deaf   bool                                          // what operators order does not reach it
	Answer func(now time.Duration, answer *world.Answer) // on its way to its caller; now is since the run's beginning
}

// run is one run under way.
type run struct {
	Schedule
	stage     *stage
	w         *world.World
	start     time.Time
	taps      map[string]*tap
	reference *reference
	sabotage  Sabotage
	redis     *Redis // nil: prices are remembered in the process
	pending   sync.WaitGroup

	// Of the goroutine that directs; sheds also of the audit.
	orders map[string]*order // that hold, by target
	sheds  []order           // of shedding that are over

	mu        sync.Mutex
	mood      mood
	etags     map[string]string
	exchanges []exchange
}

// Run lets the schedule happen. The goroutine that calls it is a bubble's first, and labelled with the seed under Label.
// redis is for schedules that want one, and may be nil.
func Run(t testing.TB, s Schedule, redis *Redis, sabotage Sabotage) Report {
	r := &run{
		Schedule: s, stage: &stage{TB: t}, start: time.Now(), taps: map[string]*tap{}, sabotage: sabotage, redis: redis,
		reference: newReference(), etags: map[string]string{}, orders: map[string]*order{},
	}
	env := append(sabotage.Env, s.config.env()...)
	if redis != nil {
		env = append(env, "BFF_REDIS_URL="+redis.URL)
	}
	r.w = world.Setup{
		Env: env, Fakes: fakes.Options{Seed: s.Seed}, Distress: r.distress,
		Wrap: func(name string, h http.Handler) http.Handler { return r.tap(name).before(h) },
	}.Start(r.stage)
	go r.direct()
	r.ask()
	r.pending.Wait()
	r.settle()
	r.audit()
	r.stage.end()
	r.lookForLeaks()
	return Report{r.stage.violations, len(r.exchanges)}
}

// calm is how long callers go on after the last trouble: until it must no longer be felt, and some time.
func (r *run) calm() time.Duration { return memory + 4*time.Second }

// direct begins and ends the events, in their order.
func (r *run) direct() {
	type cue struct {
		at time.Duration
		do func(*run)
	}
	var cues []cue
	for _, e := range r.Events {
		cues = append(cues, cue{e.From, e.begin}, cue{e.From + e.Long, e.end})
	}
	for len(cues) > 0 {
		next := 0
		for i := range cues {
			if cues[i].at < cues[next].at {
				next = i
			}
		}
		time.Sleep(cues[next].at - r.now())
		cues[next].do(r)
		cues = append(cues[:next], cues[next+1:]...)
	}
}

// ask is the usual callers, and once in a while somebody who reads the metrics.
func (r *run) ask() {
	dice := rand.New(rand.NewPCG(r.Seed, 0xca11))
	for i := 0; r.now() < r.trouble+r.calm(); i++ {
		r.send(r.draw(dice))
		if i%100 == 50 {
			r.glance()
		}
		time.Sleep(50*ms + upTo(dice, 250*ms))
	}
}

func (r *run) send(q request) {
	r.pending.Go(func() {
		x := q.ask(r.w)
		if r.sabotage.Answer != nil {
			r.sabotage.Answer(r.now(), &x.Answer)
		}
		r.judge(&x)
		r.mu.Lock()
		defer r.mu.Unlock()
		if tag := x.Header.Get("Etag"); tag != "" && !q.malformed {
			r.etags[q.variant()] = tag
		}
		x.Body, x.Product, x.Reviews, x.Recommendations = nil, nil, nil, nil // judged, and large
		r.exchanges = append(r.exchanges, x)
	})
}

// now is the time since the beginning.
func (r *run) now() time.Duration { return time.Since(r.start) }

func (r *run) change(set func(m *mood)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.mood)
}

func (r *run) moodNow() mood {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mood
}

// distress is the process's scheduling latency.
func (r *run) distress() time.Duration {
	if r.moodNow().distress {
		return 50 * ms
	}
	return 0
}

// variant is what a page depends on.
func (q request) variant() string { return q.id + "|" + q.market + "|" + q.language }

func (r *run) etag(q request) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.etags[q.variant()]
}

func (r *run) tap(name string) *tap {
	if r.taps[name] == nil {
		r.taps[name] = &tap{
			name: name, limit: r.config.atOnce(name), attempts: r.config.attempts(name), broken: r.stage.violate,
			calls: map[string]int{}, asked: map[string][]time.Time{},
		}
	}
	return r.taps[name]
}

// felt tells whether a trouble that harms the downstream is, or can still be, felt between two instants.
func (r *run) felt(downstream string, from, to time.Time) bool {
	return r.within(from, to, func(e Event) bool { return e.harms == downstream })
}

// crowded tells whether more is asked, or less let in, than usual.
func (r *run) crowded(from, to time.Time) bool {
	return r.within(from, to, func(e Event) bool { return e.crowds })
}

func (r *run) within(from, to time.Time, these func(Event) bool) bool {
	for _, e := range r.Events {
		if these(e) && e.overlaps(from.Sub(r.start)-memory, to.Sub(r.start)) {
			return true
		}
	}
	return false
}

// unprobed tells whether the downstream's breaker may still be open for want of probes: no page asks for anything while
// something critical is known to fail, and that time does not count.
func (r *run) unprobed(downstream string, at time.Time) bool {
	now := at.Sub(r.start)
	for _, e := range r.Events {
		ended := e.From + e.Long
		if e.harms != downstream || ended > now {
			continue
		}
		probed := now - ended
		for _, other := range r.Events {
			if other.harms != "" && other.harms != downstream && critical(other.harms) {
				probed -= max(0, min(now, other.From+other.Long+memory)-max(ended, other.From))
			}
		}
		if probed <= memory {
			return true
		}
	}
	return false
}

// stage is the testing.TB of one run: what would fail the test becomes a violation, so that a run can be repeated.
type stage struct {
	testing.TB
	cleanups []func()

	mu         sync.Mutex
	violations []Violation
}

// mostViolations are kept of a rule; what is broken once is usually broken again and again.
const mostViolations = 5

func (s *stage) violate(rule, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := 0
	for _, v := range s.violations {
		if v.Rule == rule {
			before++
		}
	}
	if before < mostViolations {
		s.violations = append(s.violations, Violation{rule, fmt.Sprintf(format, args...)})
	}
}

// Errorf implements testing.TB.
func (s *stage) Errorf(format string, args ...any) { s.violate("the world's own", format, args...) }

// Cleanup implements testing.TB.
func (s *stage) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

// end cleans up.
func (s *stage) end() {
	for len(s.cleanups) > 0 {
		last := len(s.cleanups) - 1
		f := s.cleanups[last]
		s.cleanups = s.cleanups[:last]
		f()
	}
}
