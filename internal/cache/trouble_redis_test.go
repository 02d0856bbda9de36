package cache_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/internal/cache"
	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// Whatever Redis does wrong: pages get a result that is none, soon without asking; writers never wait; and when Redis
// is well, so is the memory, with what was set meanwhile.
func TestTroubleAndReturn(t *testing.T) {
	type trouble struct {
		name        string
		begin, heal func(*testing.T, *redistest.Proxy)
	}
	reply := func(name string, f redistest.Reply) trouble {
		return trouble{name, func(_ *testing.T, p *redistest.Proxy) { p.Makes(f) }, func(_ *testing.T, p *redistest.Proxy) { p.Makes(redistest.Pass) }}
	}
	for _, c := range []trouble{
		reply("silent", redistest.Silent),
		reply("slow", redistest.Slow),
		reply("broken mid-reply", redistest.Cut),
		reply("not Redis", redistest.Garble),
		{"refusing", func(_ *testing.T, p *redistest.Proxy) { p.Refuse() }, func(t *testing.T, p *redistest.Proxy) { p.Accept(t) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := redistest.Start(t)
			if srv == nil {
				return
			}
			p := redistest.StartProxy(t, srv.Addr)
			s := newStore(t, "redis://"+p.Addr)
			before, meanwhile := key("before", ""), key("meanwhile", "")
			known := price("1", time.Now())
			s.Remember(before, known)
			settled(t, s, 1)
			wantHit(t, s, before, known)

			c.begin(t, p)
			s.Remember(meanwhile, price("2", time.Now()))
			wantBreakerOpens(t, s, p, before)
			c.heal(t, p)
			redistest.Eventually(t, "the memory is back", hits(t, s, before))
			redistest.Eventually(t, "what was set meanwhile is written", hits(t, s, meanwhile))
			if n := s.log.count("WARN"); n != 1 || strings.Count(s.log.String(), "\n") != 1 {
				t.Errorf("want one line in this minute:\n%s", s.log.String())
			}
			settled(t, s, 2)
		})
	}
}

// wantBreakerOpens reads until the breaker says no, and sees that then Redis is left alone but for probes.
func wantBreakerOpens(t *testing.T, s *store, p *redistest.Proxy, k cache.Key) {
	t.Helper()
	for range 5 {
		if _, r := s.Recall(t.Context(), k); r != page.MemoryTimeout && r != page.MemoryError {
			t.Errorf("Recall in trouble = %v", r)
		}
	}
	asked, start := p.Requests(), time.Now()
	for range 1000 {
		s.Recall(t.Context(), k)
	}
	// Each second has one probe and one try of the writer, of two dials and three exchanges each at most.
	seconds := int64(time.Since(start)/time.Second) + 1
	if asked := p.Requests() - asked; asked > 12*seconds {
		t.Errorf("1000 pages cost a Redis in trouble %d exchanges in %d s", asked, seconds)
	}
}

// What Redis itself refuses is tried again, and does not keep from reading what can be read.
func TestRefusals(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	for _, c := range []struct {
		name        string
		begin, heal string
		readsWork   bool
	}{
		{"OOM", "config set maxmemory 1", "config set maxmemory 0", true},
		{"READONLY", "replicaof 127.0.0.1 1", "replicaof no one", true},
		{"NOAUTH", "config set requirepass x", "config set requirepass ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, "redis://"+srv.Addr)
			known, fresh := key("known", ""), key("fresh-"+c.name, "")
			s.Remember(known, price("1", time.Now()))
			settled(t, s, 1)
			srv.Must(t, c.begin)
			srv.Must(t, "client kill type normal skipme yes") // the store has to come again
			s.Remember(fresh, price("2", time.Now()))
			redistest.Eventually(t, "the log tells it", func() bool { return strings.Contains(s.log.String(), c.name) })
			if _, r := s.Recall(t.Context(), known); (r == page.MemoryHit) != c.readsWork {
				t.Errorf("Recall = %v, and reads work: %v", r, c.readsWork)
			}
			srv.Must(t, c.heal)
			redistest.Eventually(t, "the price is written", hits(t, s, fresh))
		})
	}
}

func TestWrongPasswordStaysOutOfTheLog(t *testing.T) {
	srv := redistest.Start(t, "--requirepass", "right")
	if srv == nil {
		return
	}
	s := newStore(t, "redis://:hunter2-wrong@"+srv.Addr)
	s.Remember(key("p-1", ""), price("1", time.Now()))
	wantResult(t, s, key("p-1", ""), page.MemoryError)
	redistest.Eventually(t, "the log tells it", func() bool { return s.log.count("WARN") == 1 })
	s.Close(within(t, time.Second))
	if sets := s.counts.of(page.MemorySet, page.MemoryError); sets != 1 {
		t.Errorf("observed %v", s.counts.n)
	}
	if log := s.log.String(); strings.Contains(log, "hunter2") || !strings.Contains(log, "WRONGPASS") {
		t.Error(log)
	}
}

// Redis is not needed at start, and its name need not resolve.
func TestRedisComesLater(t *testing.T) {
	t.Parallel()
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	srv.Kill()
	s, nowhere := newStore(t, "redis://"+srv.Addr), newStore(t, "redis://redis.invalid")
	k, p := key("p-1", ""), price("1", time.Now())
	for _, s := range []*store{s, nowhere} {
		s.Remember(k, p)
		if _, r := s.Recall(t.Context(), k); r != page.MemoryError && r != page.MemoryTimeout {
			t.Errorf("Recall = %v", r)
		}
		if stats := s.PoolStats(); stats != (cache.PoolStats{}) {
			t.Errorf("pool %+v", stats)
		}
	}
	srv.Restart(t)
	redistest.Eventually(t, "the price is written", hits(t, s, k))
}

// A restarted Redis has forgotten the script and breaks every connection.
func TestRestart(t *testing.T) {
	t.Parallel()
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	s := newStore(t, "redis://"+srv.Addr)
	k := key("p-1", "")
	s.Remember(k, price("1", time.Now()))
	settled(t, s, 1)
	srv.Kill()
	srv.Restart(t)
	wantResult(t, s, k, page.MemoryMiss)
	p := price("2", time.Now())
	s.Remember(k, p)
	settled(t, s, 2)
	wantHit(t, s, k, p)
}

// A rush on a silent Redis: what runs and what is open stays bounded, and Remember does not wait.
func TestDeadRedisCostsBoundedly(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	p.Makes(redistest.Silent)
	before := runtime.NumGoroutine()
	const prices = 20_000
	for i := range prices {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	if dropped := s.counts.of(page.MemorySet, page.MemoryDropped); dropped < prices-8192-256 {
		t.Errorf("%d dropped of %d", dropped, prices)
	}
	for range 5 {
		var wg sync.WaitGroup
		for i := range 400 {
			wg.Go(func() { s.Recall(t.Context(), key(fmt.Sprint("p-", i), "")) })
		}
		wg.Wait()
	}
	// 8, and those that were given up and whose end the proxy has yet to see.
	if most := p.Most(); most > 3*8 {
		t.Errorf("%d connections", most)
	}
	// The proxy has two for each connection. The runtime counts ended ones for a moment longer.
	redistest.Eventually(t, "the goroutines are few", func() bool { return runtime.NumGoroutine()-before <= 4*8 })
	p.Makes(redistest.Pass)
	redistest.Eventually(t, "the newest price is written", hits(t, s, key(fmt.Sprint("p-", prices-1), "")))
	wantResult(t, s, key("p-5000", ""), page.MemoryMiss) // the older ones made room
}

// go-redis writes about every failed dial to stderr, unbounded. Only a process of its own can tell that it does not.
func TestNothingOnStderr(t *testing.T) {
	if url := os.Getenv("CACHE_TEST_REFUSING"); url != "" {
		s := newStore(t, url)
		for range 20 {
			s.Remember(key("p", ""), price("1", time.Now()))
			s.Recall(t.Context(), key("p", ""))
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNothingOnStderr$")
	cmd.Env = append(os.Environ(), "CACHE_TEST_REFUSING=redis://127.0.0.1:"+redistest.FreePort())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, %s", err, stderr.String())
	}
}
