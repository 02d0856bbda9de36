package sim

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// The evening: so many pages and offers a second.
const (
	pagesPerSecond  = 500
	offersPerSecond = 50
	visitorPatience = 3 * time.Second
	products        = 2000
	longestCoolDown = 6250 * ms // of a breaker
)

// Evening is one phase of it, as visitors saw it.
type Evening struct {
	Name           string
	Answered       float64 // the share of pages that were answered with 200, 0 to 1
	P50, P99       time.Duration
	Degraded       float64 // the share of pages that lacked something
	OffersAnswered float64
	OffersP99      time.Duration
	MostHeld       int // calls at recommendations at once, as they saw it
}

// OwnEvening is this service.
func OwnEvening(t testing.TB, o Outage) []Evening {
	w := world.Setup{Quiet: true}.Start(t)
	return evening("this service", w, world.Public, o)
}

// OnePoolEvening is the same five behind a service without layers: see onePool.
func OnePoolEvening(t testing.TB, o Outage) []Evening {
	w := world.Setup{Quiet: true}.Start(t)
	w.Net.Serve(t, "onepool:80", onePool(plainClient(t, w.Net)))
	return evening("one shared pool, no layers", w, "onepool:80", o)
}

// evening asks host while recommendations take their usual time, then 8 s, then their usual time again.
func evening(name string, w *world.World, host string, o Outage) []Evening {
	usual := fakes.Fault{P50Ms: 40, P99Ms: 200}
	ask := func(path string) (status int, degraded bool, took time.Duration) {
		return visit(w.Client, "http://"+host+path)
	}
	before := phase(w, usual, o.Before, ask)
	slow := phase(w, fakes.Fault{LatencyMs: new(8000)}, o.Slow, ask)
	phase(w, usual, longestCoolDown, ask)
	phases := []Evening{before, slow, phase(w, usual, o.After, ask)}
	for i, when := range []string{"before", "while recommendations take 8 s", "one cool-down after"} {
		phases[i].Name = name + ", " + when
	}
	return phases
}

func phase(w *world.World, f fakes.Fault, long time.Duration, ask func(path string) (int, bool, time.Duration)) Evening {
	w.Fault("recommendations", f)
	w.Fakes.ResetStats()
	var pages, offers tally
	record := func(to *tally, path string) func(i int) {
		return func(i int) {
			status, degraded, took := ask(fmt.Sprintf(path, i*7919%products))
			outcome := fmt.Sprint(status)
			if degraded {
				outcome = "degraded"
			}
			to.add(outcome, took)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		steady(time.Second/offersPerSecond, long, record(&offers, "/products/p-%d/offer"))
	}()
	steady(time.Second/pagesPerSecond, long, record(&pages, "/products/p-%d"))
	<-done
	return Evening{
		Answered: pages.share("200", "degraded"), Degraded: pages.share("degraded"),
		P50: pages.percentile(50), P99: pages.percentile(99),
		OffersAnswered: offers.share("200"), OffersP99: offers.percentile(99),
		MostHeld: w.Fakes.Stats()["recommendations"].MostInFlight,
	}
}

// visit is a visitor: who waits for so long, and no longer. The status is 0 when there was no answer.
func visit(client *http.Client, url string) (status int, degraded bool, took time.Duration) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), visitorPatience)
	defer cancel()
	resp, err := get(ctx, client, url)
	if err != nil {
		return 0, false, time.Since(start)
	}
	return resp.StatusCode, resp.Header.Get("X-Degraded") != "", time.Since(start)
}

// onePool answers pages and offers with what all five say, or two, over one pool of 256 connections, first come, first
// served, and waits for each as long as the visitor does. It fails when one of them does.
func onePool(client *http.Client) http.Handler {
	pool := make(chan struct{}, 256)
	ask := func(ctx context.Context, downstream, id string) error {
		select {
		case pool <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-pool }()
		return plain(client, "http://"+downstream+"/"+downstream+"/")(ctx, id)
	}
	answer := func(downstreams ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			g, ctx := errgroup.WithContext(r.Context())
			for _, d := range downstreams {
				g.Go(func() error { return ask(ctx, d, r.PathValue("id")) })
			}
			if g.Wait() != nil {
				w.WriteHeader(http.StatusBadGateway)
			}
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /products/{id}", answer(fakes.Names()...))
	mux.Handle("GET /products/{id}/offer", answer("price", "stock"))
	return mux
}
