package cache_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// Close writes all there is, also to a Redis that stands still for a moment in the middle of an answer.
func TestCloseFlushes(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	s.Remember(key("first", ""), price("1", time.Now())) // Redis has the script from now on
	settled(t, s, 1)
	var answers atomic.Int64
	p.Makes(func(client net.Conn, chunk []byte) error {
		if answers.Add(1) == 4 {
			chunk = chunk[:len(chunk)/2]
		}
		return redistest.Pass(client, chunk)
	})
	const prices = 3000
	for i := range prices - 1 {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	if err := s.Close(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if n := s.counts.of(page.MemorySet, page.MemoryOK); n != prices || srv.DBSize(t.Context()).Val() != prices {
		t.Errorf("%d of %d prices were written: %v", n, prices, s.counts.n)
	}
	s.Remember(key("late", ""), price("1", time.Now()))
	if n := s.counts.of(page.MemorySet, page.MemoryDropped); n != 1 {
		t.Errorf("%d dropped, want the one after Close", n)
	}
	wantResult(t, s, key("p-1", ""), page.MemoryDropped)
}

// Close ends with its context, and tells what it could not write, each once.
func TestCloseDoesNotWaitForADeadRedis(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	s.Remember(key("before", ""), price("1", time.Now()))
	settled(t, s, 1)
	p.Makes(redistest.Silent)
	const prices = 600
	for i := range prices {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	if err := s.Close(within(t, 50*time.Millisecond)); err == nil {
		t.Error("Close did not tell that it was cut short")
	}
	if n := s.counts.all(page.MemorySet); n != prices+1 {
		t.Errorf("%d of %d prices were accounted for: %v", n, prices+1, s.counts.n)
	}
	if n := s.counts.of(page.MemorySet, page.MemoryOK); n != 1 {
		t.Errorf("%d prices were written to a silent Redis", n-1)
	}
	if log := s.log.String(); strings.Contains(log, "closed") {
		t.Errorf("what Close cut off was called trouble: %s", log)
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

func TestCloseThatLosesNothingHasNoError(t *testing.T) {
	s := newStore(t, "redis://127.0.0.1:1")
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Close(ended); err != nil {
		t.Errorf("nothing waited, and yet: %v", err)
	}
}
