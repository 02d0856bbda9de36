package storefront_test

import (
	"net/url"
	"testing"

	"example.com/bff/fakes"
	"example.com/bff/internal/app"
	whole "example.com/bff/internal/world"
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
	return mustParse(t, "http://"+whole.Loopback(t, whole.Before(downstreams.String()), app.Options{}).Public)
}
