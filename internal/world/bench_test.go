package world_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/bff/fakes"
	"example.com/bff/internal/world"
)

// BenchmarkPage compares a page of the service with its floor: a handler that asks the same five for the same bodies
// over the same network and copies them out, with no deadline, no breaker, no validation and no merge. Both are in one
// run; the ratio is what counts.
func BenchmarkPage(b *testing.B) {
	env := []string{"BFF_LOG_SAMPLE=0"}
	for _, x := range []string{"CATALOG", "PRICE", "STOCK", "REVIEWS", "RECOMMENDATIONS"} {
		env = append(env, "BFF_"+x+"_COALESCE=false") // the floor shares nothing either
	}
	w := world.Setup{
		Env:   env,
		Fakes: fakes.Options{Latency: func(string, string) time.Duration { return 0 }},
	}.Start(b)
	floor := &http.Server{Handler: bareFanOut(w)}
	go floor.Serve(w.Net.Listen("floor:80"))
	defer floor.Close()

	for _, host := range []string{"floor:80", world.Public} {
		b.Run(host, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					resp, err := w.Client.Get("http://" + host + "/products/p-1001")
					if err != nil {
						b.Fatal(err)
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
		})
	}
}

func bareFanOut(w *world.World) http.Handler {
	transport := &http.Transport{DialContext: w.Net.DialContext, MaxIdleConnsPerHost: 1000}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var g errgroup.Group
		var bodies [5][]byte
		for i, name := range fakes.Names() {
			g.Go(func() error {
				req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+name+"/"+name+"/p-1001", nil)
				if err != nil {
					return err
				}
				resp, err := transport.RoundTrip(req)
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				bodies[i], err = io.ReadAll(resp.Body)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			http.Error(rw, err.Error(), http.StatusBadGateway)
			return
		}
		for _, body := range bodies {
			rw.Write(body)
		}
	})
}
