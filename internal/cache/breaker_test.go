package cache

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaker
		// allowed counts how many of 1000 reads in the next 10 s get through, with this fate.
		allowed := func(ok bool) int {
			n := 0
			for range 1000 {
				if b.allow() {
					n++
					b.report(ok)
				}
				time.Sleep(10 * time.Millisecond)
			}
			return n
		}
		if n := allowed(true); n != 1000 {
			t.Errorf("a healthy Redis got %d of 1000 reads", n)
		}
		if n := allowed(false); n < breakerFailures+9 || n > breakerFailures+10 {
			t.Errorf("a dead Redis got %d reads in 10 s, want %d, and then one a second", n, breakerFailures)
		}
		time.Sleep(coolDown)
		if n := allowed(true); n != 1000 {
			t.Errorf("a Redis that is back got %d of 1000 reads", n)
		}
	})
}

// Failures that are not in a row are no reason to stop asking.
func TestBreakerForgets(t *testing.T) {
	var b breaker
	for i := range 100 {
		if !b.allow() {
			t.Fatalf("closed after %d reads, each fifth good", i)
		}
		b.report(i%breakerFailures == 0)
	}
}

// One probe at a time: a hundred pages that come together do not all wait for a dead Redis.
func TestBreakerProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaker
		for range breakerFailures {
			b.report(false)
		}
		time.Sleep(coolDown)
		n := 0
		for range 100 {
			if b.allow() {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d probes at once", n)
		}
	})
}
