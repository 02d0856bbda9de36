package redisproof

import (
	"strings"
	"testing"

	"example.com/bff/internal/redistest"
)

// What the counter says is written is in Redis, and another instance serves it.
func TestKillLosesAtMostWhatWasQueued(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s := openShop(t)
	p := s.exec(t, onRedis(redis.Addr))
	for i := range 20 {
		p.live(product("before", i))
	}
	p.written(20)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		each(500, func(i int) { p.Get("/products/" + product("meanwhile", i)) })
	}()
	p.written(40)
	written := p.memory("set", "ok")
	p.kill()
	<-asked

	names := redis.Keys(t.Context(), "bff:price:*").Val()
	if len(names) < written {
		t.Fatalf("%d prices were written, and %d are there", written, len(names))
	}
	s.priceFails(t)
	other := s.start(t, onRedis(redis.Addr))
	each(20, func(i int) { other.stale(product("before", i)) })
	each(len(names), func(i int) { other.stale(strings.Split(names[i], ":")[3]) })
}

func TestSIGTERMFlushesTheQueue(t *testing.T) {
	for _, c := range []struct {
		name          string
		drain         string
		before        func(*process, *redistest.Proxy) // the pages
		shown, leaves func(*testing.T, *process, *redistest.Proxy)
		lost          bool // there is nowhere to write to
	}{
		{name: "all is well", drain: "0s"},
		{name: "Redis is slow", drain: "0s", before: func(_ *process, r *redistest.Proxy) { r.Makes(redistest.Slow) }},
		{
			name: "Redis is back just before", drain: "0s",
			before: func(_ *process, r *redistest.Proxy) { r.Refuse() },
			shown: func(t *testing.T, p *process, r *redistest.Proxy) {
				redistest.Eventually(t, "the trouble is noticed", func() bool { return len(p.linesAboutRedis()) == 1 })
				r.Accept(t)
			},
		},
		{
			name: "Redis is back while it drains", drain: "3s",
			before: func(_ *process, r *redistest.Proxy) { r.Refuse() },
			leaves: func(t *testing.T, p *process, r *redistest.Proxy) {
				redistest.Eventually(t, "it drains", func() bool { return strings.Contains(p.Log.String(), `"draining"`) })
				r.Accept(t)
			},
		},
		{name: "Redis is silent", drain: "0s", lost: true, before: func(_ *process, r *redistest.Proxy) { r.Makes(redistest.Silent) }},
		{name: "Redis refuses", drain: "0s", lost: true, before: func(_ *process, r *redistest.Proxy) { r.Refuse() }},
		{name: "Redis is unreachable", drain: "0s", lost: true, before: func(p *process, r *redistest.Proxy) { r.Hang(p.T) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t)
			if redis == nil {
				return
			}
			s, proxy := openShop(t), redistest.StartProxy(t, redis.Addr)
			p := s.exec(t, onRedis(proxy.Addr), "BFF_DRAIN="+c.drain)
			p.live("first")
			p.written(1)
			if c.before != nil {
				c.before(p, proxy)
			}
			const pages = 100
			each(pages, func(i int) { p.live(product("p", i)) })
			if c.shown != nil {
				c.shown(t, p, proxy)
			}
			p.terminate()
			if c.leaves != nil {
				c.leaves(t, p, proxy)
			}
			if code := p.wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			// This is what is said when the time to end in has been used up.
			if log := p.Log.String(); strings.Contains(log, "not every price") || !strings.Contains(log, `"stopped"`) {
				t.Errorf("the end waited for Redis: %s", log)
			}
			if n := redis.DBSize(t.Context()).Val(); n != pages+1 && !c.lost {
				t.Errorf("%d of %d prices that were shown are in Redis", n, pages+1)
			}
		})
	}
}
