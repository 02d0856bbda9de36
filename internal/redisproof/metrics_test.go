package redisproof

import (
	"math"
	"strings"
	"testing"

	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

// Each step moves the series that it should, and no other of the memory's. When a machine that stood still made Redis seem
// slow, it is done again.
func TestMetricsTellWhatTheMemoryDoes(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s, proxy := openShop(t), redistest.StartProxy(t, redis.Addr)
	in := s.start(t, onRedis(proxy.Addr))
	var age float64 // of the prices shown, seconds
	for _, step := range []struct {
		name  string
		do    func()
		moves string
		by    float64
	}{
		{"three prices are learned", func() {
			for _, id := range []string{"p-0", "p-1", "p-2"} {
				in.live(id)
			}
			in.written(3)
		}, "set,ok", 3},
		{"two are shown", func() {
			s.priceFails(t)
			age += float64(in.stale("p-0").Sections["price"].AgeMs+in.stale("p-1").Sections["price"].AgeMs) / 1000
		}, "get,hit", 2},
		{"one was never known", func() { in.priceless("p-3") }, "get,miss", 1},
		{"one is something else by now", func() {
			name := redis.Keys(t.Context(), "bff:price:*:p-2:*").Val()[0]
			redis.Must(t, "set "+name+" garbage")
			in.priceless("p-2")
		}, "get,invalid", 1},
		{"a page cannot wait for Redis", func() {
			proxy.Makes(redistest.Silent)
			in.priceless("p-0", "X-Request-Timeout-Ms", "400")
		}, "get,timeout", 1},
		{"Redis is not there", func() {
			proxy.Refuse()
			in.priceless("p-0")
		}, "get,error", 1},
	} {
		const late = "get,timeout"
		before, after := map[string]float64{}, memorySeries(in)
		for range 3 {
			before = after
			step.do()
			if after = memorySeries(in); after[late] == before[late] || step.moves == late {
				break
			}
		}
		for series, value := range after {
			want := before[series]
			if series == step.moves {
				want += step.by
			}
			if value != want {
				t.Errorf("%s: %s goes from %v to %v, want %v", step.name, series, before[series], value, want)
			}
		}
	}
	m := in.Scrape()
	if n := m["bff_stale_price_age_seconds_count"]; n != memorySeries(in)["get,hit"] {
		t.Errorf("%v ages were observed", n)
	}
	if sum := m["bff_stale_price_age_seconds_sum"]; math.Abs(sum-age) > 0.1 {
		t.Errorf("the ages come to %v s, the pages said %v s", sum, age)
	}
}

// memorySeries are those of bff_price_memory_total, by operation and result: there are no more, and no fewer.
func memorySeries(in *instance) map[string]float64 {
	in.T.Helper()
	values, m := map[string]float64{}, in.Scrape()
	for _, op := range []string{"get", "set"} {
		for _, result := range []string{"hit", "miss", "expired", "invalid", "error", "timeout", "dropped", "ok"} {
			value, ok := m[`bff_price_memory_total{op="`+op+`",result="`+result+`"}`]
			if !ok {
				in.T.Errorf("there is no %s of %s", result, op)
			}
			values[op+","+result] = value
		}
	}
	return values
}

func TestMetricsTellOfTheConnectionsToRedis(t *testing.T) {
	redis := redistest.Start(t)
	if redis == nil {
		return
	}
	s, proxy := openShop(t), redistest.StartProxy(t, redis.Addr)
	with, without := s.start(t, onRedis(proxy.Addr)), s.start(t)
	for _, in := range []*instance{with, without} {
		if connections, gets := pool(in.Scrape()); connections != 0 || gets != 0 {
			t.Errorf("before the first page: %v connections, asked for %v times", connections, gets)
		}
		each(40, func(i int) { in.live(product("p", i)) })
		in.written(40)
	}
	connections, gets := pool(with.Scrape())
	if connections < 1 || connections > 8 || gets < 1 {
		t.Errorf("after 40 prices: %v connections, asked for %v times", connections, gets)
	}
	s.priceFails(t)
	each(40, func(i int) { with.stale(product("p", i)) })
	if _, after := pool(with.Scrape()); after <= gets {
		t.Errorf("after 40 reads: connections were asked for %v times, %v before", after, gets)
	}
	if connections, gets := pool(without.Scrape()); connections != 0 || gets != 0 {
		t.Errorf("without Redis: %v connections, asked for %v times", connections, gets)
	}
	proxy.Refuse()
	redistest.Eventually(t, "they are gone", func() bool {
		with.priceless("p-0")
		connections, _ := pool(with.Scrape())
		return connections == 0
	})
}

// pool is how many connections to Redis there are, and how often one was asked for.
func pool(m world.Metrics) (connections, gets float64) {
	for series, value := range m {
		switch {
		case strings.HasPrefix(series, "bff_redis_pool_connections{"):
			connections += value
		case strings.HasPrefix(series, "bff_redis_pool_gets_total{"):
			gets += value
		}
	}
	return connections, gets
}
