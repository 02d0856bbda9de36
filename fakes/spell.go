package fakes

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// spell is the time during which a fault, or none, holds.
type spell struct {
	Fault
	over context.Context // ends with the spell
	end  context.CancelFunc

	mu   sync.Mutex
	dice *rand.Rand // thrown in the order in which requests come: the same order, the same fates
}

// fate is what a spell has drawn for one request.
type fate struct {
	*spell
	latency time.Duration
	fails   bool
}

func newSpell(f Fault, seed, salt uint64) *spell {
	s := &spell{Fault: f, dice: rand.New(rand.NewPCG(seed, salt))}
	s.over, s.end = context.WithCancel(context.Background())
	return s
}

func (s *spell) draw(usual time.Duration) fate {
	drawn := fate{spell: s, latency: usual}
	switch {
	case s.LatencyMs != nil:
		drawn.latency = time.Duration(*s.LatencyMs) * time.Millisecond
	case s.P50Ms > 0:
		drawn.latency = s.logNormal()
	}
	switch {
	case s.ErrorRate != nil:
		drawn.fails = s.throw() < *s.ErrorRate
	case s.Status != 0:
		drawn.fails = true
	}
	return drawn
}

func (s *spell) throw() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dice.Float64()
}

// z99 is how many standard deviations the 99th percentile of a normal distribution lies above its median.
const z99 = 2.3263478740408408

func (s *spell) logNormal() time.Duration {
	s.mu.Lock()
	z := s.dice.NormFloat64()
	s.mu.Unlock()
	sigma := math.Log(float64(s.P99Ms)/float64(s.P50Ms)) / z99
	ms := min(float64(s.P50Ms)*math.Exp(sigma*z), mostMs)
	return time.Duration(ms * float64(time.Millisecond))
}

// hang lasts until the caller leaves, whatever deadline it told, or until the spell is over: then the request is
// dropped, as by a restart of what hung.
func (s *spell) hang(r *http.Request) ending {
	select {
	case <-r.Context().Done():
		return callerLeft
	case <-s.over.Done():
		return cutOff
	}
}
