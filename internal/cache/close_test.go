package cache_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

func TestCloseFlushes(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	s := newStore(t, "redis://"+srv.Addr)
	const prices = 3000
	for i := range prices {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	if err := s.Close(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if n := srv.DBSize(t.Context()).Val(); n != prices {
		t.Errorf("%d of %d prices were written", n, prices)
	}
	s.Remember(key("late", ""), price("1", time.Now()))
	if n := s.counts.of(page.MemorySet, page.MemoryDropped); n != 1 {
		t.Errorf("%d dropped, want the one after Close", n)
	}
	wantResult(t, s, key("p-1", ""), page.MemoryDropped)
	if s.log.String() != "" {
		t.Errorf("logged %s", s.log.String())
	}
}

// Close ends with its context, and tells what it could not write, each once.
func TestCloseDoesNotWaitForADeadRedis(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	for name, reply := range map[string]redistest.Reply{"silent": redistest.Silent, "slow": redistest.Slow} {
		t.Run(name, func(t *testing.T) {
			p := redistest.StartProxy(t, srv.Addr)
			s := newStore(t, "redis://"+p.Addr)
			s.Remember(key("before", ""), price("1", time.Now()))
			settled(t, s, 1)
			p.Makes(reply)
			for i := range 3000 {
				s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
			}
			if err := s.Close(within(t, 50*time.Millisecond)); err == nil {
				t.Error("Close did not tell that it was cut short")
			}
			if n := s.counts.all(page.MemorySet); n != 3001 {
				t.Errorf("%d of 3001 prices were accounted for: %v", n, s.counts.n)
			}
			if n := s.counts.of(page.MemorySet, page.MemoryOK); n != 1 {
				t.Errorf("Close has waited for %d prices to be written", n-1)
			}
			if s.log.String() != "" {
				t.Errorf("what Close cut off was called trouble: %s", s.log.String())
			}
		})
	}
}

// Nor for as long as it could: a Redis that takes nothing is tried once more, with one batch.
func TestCloseTriesADeadRedisOnce(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	for name, dies := range map[string]func(*redistest.Proxy){
		"silent":   func(p *redistest.Proxy) { p.Makes(redistest.Silent) },
		"refusing": func(p *redistest.Proxy) { p.Refuse() },
	} {
		t.Run(name, func(t *testing.T) {
			p := redistest.StartProxy(t, srv.Addr)
			s := newStore(t, "redis://"+p.Addr)
			dies(p)
			const prices = 8000 // each batch would be tried for a second, and again for ten
			for i := range prices {
				s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
			}
			if err := s.Close(within(t, 8*time.Second)); err != nil {
				t.Error("Close has waited as long as it could")
			}
			if n := s.counts.of(page.MemorySet, page.MemoryDropped, page.MemoryTimeout, page.MemoryError); n != prices {
				t.Errorf("%d of %d prices were accounted for: %v", n, prices, s.counts.n)
			}
		})
	}
}
