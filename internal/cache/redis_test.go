package cache_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/internal/page"
	"example.com/bff/internal/redistest"
)

// One instance remembers, another shows; and what Redis holds is compact, versioned, and gone after StaleFor.
func TestOneRemembersAnotherShows(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	one, other := newStore(t, "redis://"+srv.Addr), newStore(t, "redis://"+srv.Addr+"/0")
	k, p := key("p-1", "X-Market: de"), price("129.90", time.Now())
	one.Remember(k, p)
	settled(t, one, 1)
	wantHit(t, other, k, p)
	wantResult(t, other, key("p-1", "X-Market: fr"), page.MemoryMiss)

	names := srv.Keys(t.Context(), "*").Val()
	if len(names) != 1 || !regexp.MustCompile(`^bff:price:v1:p-1:[0-9a-f]{32}$`).MatchString(names[0]) {
		t.Fatalf("keys %q", names)
	}
	if ttl := srv.PTTL(t.Context(), names[0]).Val(); ttl > staleFor || ttl < staleFor-time.Minute {
		t.Errorf("TTL %v, want %v", ttl, staleFor)
	}
	if v := srv.Get(t.Context(), names[0]).Val(); len(v) > 32 {
		t.Errorf("%d bytes: %q", len(v), v)
	}
	one.Forget(k, time.Now().Add(time.Second))
	settled(t, one, 2)
	wantResult(t, other, k, page.MemoryMiss)
	if ttl := srv.PTTL(t.Context(), names[0]).Val(); ttl > staleFor || ttl < staleFor-time.Minute {
		t.Errorf("TTL of an absence %v, want %v", ttl, staleFor)
	}
	if s := other.PoolStats(); s.Total < 1 || s.Idle < 1 || s.Hits+s.Misses < 1 {
		t.Errorf("pool %+v", s)
	}
}

func TestAgeIsCheckedOnReading(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	s := newStore(t, "redis://"+srv.Addr)
	s.Remember(key("old", ""), price("1", time.Now().Add(-staleFor-time.Second)))
	settled(t, s, 1)
	wantResult(t, s, key("old", ""), page.MemoryExpired)
}

// What is none of ours is a miss of its own kind, and gives way to the next price.
func TestAnythingElseUnderTheKey(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	s := newStore(t, "redis://"+srv.Addr)
	k, p := key("p-1", ""), price("1", time.Now())
	s.Remember(k, p)
	settled(t, s, 1)
	name := srv.Keys(t.Context(), "*").Val()[0]
	good := srv.Get(t.Context(), name).Val()
	for what, put := range map[string][]any{
		"garbage":                {"set", name, "garbage garbage garbage"},
		"one byte":               {"set", name, "\x01"},
		"a huge value":           {"set", name, good + strings.Repeat("9", 1<<20)},
		"an older version":       {"set", name, "\x00" + good[1:]},
		"an older price version": {"set", name, good[:9] + "\x00" + good[10:]},
		"cut off":                {"set", name, good[:12]},
		"garbage like a price":   {"set", name, "\x01garbage garbage"},
		"garbage like none":      {"set", name, "\x01garbage!"},
		"an hour from now":       {"set", name, future(time.Hour)},
		"of two instants":        {"set", name, aMomentBefore(good)},
		"a list":                 {"rpush", name, "1", "2"},
		"a hash":                 {"hset", name, "amount", "1"},
	} {
		t.Run(what, func(t *testing.T) {
			srv.Del(t.Context(), name)
			if err := srv.Do(t.Context(), put...).Err(); err != nil {
				t.Fatal(err)
			}
			wantResult(t, s, k, page.MemoryInvalid)
			sets := s.counts.all(page.MemorySet)
			s.Remember(k, p)
			settled(t, s, sets+1)
			wantHit(t, s, k, p)
		})
	}
	if log := s.log.String(); strings.Contains(log, "WRONGTYPE") {
		t.Errorf("called trouble: %s", log)
	}
}

// aMomentBefore is a held value with an instant that is not its price's.
func aMomentBefore(held string) string {
	v := []byte(held)
	binary.BigEndian.PutUint64(v[1:], binary.BigEndian.Uint64(v[1:])-1)
	return string(v)
}

// future is a price from a clock that is ahead, as it is held.
func future(ahead time.Duration) string {
	at := time.Now().Add(ahead)
	v, _ := price("6.66", at).AppendBinary(binary.BigEndian.AppendUint64([]byte{1}, uint64(at.UnixMilli())))
	return string(v)
}

// While one page waits for an answer, others with the same question wait with it; each leaves by its own deadline.
func TestConcurrentRecallsAreOneRead(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	s.Remember(key("p-1", ""), price("1", time.Now()))
	settled(t, s, 1)
	wantResult(t, s, key("other", ""), page.MemoryMiss)

	var release sync.WaitGroup
	release.Add(1)
	p.Makes(func(c net.Conn, chunk []byte) error {
		release.Wait()
		return redistest.Pass(c, chunk)
	})
	before := srv.Calls("getrange")
	results := make(chan page.MemoryResult, 300)
	var waiting sync.WaitGroup
	for range 300 {
		waiting.Add(1)
		go func() {
			waiting.Done()
			_, r := s.Recall(t.Context(), key("p-1", ""))
			results <- r
		}()
	}
	waiting.Wait()
	_, hasty := s.Recall(within(t, time.Millisecond), key("p-1", ""))
	release.Done()
	if hasty != page.MemoryTimeout {
		t.Errorf("a Recall with 1 ms: %v", hasty)
	}
	for range 300 {
		if r := <-results; r != page.MemoryHit {
			t.Errorf("Recall = %v", r)
		}
	}
	if reads := srv.Calls("getrange") - before; reads > 10 {
		t.Errorf("%d reads for 300 concurrent Recalls", reads)
	}
}

// A rush over the pool's size: many different products at once, each with what a page whose price failed has left.
func TestRushOverThePoolSize(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	const products = 500
	for i := range products {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	settled(t, s, products)
	before := p.Requests()
	wantRoundsServed(t, s, products, products)
	if most := p.Most(); most > 8 {
		t.Errorf("%d connections", most)
	}
	reads := int64(s.counts.all(page.MemoryGet))
	if exchanges := p.Requests() - before; exchanges > reads/5 {
		t.Errorf("%d exchanges for %d reads", exchanges, reads)
	}
}

// go-redis ignores a context's deadline unless it is told otherwise, and its own timeouts are far longer: a silent Redis
// would be found out late, and each page until then would wait for nothing.
func TestSilenceIsFoundOut(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	p.Makes(redistest.Silent)
	waited := 0
	for s.counts.of(page.MemoryGet, page.MemoryError) == 0 {
		s.Recall(t.Context(), key(fmt.Sprint("p-", waited), ""))
		waited++
	}
	if waited > 6 {
		t.Errorf("%d pages waited for a silent Redis", waited)
	}
}

// Writing is in batches: a thousand prices are not a thousand exchanges.
func TestWritesAreBatched(t *testing.T) {
	srv := redistest.Start(t)
	if srv == nil {
		return
	}
	p := redistest.StartProxy(t, srv.Addr)
	s := newStore(t, "redis://"+p.Addr)
	s.Remember(key("first", ""), price("1", time.Now()))
	settled(t, s, 1)
	before := p.Requests()
	for i := range 1000 {
		s.Remember(key(fmt.Sprint("p-", i), ""), price("1", time.Now()))
	}
	settled(t, s, 1001)
	if exchanges := p.Requests() - before; exchanges > 100 {
		t.Errorf("%d exchanges for 1000 prices", exchanges)
	}
	if n := srv.Calls("eval"); n > 500 {
		t.Errorf("the script was sent %d times for 1000 prices", n)
	}
}
