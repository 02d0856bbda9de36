package sim

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/pipenet"
	"example.com/bff/internal/world"
)

// Amplification is what becomes of requests when what is at the bottom fails.
type Amplification struct {
	Name     string
	Requests int // at the top
	Calls    int // at the bottom
}

// Factor is calls per request.
func (a Amplification) Factor() float64 { return float64(a.Calls) / float64(a.Requests) }

// ThreeTiers each ask up to four times.
func ThreeTiers(t testing.TB) Amplification {
	network := pipenet.New()
	server := fakes.New(fakes.Options{Only: []string{"catalog"}})
	must(t, server.Set("catalog", fakes.Fault{Status: http.StatusServiceUnavailable}))
	network.Serve(t, "catalog:80", server)
	client := plainClient(t, network)
	below := "http://catalog/catalog/"
	for i := range 3 {
		addr := fmt.Sprintf("tier%d", i)
		network.Serve(t, addr+":80", passOn(withRetries(3, 0, plain(client, below))))
		below = "http://" + addr + "/"
	}
	const requests = 20
	for range requests {
		_ = plain(client, below)(context.Background(), "p-1")
	}
	return Amplification{"three tiers that each retry three times", requests, server.Stats()["catalog"].Calls}
}

// passOn is a tier.
func passOn(ask call) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ask(r.Context(), r.URL.Path[1:]) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

// OwnTiers is a gateway that does not retry, this service, and a catalog that fails, for so long.
func OwnTiers(t testing.TB, name string, long time.Duration, env ...string) Amplification {
	const perSecond = 200
	w := world.Setup{Quiet: true, Env: env}.Start(t)
	w.Fault("catalog", fakes.Fault{Status: http.StatusServiceUnavailable})
	w.Net.Serve(t, "gateway:80", passOn(plain(w.Client, "http://"+world.Public+"/products/")))
	requests := make(chan struct{}, int(long.Seconds())*perSecond)
	steady(time.Second/perSecond, long, func(i int) {
		_ = plain(w.Client, "http://gateway/")(context.Background(), fmt.Sprintf("p-%d", i))
		requests <- struct{}{}
	})
	return Amplification{name, len(requests), w.Fakes.Stats()["catalog"].Calls}
}
