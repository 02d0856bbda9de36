package redisproof

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

func TestOneRemembersAnotherServes(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	one, other := s.start(t, onRedis(redis.Addr)), s.start(t, onRedis(redis.Addr))
	live := one.live("p-1001", "X-Market", "de")
	one.written(1)
	s.priceFails(t)
	stale := other.stale("p-1001", "X-Market", "de")
	if stale.Price.Amount != live.Price.Amount || stale.Price.Currency != live.Price.Currency || !stale.Price.AsOf.Equal(live.Price.AsOf) {
		t.Errorf("remembered %+v, shown %+v", *live.Price, *stale.Price)
	}
	other.priceless("p-1001", "X-Market", "fr")
	other.priceless("p-1001")
	if a := other.Get("/products/p-1001/offer", "X-Market", "de"); a.Status != http.StatusServiceUnavailable {
		t.Errorf("an offer of a remembered price: %d %s", a.Status, a.Body)
	}
}

// What befalls the first attempt makes asOf and the page's beginning two things.
func TestAgesAreTrue(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	one, other := s.start(t, onRedis(redis.Addr)), s.start(t, onRedis(redis.Addr))
	products := []string{"p-1", "p-2", "p-3", "p-4", "p-5"}
	s.fault(t, "price", fakes.Fault{Hang: true})
	var pages sync.WaitGroup
	for _, id := range products {
		pages.Go(func() { one.live(id) })
		redistest.Eventually(t, "the price is asked for", func() bool { return len(s.asked(id)) == 1 })
	}
	s.priceIsBack(t) // which resets what hangs
	pages.Wait()
	one.written(len(products))
	s.priceFails(t)

	var late []time.Duration // from asOf until the fake had the question
	for _, id := range products {
		before := time.Now()
		a := other.stale(id)
		after := time.Now()
		asked := s.asked(id)
		if len(asked) < 3 { // first attempt, retry, and the one that has just failed
			t.Fatalf("%s was asked for %d times", id, len(asked))
		}
		if !a.Price.AsOf.After(asked[0]) {
			t.Errorf("%s: asOf %v is that of the attempt that brought nothing, at %v", id, a.Price.AsOf, asked[0])
		}
		late = append(late, asked[1].Sub(a.Price.AsOf))
		age := time.Duration(a.Sections["price"].AgeMs) * time.Millisecond
		if age < before.Sub(a.Price.AsOf)-time.Millisecond || age > after.Sub(a.Price.AsOf)+time.Millisecond {
			t.Errorf("%s: asOf %v, and between %v and %v its age was %v", id, a.Price.AsOf, before, after, age)
		}
	}
	slices.Sort(late)
	if median := late[len(late)/2]; late[0] < -time.Millisecond || median > 100*time.Millisecond {
		t.Errorf("asOf and the sending of the question are apart by %v", late)
	}
}

func TestNothingOlderIsShown(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	strict := s.start(t, onRedis(redis.Addr), "BFF_PRICE_STALE_FOR=1s")
	lenient := s.start(t, onRedis(redis.Addr))
	strict.live("short-lived")
	strict.written(1)
	redistest.Eventually(t, "Redis has forgotten it", func() bool { return redis.DBSize(t.Context()).Val() == 0 })

	lenient.live("p-1001")
	lenient.written(1)
	s.priceFails(t)
	redistest.Eventually(t, "a second is over", func() bool { return lenient.stale("p-1001").Sections["price"].AgeMs > 1000 })
	strict.priceless("p-1001")
	if n := strict.memory("get", "expired"); n != 1 {
		t.Errorf("%d reads of what is too old, want 1", n)
	}
}

// The older price arrives last, at the other instance.
func TestAnOlderPriceDoesNotOverwriteANewer(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	one, other := s.start(t, onRedis(redis.Addr)), s.start(t, onRedis(redis.Addr))
	s.fault(t, "price", fakes.Fault{LatencyMs: new(700)})
	slow := make(chan world.Answer)
	go func() { slow <- one.Get("/products/p-1001") }()
	redistest.Eventually(t, "the price is asked for", func() bool { return len(s.asked("p-1001")) == 1 })
	s.priceIsBack(t)
	newer := other.live("p-1001")
	older := <-slow
	one.written(1)
	other.written(1)
	s.priceFails(t)
	if older.Price == nil || !older.Price.AsOf.Before(newer.Price.AsOf) {
		t.Fatalf("older is %s\nnewer is %s", older.Body, newer.Body)
	}
	for _, in := range []*instance{one, other} {
		if shown := in.stale("p-1001").Price.AsOf; !shown.Equal(newer.Price.AsOf) {
			t.Errorf("shown is the price of %v, the newest is of %v", shown, newer.Price.AsOf)
		}
	}
}

func TestAPriceThatIsGoneIsForgotten(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	one, other := s.start(t, onRedis(redis.Addr)), s.start(t, onRedis(redis.Addr))
	one.live("p-1001")
	one.written(1)
	s.fault(t, "price", fakes.Fault{Status: http.StatusNotFound})
	if a := other.Get("/products/p-1001"); a.Sections["price"].Status != "absent" {
		t.Errorf("%s", a.Body)
	}
	other.written(1)
	s.priceFails(t)
	one.priceless("p-1001")
}

// The price is there and waits to be written; the rest of the page is not, and nobody waits for it any more.
func TestWrittenWhenTheClientHasLeft(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s, proxy := openShop(t), redistest.StartProxy(t, redis.Addr)
	one, other := s.start(t, onRedis(proxy.Addr)), s.start(t, onRedis(redis.Addr))
	proxy.Refuse()
	s.fault(t, "stock", fakes.Fault{Hang: true})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan world.Answer)
	go func() { left <- one.Do(ctx, http.MethodGet, world.Public, "/products/p-1001") }()
	redistest.Eventually(t, "the price is there", func() bool {
		return one.Scrape().Sum("bff_downstream_attempts_total", `downstream="price"`) == 1
	})
	leave()
	if a := <-left; a.Err == nil {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	redistest.Eventually(t, "the page has ended", func() bool {
		return one.Scrape().Sum("bff_page_requests_total", `outcome="cancelled"`) == 1
	})
	proxy.Accept(t)
	one.written(1)
	s.fault(t, "stock", fakes.Fault{})
	s.priceFails(t)
	other.stale("p-1001")
}

// Writing asks Redis for what is there, in its script; a healthy page never does.
func TestHealthyPagesNeverReadRedis(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	in := s.start(t, onRedis(redis.Addr))
	const pages = 50
	each(pages, func(i int) { in.live(product("p", i)) })
	each(pages, func(i int) { in.Get("/products/" + product("p", i) + "/offer") })
	in.written(2 * pages)
	if reads := redis.Calls("getrange") - redis.Calls("set"); reads != 0 {
		t.Errorf("%d reads", reads)
	}
	stats := redis.Info(t.Context(), "commandstats").Val()
	for line := range strings.Lines(stats) {
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		if !slices.Contains([]string{"getrange", "set", "eval", "evalsha", "hello", "ping", "info", "# Commandstats\r\n"}, command) {
			t.Errorf("Redis was asked to %s", line)
		}
	}
	s.priceFails(t)
	in.stale(product("p", 0))
	if reads := redis.Calls("getrange") - redis.Calls("set"); reads != 1 {
		t.Errorf("%d reads for a page whose price failed: this test would not see one", reads)
	}
}
