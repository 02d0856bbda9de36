package sim

import (
	"slices"
	"sync"
	"time"
)

const ms = time.Millisecond

// steady calls do at each interval for so long, whether or not the calls before have returned, and returns when all
// have.
func steady(interval, long time.Duration, do func(i int)) {
	var all sync.WaitGroup
	start := time.Now()
	for i := range int(long / interval) {
		time.Sleep(time.Until(start.Add(time.Duration(i) * interval)))
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// tally is how calls ended, and how long they took.
type tally struct {
	mu       sync.Mutex
	took     []time.Duration
	outcomes map[string]int
}

func (t *tally) add(outcome string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.outcomes == nil {
		t.outcomes = map[string]int{}
	}
	t.outcomes[outcome]++
	t.took = append(t.took, took)
}

// percentile is the smallest time that so many per cent of the calls did not exceed. There must have been one.
func (t *tally) percentile(p int) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.Sort(t.took)
	return t.took[max(0, (len(t.took)*p+99)/100-1)]
}

func (t *tally) total() int { return len(t.took) }

// share is how many of the calls had one of these outcomes, 0 to 1.
func (t *tally) share(outcomes ...string) float64 {
	n := 0
	for _, o := range outcomes {
		n += t.outcomes[o]
	}
	return float64(n) / float64(t.total())
}

// perSecond counts events by the second in which they happen.
type perSecond struct {
	start time.Time
	mu    sync.Mutex
	n     []int
}

func newPerSecond() *perSecond { return &perSecond{start: time.Now()} }

func (p *perSecond) add() { p.addAt(time.Now()) }

func (p *perSecond) addAt(at time.Time) {
	second := int(at.Sub(p.start) / time.Second)
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.n) <= second {
		p.n = append(p.n, 0)
	}
	p.n[second]++
}

// at is the count of one second since the start.
func (p *perSecond) at(second int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if second >= len(p.n) {
		return 0
	}
	return p.n[second]
}

// most is the largest count of a second in [from, to).
func (p *perSecond) most(from, to int) (most int) {
	for s := from; s < to; s++ {
		most = max(most, p.at(s))
	}
	return most
}

// mean is the average count of the seconds in [from, to).
func (p *perSecond) mean(from, to int) float64 {
	sum := 0
	for s := from; s < to; s++ {
		sum += p.at(s)
	}
	return float64(sum) / float64(to-from)
}
