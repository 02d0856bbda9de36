package redisproof

import (
	"encoding/json"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

// store is a Redis, and what stands between it and an instance.
type store struct {
	*redistest.Server
	proxy *redistest.Proxy
	names *names
	addr  string // for the instance's URL
}

func openStore(t *testing.T) *store {
	redis := redistest.Start(t)
	if redis == nil {
		return nil
	}
	proxy := redistest.StartProxy(t, redis.Addr)
	return &store{redis, proxy, startNames(t), proxy.Addr}
}

// trouble is what can be wrong with a Redis.
type trouble struct {
	name        string
	says        string // a regular expression for what the log tells of it
	begin, heal func(*testing.T, *store)
	atStart     bool // it has begun before the instance is there
	readable    bool // what is remembered is served meanwhile
}

// tooSlow is what the log tells of a Redis that does not answer in time.
const tooSlow = "timeout|deadline"

var troubles = []trouble{
	replies("silent", tooSlow, redistest.Silent),
	replies("slow", tooSlow, redistest.Slow),
	{
		name: "refusing", says: "connection refused",
		begin: func(_ *testing.T, s *store) { s.proxy.Refuse() },
		heal:  func(t *testing.T, s *store) { s.proxy.Accept(t) },
	},
	{
		name: "unreachable", says: tooSlow,
		begin: func(t *testing.T, s *store) { s.proxy.Hang(t) },
		heal:  func(t *testing.T, s *store) { s.proxy.Accept(t) },
	},
	{
		name: "unresolvable", says: "no such host", atStart: true,
		begin: func(_ *testing.T, s *store) { s.addr = "redis.example:" + s.Port },
		heal:  func(_ *testing.T, s *store) { s.names.learn() },
	},
	{
		name: "restarted", says: "EOF|connection reset",
		begin: func(_ *testing.T, s *store) { s.Kill() },
		heal:  func(t *testing.T, s *store) { s.Restart(t) },
	},
	commands("OOM", true, "config set maxmemory 1", "config set maxmemory 0"),
	commands("READONLY", true, "replicaof 127.0.0.1 1", "replicaof no one"),
	commands("NOAUTH", false, "config set requirepass secret", "config set requirepass "),
}

func replies(name, says string, r redistest.Reply) trouble {
	return trouble{
		name: name, says: says,
		begin: func(_ *testing.T, s *store) { s.proxy.Makes(r) },
		heal:  func(_ *testing.T, s *store) { s.proxy.Makes(redistest.Pass) },
	}
}

// commands are about connections that begin from now on, too.
func commands(name string, readable bool, begin, heal string) trouble {
	return trouble{
		name: name, says: name, readable: readable,
		begin: func(t *testing.T, s *store) { s.Must(t, begin); s.Must(t, "client kill type normal skipme yes") },
		heal:  func(t *testing.T, s *store) { s.Must(t, heal) },
	}
}

// On a machine that stands still for half a second, Redis seems slow, whatever else is wrong with it. Then it is tried
// again from the start, and once it must show what it should.
func TestTroubleWithRedis(t *testing.T) {
	for _, c := range troubles {
		t.Run(c.name, func(t *testing.T) {
			disturbed := ""
			for range 3 {
				t.Run("attempt", func(t *testing.T) { disturbed = c.prove(t) })
				if disturbed == "" || t.Failed() {
					return
				}
				t.Log(disturbed)
			}
			t.Error(disturbed)
		})
	}
}

// prove returns what it saw of a machine that stood still instead of what it should.
func (c trouble) prove(t *testing.T) (disturbed string) {
	redis := openStore(t)
	if redis == nil {
		return ""
	}
	p := &proof{T: t, shop: openShop(t), redis: redis, trouble: c}
	if c.atStart {
		c.begin(t, redis)
	}
	p.with, p.without = p.shop.start(t, onRedis(redis.addr)), p.shop.start(t)
	if !c.atStart {
		p.with.live("known")
		p.with.written(1)
		c.begin(t, redis)
	}
	p.shop.priceFails(t)
	p.failingPages()
	if c.readable {
		p.with.stale("known")
	}
	p.bounds()
	p.shop.priceIsBack(t)
	last := p.healthyPages()
	p.logged()

	c.heal(t, redis)
	p.shop.priceFails(t)
	redistest.Eventually(t, "the memory is back, with what was shown meanwhile", func() bool { return p.with.isStale(last) })
	p.logged()
	return p.disturbed
}

// proof compares an instance whose Redis is in trouble with one that has none.
type proof struct {
	*testing.T
	shop          *shop
	redis         *store
	trouble       trouble
	with, without *instance
	asked         int
	disturbed     string
}

// healthyPages are as fast as without Redis. It returns the last product that was shown.
func (p *proof) healthyPages() string {
	p.Helper()
	p.compare("healthy pages", func(in *instance, id string) world.Answer { return in.live(id) })
	p.with.ready()
	return product("p", p.asked-1)
}

// failingPages do not wait for Redis each: after a few have, no more than one a second does.
func (p *proof) failingPages() {
	p.Helper()
	start := time.Now()
	p.compare("failing pages", func(in *instance, id string) world.Answer { return in.priceless(id) })
	waited, seconds := p.with.memory("get", "timeout"), int(time.Since(start).Seconds())
	if waited > 6+seconds {
		p.Errorf("%d pages of %d waited for Redis in vain", waited, p.asked)
	} else if p.trouble.readable && waited > 0 {
		p.disturbed = "a Redis that can be read from seemed slow"
	}
	p.with.ready()
}

// compare asks both instances in turn, and compares the medians. A busy machine gets more pages to compare.
func (p *proof) compare(what string, ask func(in *instance, id string) world.Answer) {
	p.Helper()
	const round, rounds, most = 30, 6, 1.5
	var with, without []time.Duration
	var ratio float64
	for range rounds {
		for range round {
			id := product("p", p.asked)
			if p.asked%2 == 0 {
				with = append(with, ask(p.with, id).Took)
			}
			without = append(without, ask(p.without, id).Took)
			if p.asked%2 == 1 {
				with = append(with, ask(p.with, id).Took)
			}
			p.asked++
		}
		ratio = float64(median(with)) / float64(median(without))
		if ratio <= most {
			break
		}
	}
	p.Logf("%s: %v with Redis, %v without: %.2f, after %d", what, median(with), median(without), ratio, len(with))
	if ratio > most {
		p.Errorf("%s take %.2f times as long with Redis as without", what, ratio)
	}
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

// bounds looks at what is left of many pages at once.
func (p *proof) bounds() {
	p.Helper()
	each(100, func(i int) { p.with.Get("/products/" + product("rush", i)) })
	// 8, and those that were given up and whose end the proxy has yet to see.
	if most := p.redis.proxy.Most(); most > 3*8 {
		p.Errorf("%d connections", most)
	}
	// The writer, the readers, and a dial for each connection.
	if n := goroutines("internal/cache.", "redis/go-redis"); n > 5+8 {
		p.Errorf("%d goroutines", n)
	}
}

// goroutines counts those in whose stacks one of the names is.
func goroutines(names ...string) (n int) {
	var stacks strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(stack, name) }) {
			n++
		}
	}
	return n
}

// logged looks at what is logged about Redis: the first line tells what is wrong, and others come a minute apart.
func (p *proof) logged() {
	p.Helper()
	redistest.Eventually(p, "the log tells it", func() bool { return len(p.with.linesAboutRedis()) > 0 })
	lines := p.with.linesAboutRedis()
	for i := range lines[1:] {
		if apart := written(p, lines[i+1]).Sub(written(p, lines[i])); apart < 59*time.Second {
			p.Errorf("%v apart: %s", apart, lines)
		}
	}
	tells := func(what string) bool {
		return regexp.MustCompile(`"op":"[gs]et","error":"[^"]*(` + what + `)`).MatchString(lines[0])
	}
	switch {
	case tells(p.trouble.says):
	case tells(tooSlow):
		p.disturbed = lines[0]
	default:
		p.Errorf("want a line about %q: %s", p.trouble.says, lines)
	}
}

// written is when a line was.
func written(t *proof, line string) time.Time {
	t.Helper()
	var parsed struct{ Time time.Time }
	if err := json.Unmarshal([]byte(line), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed.Time
}
