package ops_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	whole "example.com/bff/internal/world"
)

// service is the real one on real connections, before fakes, with people who ask it for pages.
type service struct {
	t             *testing.T
	fakes         *fakes.Server
	public, admin string // addresses
	end           func()
}

func startService(t *testing.T, env ...string) *service {
	t.Helper()
	s := &service{t: t, fakes: fakes.New(fakes.Options{})}
	downstreams := httptest.NewServer(s.fakes)
	t.Cleanup(downstreams.Close)
	in := whole.Loopback(t, slices.Concat(whole.Before(downstreams.URL), env), app.Options{Version: "v1.4.0", Revision: "0f3c2a1"})
	s.admin, s.public, s.end = "http://"+in.Admin, "http://"+in.Public, in.End
	return s
}

// visitors ask for pages and now and then for an offer, at an even pace, until the test ends.
func (s *service) visitors(every time.Duration) {
	ctx, stop := context.WithCancel(s.t.Context())
	var all sync.WaitGroup
	s.t.Cleanup(func() {
		stop()
		all.Wait()
	})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	s.t.Cleanup(client.CloseIdleConnections)
	ask := func(i int) {
		path := fmt.Sprintf("%s/products/p-%d", s.public, 1000+i%7)
		if i%5 == 0 {
			path += "/offer"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		if err != nil {
			panic(err)
		}
		req.Header.Set("X-Client", []string{"web", "mobile"}[i%2])
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
		}
	}
	all.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				all.Go(func() { ask(i) })
			case <-ctx.Done():
				return
			}
		}
	})
}

func (s *service) breaks(downstream string, f fakes.Fault) {
	s.t.Helper()
	if err := s.fakes.Set(downstream, f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) mends(downstream string) { s.breaks(downstream, fakes.Fault{}) }

// orders sets an override, or takes it back when there is no body.
func (s *service) orders(target, body string) {
	s.t.Helper()
	method := http.MethodPut
	if body == "" {
		method = http.MethodDelete
	}
	req, err := http.NewRequest(method, s.admin+"/override/"+target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s", method, target, resp.Status)
	}
}
