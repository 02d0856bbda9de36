package storefront_test

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	"example.com/bff/internal/config"
	"example.com/bff/storefront/browsertest"
	"example.com/bff/storefront/storytest"
)

// TestStories goes through every preset with the service itself behind the page.
func TestStories(t *testing.T) {
	b, ok := browsertest.Start(t)
	if !ok {
		return
	}
	downstreams := serve(t, fakes.New(fakes.Options{}))
	shop := serve(t, newStorefront(t, service(t, downstreams), downstreams))
	storytest.Tell(t, b, shop.String(), "storefront")
}

// service starts the service as cmd/bff does, before these fakes, and tells where it is.
func service(t *testing.T, downstreams *url.URL) *url.URL {
	t.Helper()
	const public = "127.0.0.1:0"
	environ := []string{"BFF_ADDR=" + public, "BFF_ADMIN_ADDR=localhost:0"}
	for _, name := range fakes.Names() {
		environ = append(environ, "BFF_"+strings.ToUpper(name)+"_URL="+downstreams.String()+"/"+name+"/{id}")
	}
	cfg, err := config.Load(environ)
	if err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	s, err := app.New(cfg, app.Options{Listen: func(network, at string) (net.Listener, error) {
		l, err := net.Listen(network, at)
		if err == nil && at == public {
			address <- "http://" + l.Addr().String()
		}
		return l, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Run(ctx, nil); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		end()
		<-ended
	})
	select {
	case at := <-address:
		return mustParse(t, at)
	case <-ended:
		t.FailNow()
		return nil
	}
}
