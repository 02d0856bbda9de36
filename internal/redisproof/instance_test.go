package redisproof

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/bff/internal/app"
	"example.com/bff/internal/redistest"
	"example.com/bff/internal/world"
)

// instance is one of the service, to be asked as a world is.
type instance struct {
	*world.World
}

// at is an instance whose listeners have these addresses.
func (s *shop) at(t *testing.T, admin, public string, log *world.Log) *instance {
	addresses := map[string]string{world.Admin: admin, world.Public: public}
	transport := &http.Transport{
		MaxIdleConnsPerHost: 200,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addresses[addr])
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &instance{&world.World{T: t, Fakes: s.fakes, Log: log, Client: &http.Client{Transport: transport}}}
}

// start runs an instance in this process until the test ends.
func (s *shop) start(t *testing.T, env ...string) *instance {
	t.Helper()
	log := new(world.Log)
	in := world.Loopback(t, slices.Concat(s.env, env), app.Options{Logger: slog.New(slog.NewJSONHandler(log, nil))})
	return s.at(t, in.Admin, in.Public, log)
}

func onRedis(addr string) string { return "BFF_REDIS_URL=redis://" + addr }

// live asks for a page whose price must be live.
func (in *instance) live(id string, headers ...string) world.Answer {
	in.T.Helper()
	a := in.Get("/products/"+id, headers...)
	return in.want(a, "ok")
}

// stale asks for a page that must show a remembered price. On a machine so busy that Redis seems slow it asks again.
func (in *instance) stale(id string, headers ...string) world.Answer {
	in.T.Helper()
	a := in.Get("/products/"+id, headers...)
	for end := time.Now().Add(redistest.Patience); a.Status == http.StatusServiceUnavailable && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		a = in.Get("/products/"+id, headers...)
	}
	a = in.want(a, "stale")
	if !a.Price.Stale || !a.Price.DisplayOnly || a.Purchasable {
		in.T.Errorf("not for display only: %s", a.Body)
	}
	return a
}

func (in *instance) want(a world.Answer, price string) world.Answer {
	in.T.Helper()
	if a.Status != http.StatusOK || a.Sections["price"].Status != price || a.Price == nil {
		in.T.Errorf("%d %v, and not a page whose price is %s: %s", a.Status, a.Err, price, a.Body)
		a.Price = new(world.Price)
	}
	return a
}

// priceless asks for a page that cannot be had for want of a price.
func (in *instance) priceless(id string, headers ...string) world.Answer {
	in.T.Helper()
	a := in.Get("/products/"+id, headers...)
	if a.Status != http.StatusServiceUnavailable || len(a.Dependencies) != 1 || a.Dependencies[0].Name != "price" {
		in.T.Errorf("%s: %d %v, and not a 503 for want of a price: %s", id, a.Status, a.Err, a.Body)
	}
	return a
}

// isStale tells whether a page shows a remembered price now.
func (in *instance) isStale(id string) bool {
	return in.Get("/products/" + id).Sections["price"].Status == "stale"
}

// memory is what bff_price_memory_total says.
func (in *instance) memory(op, result string) int {
	in.T.Helper()
	return int(in.Scrape().Sum("bff_price_memory_total", `op="`+op+`"`, `result="`+result+`"`))
}

// written waits until so many prices are in Redis.
func (in *instance) written(n int) {
	in.T.Helper()
	redistest.Eventually(in.T, "the prices are written", func() bool { return in.memory("set", "ok") >= n })
}

// each asks n times, a few at once: more than that is a load test of this machine.
func each(n int, ask func(i int)) {
	var all errgroup.Group
	all.SetLimit(8)
	for i := range n {
		all.Go(func() error { ask(i); return nil })
	}
	_ = all.Wait()
}

func (in *instance) ready() {
	in.T.Helper()
	for _, host := range []string{world.Public, world.Admin} {
		if a := in.Do(context.Background(), http.MethodGet, host, "/readyz"); a.Status != http.StatusOK {
			in.T.Errorf("/readyz: %d %v %s", a.Status, a.Err, a.Body)
		}
	}
}

// linesAboutRedis are what was logged of it.
func (in *instance) linesAboutRedis() []string {
	var about []string
	for line := range strings.Lines(in.Log.String()) {
		var parsed struct{ Msg string }
		if err := json.Unmarshal([]byte(line), &parsed); err != nil {
			in.T.Errorf("not a line of JSON: %s", line)
		}
		if strings.Contains(strings.ToLower(line), "redis") {
			about = append(about, line)
		}
	}
	return about
}

func TestMain(m *testing.M) { os.Exit(withTools(m)) }
