package admission

import (
	"context"
	"runtime/metrics"
	"time"

	"example.com/bff/internal/page"
)

const (
	watchEvery = time.Second
	distress   = 20 * time.Millisecond // p99 scheduling latency over watchEvery
)

func (a *Admission) watch(ctx context.Context, latency func() time.Duration) {
	defer close(a.ended)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.adjust(latency())
		}
	}
}

// adjust moves the limit after one second: in distress down by three tenths, at the lowest to a tenth of the maximum;
// else up by a twentieth of the maximum; of both, a part of a place is a whole one. From all to a tenth takes 7 s, and back
// 18 s: a load that the process cannot carry is met again more slowly than it was let go.
func (a *Admission) adjust(latency time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if latency > distress {
		a.limit = max((a.max+9)/10, a.limit*7/10)
	} else {
		a.limit = min(a.max, a.limit+(a.max+19)/20)
	}
	for a.queue.length > maxQueue(a.limit) {
		a.queue.displace(page.NumPriorities)
	}
	a.serve()
}

// SchedulingLatency returns a func that tells, in steps of about a fifth and rounded down, how long the slowest hundredth
// of this process's goroutines waited at least, from being ready to running, since the func was last called. It is 0 when
// there were fewer than 100 samples (one in eight goroutine switches is one): that is no load to be in distress under. The
// func is for one goroutine.
func SchedulingLatency() func() time.Duration {
	sample := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(sample)
	before := append([]uint64(nil), sample[0].Value.Float64Histogram().Counts...)
	delta := make([]uint64, len(before))
	return func() time.Duration {
		metrics.Read(sample)
		h := sample[0].Value.Float64Histogram()
		for i, n := range h.Counts {
			delta[i] = n - before[i]
		}
		copy(before, h.Counts)
		return p99(delta, h.Buckets)
	}
}

// p99 is the lower bound, in seconds in bounds, of the bucket of counts that the 99th percentile lies in.
func p99(counts []uint64, bounds []float64) time.Duration {
	var total uint64
	for _, n := range counts {
		total += n
	}
	if total < 100 {
		return 0
	}
	above := uint64(0)
	for i := len(counts) - 1; i > 0; i-- {
		if above += counts[i]; above > total/100 {
			return time.Duration(bounds[i] * float64(time.Second))
		}
	}
	return 0
}
